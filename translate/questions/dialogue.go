package questions

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
	"acpshim/translate"
)

// A question is one with a closed set of answers.
type question struct {
	name     string   // of the form's field, or the id of Cursor's question
	title    string   // what is asked, on one line
	text     string   // what the title does not say of that, in markdown; may be empty
	answers  []answer // one at least
	none     string   // the name of the option that chooses none of them
	optional bool     // to choose none is an answer, too
}

// An answer is one that can be chosen.
type answer struct {
	name  string
	value []byte // JSON
}

// A prepared is what a request of the agent asks.
type prepared struct {
	questions []question // empty if the reader cannot be asked, or need not
	told      string     // what the reader is told then, in markdown; "" for nothing

	// The results of the request. Accepted is given the value that was chosen for each question,
	// nil for none. At least one is not nil.
	accepted            func(chosen [][]byte) []byte
	declined, cancelled []byte
}

// read returns what a request of the agent asks; ok is false if it is none of those that are known.
func read(method string, params *wire.Object) (p prepared, ok bool) {
	switch {
	case params == nil:
		return prepared{}, false
	case method == create:
		return readForm(params)
	case method == task:
		return prepared{declined: taskResult(params)}, true
	case method == createPlan:
		return readPlan(params), true
	}
	return readCursor(params), true
}

// A dialogue asks the reader one question after the other for a request of the agent.
type dialogue struct {
	prepared
	request *conversation.Request // of the agent
	id      []byte                // raw, of the same
	session string

	// The fields below are protected by the conversation's lock.
	asked   string // the id of the permission request that is open
	isAgain bool   // it asks its question for the second time
	chosen  [][]byte
}

// The ids of the options that answer nothing.
const (
	again    = "again"
	leave    = "leave"
	noAnswer = "none"
	numbered = "choice-" // begins those of answers
)

// begin returns the lines that ask the first question. If the reader cannot be asked it returns the
// line that declines, and what the reader is told.
func (a *Adapter) begin(d *dialogue) (toClient, toAgent []byte) {
	c := a.opts.Conversation
	c.Lock()
	defer c.Unlock()
	if d.session == "" || len(d.questions) == 0 || d.request == nil || len(a.open) == maxOpen {
		return d.tell(), d.respond(d.declined)
	}
	a.open = append(a.open, d)
	return a.ask(d), nil
}

// ask returns the lines that ask the next question. The lock is held.
func (a *Adapter) ask(d *dialogue) []byte {
	q := d.questions[len(d.chosen)]
	d.asked = a.opts.Own.Begin(a.Name(), func(result, _ []byte) []byte { return a.answered(d, result) })
	call := wire.Quote([]byte(`"toolCallId":`), d.asked)
	call = wire.Quote(append(call, `,"title":`...), q.title)
	call = append(call, `,"kind":"other","status":"pending"`...)
	lines := wire.SessionUpdate(d.session, append([]byte(`{"sessionUpdate":"tool_call",`), append(slices.Clone(call), '}')...))
	if q.text != "" {
		call = append(call, `,"content":[{"type":"content","content":{"type":"text","text":`...)
		call = append(wire.Quote(call, q.text), `}}]`...)
	}

	lines = wire.Quote(append(lines, `{"jsonrpc":"2.0","id":`...), d.asked)
	lines = append(lines, `,"method":"session/request_permission","params":{"sessionId":`...)
	lines = append(wire.Quote(lines, d.session), `,"toolCall":{`...)
	lines = append(append(lines, call...), `},"options":[`...)
	if d.isAgain {
		lines = appendOption(lines, leave, "Do not answer here")
	} else {
		lines = appendOption(lines, again, "Ask me again")
	}
	for i, answer := range q.answers {
		lines = appendOption(append(lines, ','), numbered+strconv.Itoa(i), answer.name)
	}
	lines = appendOption(append(lines, ','), noAnswer, q.none)
	return append(lines, "]}}\n"...)
}

// appendOption appends an option. All are of the kind that clients choose first if they choose by
// themselves: what they find first, or last, answers nothing.
func appendOption(dst []byte, id, name string) []byte {
	dst = wire.Quote(append(dst, `{"optionId":`...), id)
	dst = wire.Quote(append(dst, `,"name":`...), name)
	return append(dst, `,"kind":"allow_once"}`...)
}

