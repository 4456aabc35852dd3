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

// An inquiry is what a request of the agent asks.
type inquiry struct {
	questions []question // empty if the reader cannot be asked, or need not
	told      string     // what the reader is told then, in markdown; "" for nothing

	// The results of the request. Accepted is given the value that was chosen for each question,
	// nil for none. At least one is not nil.
	accepted            func(chosen [][]byte) []byte
	declined, cancelled []byte
}

// read returns what a request of the agent asks; ok is false if it is none of those that are known.
func read(method string, params *wire.Object) (q inquiry, ok bool) {
	switch {
	case params == nil:
		return inquiry{}, false
	case method == create:
		return readForm(params)
	case method == task:
		return inquiry{declined: taskResult(params)}, true
	case method == createPlan:
		return readPlan(params), true
	}
	return readCursor(params), true
}

// size is about how many bytes an inquiry takes.
func (q inquiry) size() int {
	size := len(q.told) + len(q.declined) + len(q.cancelled)
	for _, q := range q.questions {
		size += 128 + len(q.name) + len(q.title) + len(q.text) + len(q.none)
		for _, answer := range q.answers {
			size += 64 + len(answer.name) + len(answer.value)
		}
	}
	return size
}

// A dialogue asks the reader one question after the other for a request of the agent. The
// conversation's lock protects it.
type dialogue struct {
	inquiry
	held    *dispatch.Held // the request, or the client's refusal of it
	session string
	asked   string // the id of the permission request that is open; empty if there is none
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

// begin has the reader asked for the request that m is, or refuses. If the reader cannot be asked
// it declines, and tells the reader.
func (a *Adapter) begin(m *dispatch.Message, params *wire.Object, q inquiry) {
	d := &dialogue{inquiry: q}
	if d.session = a.sessionOf(params); d.session != "" && len(q.questions) > 0 && !a.isFull() {
		d.held = m.Hold()
	}
	if d.held == nil {
		a.decline(m, d)
		return
	}
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	if a.dialogues.Put(d.held.Request, d, d.size()+len(d.session)) {
		a.ask(d)
	} else {
		d.respond(whyWithdrawn, d.declined)
	}
}

// sessionOf returns the session that a request is about. Cursor's name none: then it is that of the
// only prompt. It is empty if that is not known.
func (a *Adapter) sessionOf(params *wire.Object) string {
	if id, ok := params.Text("sessionId"); ok {
		return id
	}
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	id, _ := a.opts.Conversation.OnlyPrompt()
	return id
}

// isFull reports whether as many dialogues are open as there may be.
func (a *Adapter) isFull() bool {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	n := 0
	for range a.dialogues.All() {
		n++
	}
	return n >= maxOpen
}

// decline declines what the reader cannot be asked.
func (a *Adapter) decline(m *dispatch.Message, d *dialogue) {
	if d.session != "" && d.told != "" {
		id := "acpshim-question-" + string(bytes.Trim(m.ID, `"`))
		chunk := translate.AppendMessage(nil, "agent_message_chunk", translate.Message{MessageID: id, Text: d.told})
		a.Pass(dispatch.Client, wire.SessionUpdate(d.session, chunk), whyAsked)
	}
	if m.Kind == dispatch.Request {
		m.Answer(wire.Result(m.ID, d.declined))
		return
	}
	refusal := m.Object.Get("error")
	m.Edit(wire.Edit{Span: wire.Span{Start: refusal.Key.Start, End: refusal.Value.End}, With: append([]byte(`"result":`), d.declined...)})
}

// ask sends the next question. The lock is held, as by the methods below that do not say otherwise.
func (a *Adapter) ask(d *dialogue) {
	q := d.questions[len(d.chosen)]
	d.asked = a.opts.Own.Begin(a.Name(), func(result, _ []byte) []byte {
		a.take(d, result)
		return nil
	})
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
	if !a.Send(dispatch.Client, append(lines, "]}}\n"...), whyAsked) {
		a.close(d, "failed")
		d.respond(whyWithdrawn, d.cancelled)
	}
}

// appendOption appends an option. All are of the kind that clients choose first if they choose by
// themselves: what they find first, or last, answers nothing.
func appendOption(dst []byte, id, name string) []byte {
	dst = wire.Quote(append(dst, `{"optionId":`...), id)
	dst = wire.Quote(append(dst, `,"name":`...), name)
	return append(dst, `,"kind":"allow_once"}`...)
}

// take takes the client's response to a permission request. It asks the next question, or responds
// to the agent. The lock is not held.
func (a *Adapter) take(d *dialogue, result []byte) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	if d.asked == "" {
		return // it was withdrawn meanwhile
	}
	option, status := selected(result), "completed"
	if option == "" {
		status = "failed"
	}
	a.close(d, status)
	if final := d.choose(option); final != nil {
		d.respond("the reader has chosen", final)
	} else {
		a.ask(d)
	}
}

// choose notes the option that was chosen. It returns the result for the agent, or nil if there is
// more to ask.
func (d *dialogue) choose(option string) (final []byte) {
	q := d.questions[len(d.chosen)]
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

// cancel ends the dialogues of a session whose turn the client cancels, and asks nothing later for
// its requests. The lock is not held.
func (a *Adapter) cancel(session string) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	for _, d := range a.dialogues.All() {
		if d.session == session {
			a.close(d, "failed")
			d.respond(whyCancelled, d.cancelled)
		}
	}
	for r := range a.lines.All() {
		if r.Session == session || r.Session == "" {
			a.lines.Delete(r)
		}
	}
}

// withdraw cancels the permission request of a dialogue whose request has ended, if one is open.
func (a *Adapter) withdraw(d *dialogue) {
	if asked := d.asked; asked != "" {
		a.close(d, "failed")
		line := wire.Quote([]byte(`{"jsonrpc":"2.0","method":"`+conversation.CancelRequest+`","params":{"requestId":`), asked)
		a.Send(dispatch.Client, append(line, "}}\n"...), whyWithdrawn)
	}
}

// close ends what the client shows of the question that is asked. A response that comes after that
// is dropped.
func (a *Adapter) close(d *dialogue, status string) {
	if d.asked == "" {
		return
	}
	a.opts.Own.Forget(d.asked)
	update := wire.Quote([]byte(`{"sessionUpdate":"tool_call_update","toolCallId":`), d.asked)
	update = wire.Quote(append(update, `,"status":`...), status)
	a.Send(dispatch.Client, wire.SessionUpdate(d.session, append(update, '}')), whyAsked)
	d.asked = ""
}

// respond responds to the agent's request.
func (d *dialogue) respond(why string, result []byte) {
	id := wire.Pointer{"id"}.Raw(d.held.Line())
	d.held.Because(why).AnswerLocked(wire.Result(id, result))
}