// answered takes the client's response to a permission request. It asks the next question, or
// returns the line that answers the agent.
func (a *Adapter) answered(d *dialogue, result []byte) (toAgent []byte) {
	c := a.opts.Conversation
	c.Lock()
	if !slices.Contains(a.open, d) {
		c.Unlock()
		return nil
	}
	status := "completed"
	if selected(result) == "" {
		status = "failed"
	}
	final, toClient := d.take(result), d.end(status)
	if final == nil {
		toClient = append(toClient, a.ask(d)...)
	}
	c.Unlock()
	if !a.send(toClient) && final == nil {
		final = d.cancelled
	}
	if final == nil {
		return nil
	}
	c.Forget(dispatch.Agent, d.id)
	return d.respond(final)
}

// take notes what was chosen. It returns the result for the agent, or nil if there is more to ask.
func (d *dialogue) take(result []byte) (final []byte) {
	q := d.questions[len(d.chosen)]
	option := selected(result)
	i, err := strconv.Atoi(strings.TrimPrefix(option, numbered))
	switch {
	case option == again && !d.isAgain:
		d.isAgain = true
		return nil
	case option == leave, option == noAnswer && !q.optional:
		return d.declined
	case option == noAnswer:
		d.chosen = append(d.chosen, nil)
	case !strings.HasPrefix(option, numbered) || err != nil || i < 0 || i >= len(q.answers):
		return d.cancelled
	default:
		d.chosen = append(d.chosen, q.answers[i].value)
	}
	d.isAgain = false
	switch {
	case len(d.chosen) < len(d.questions):
		return nil
	case !slices.ContainsFunc(d.chosen, func(value []byte) bool { return value != nil }):
		return d.declined
	}
	return d.accepted(d.chosen)
}

// selected returns the id of the option that a response to a permission request names, or "".
func selected(result []byte) string {
	o, err := wire.Parse(result, "outcome")
	outcome := o.Open("outcome")
	if name, _ := outcome.Text("outcome"); err != nil || name != "selected" {
		return ""
	}
	id, _ := outcome.Text("optionId")
	return id
}

// cancel ends the dialogues of a session whose turn the client cancels, and answers the agent
// behind the notification.
func (a *Adapter) cancel(m *dispatch.Message) {
	c := a.opts.Conversation
	c.Lock()
	var ended []*dialogue
	for _, d := range slices.Clone(a.open) {
		if d.session == m.Session {
			ended = append(ended, d)
			a.close(d) // the agent may take its question back meanwhile
		}
	}
	for r := range a.kept {
		if r.Session == m.Session || r.Session == "" {
			delete(a.kept, r)
		}
	}
	c.Unlock()
	for _, d := range ended {
		c.Forget(dispatch.Agent, d.id)
		m.Because("its turn was cancelled")
		m.After(d.respond(d.cancelled))
		a.send(d.end("failed"))
	}
}

// withdraw ends a dialogue for a request that the agent takes back, and takes back the client's.
func (a *Adapter) withdraw(m *dispatch.Message) {
	c := a.opts.Conversation
	id := m.Params().Raw("requestId")
	c.Lock()
	i := slices.IndexFunc(a.open, func(d *dialogue) bool { return wire.ID(d.id) == wire.ID(id) })
	if i < 0 {
		c.Unlock()
		return
	}
	d := a.open[i]
	a.close(d)
	c.Unlock()
	c.Forget(dispatch.Agent, d.id)
	m.Because("the agent takes its question back")
	m.Before(d.end("failed"))
	m.Edit(m.Params().Set(wire.Setting{Name: "requestId", Value: wire.Quote(nil, d.asked)})...)
	a.opts.Send(dispatch.Agent, wire.Refusal(d.id, -32800, "Request cancelled"))
}

// close drops a dialogue: a response that comes late is dropped, too. The lock is held.
func (a *Adapter) close(d *dialogue) {
	a.open = slices.DeleteFunc(a.open, func(other *dialogue) bool { return other == d })
	a.opts.Own.Forget(d.asked)
}

// respond returns the response to the agent's request.
func (d *dialogue) respond(result []byte) []byte { return wire.Result(d.id, result) }

// end returns the line that ends what the client shows of the question that is asked. The lock is
// held, or the dialogue is closed.
func (d *dialogue) end(status string) []byte {
	update := wire.Quote([]byte(`{"sessionUpdate":"tool_call_update","toolCallId":`), d.asked)
	update = wire.Quote(append(update, `,"status":`...), status)
	return wire.SessionUpdate(d.session, append(update, '}'))
}

// tell returns the line that tells the reader what is declined, if anything.
func (d *dialogue) tell() []byte {
	if d.session == "" || d.told == "" {
		return nil
	}
	id := "acpshim-question-" + string(bytes.Trim(d.id, `"`))
	return wire.SessionUpdate(d.session, translate.AppendMessage(nil, "agent_message_chunk", translate.Message{MessageID: id, Text: d.told}))
}
