package questions

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate"
)

// A question has a closed list of answers.
type question struct {
	name     string   // the form's field, or the id of Cursor's question
	title    string   // one line
	text     string   // the rest of the question, in markdown; may be empty
	answers  []answer // at least one
	none     string   // the name of the option that chooses no answer
	optional bool     // choosing no answer leaves the field out; otherwise it declines the request
}

type answer struct {
	name  string
	value []byte // JSON
}

// An inquiry is everything that one request of the agent asks.
type inquiry struct {
	questions []question // empty if the request is declined without asking
	notice    string     // markdown that the reader sees when it is declined; may be empty

	// The results of the request. The function accepted gets the chosen value of each question, or
	// nil where none was chosen. At least one is not nil.
	accepted            func(chosen [][]byte) []byte
	declined, cancelled []byte
}

// read reads a request of the agent. It returns false if the request is not a question.
func read(method string, params *wire.Object) (q inquiry, ok bool) {
	switch {
	case params == nil:
		return inquiry{}, false
	case method == acp.ElicitationCreate:
		return readForm(params)
	case method == task:
		return inquiry{declined: taskResult(params)}, true
	case method == createPlan:
		return readPlan(params), true
	}
	return readCursor(params), true
}

// size returns about how many bytes an inquiry takes.
func (q inquiry) size() int {
	size := len(q.notice) + len(q.declined) + len(q.cancelled)
	for _, q := range q.questions {
		size += 128 + len(q.name) + len(q.title) + len(q.text) + len(q.none)
		for _, answer := range q.answers {
			size += 64 + len(answer.name) + len(answer.value)
		}
	}
	return size
}

// A dialogue asks the questions of one request, one after the other.
type dialogue struct {
	inquiry
	held    *dispatch.Held // the request, or the client's refusal of it
	session string
	call    string // the id of the agent's call that the questions are about; empty if acpshim makes calls
	asked   string // the id of the pending permission request; empty if there is none
	isAgain bool   // the question is asked for the second time
	chosen  [][]byte
}

// The ids of options.
const (
	again    = "again"
	leave    = "leave"
	noAnswer = "none"
	numbered = "choice-" // the prefix of answers
)

// begin starts a dialogue for m, which is a request of the agent or the client's refusal of it. If
// there is nothing to ask or no room, it declines the request and shows the notice.
func (a *Adapter) begin(m *dispatch.Message, params *wire.Object, q inquiry) {
	d := &dialogue{inquiry: q}
	if d.session = a.sessionOf(params); d.session != "" && len(q.questions) > 0 && !a.isFull() {
		d.held = m.Hold(dispatch.Unlimited)
	}
	if d.held == nil {
		a.decline(m, d)
		return
	}
	if id, _ := params.Text("toolCallId"); a.hasCall(d.session, id) {
		d.call = id
	}
	if a.dialogues.Put(d.held.Request, d, d.size()+len(d.session)+len(d.call)) {
		a.ask(d)
	} else {
		d.respond(whyWithdrawn, d.declined)
	}
}

// sessionOf returns the session of a request. Requests of Cursor do not name one: sessionOf then
// returns the session of the only pending prompt, or "" if there are several or none.
func (a *Adapter) sessionOf(params *wire.Object) string {
	if id, ok := params.Text("sessionId"); ok {
		return id
	}
	id, _ := a.conversation.OnlyPrompt()
	return id
}

func (a *Adapter) isFull() bool {
	return len(maps.Collect(a.dialogues.All())) >= maxOpen
}

// decline declines a request and shows the notice.
func (a *Adapter) decline(m *dispatch.Message, d *dialogue) {
	if d.session != "" && d.notice != "" {
		id := "acpshim-question-" + string(bytes.Trim(m.ID, `"`))
		chunk := translate.AppendMessage(nil, acp.AgentMessageChunk, translate.Message{MessageID: id, Text: d.notice})
		a.Pass(dispatch.Agent, wire.SessionUpdate(d.session, chunk), whyAsked)
	}
	if m.Kind == dispatch.Request {
		m.Answer(wire.Result(m.ID, d.declined))
		return
	}
	refusal := m.Object.Get("error")
	m.Edit(wire.Edit{Span: wire.Span{Start: refusal.Key.Start, End: refusal.Value.End}, With: append([]byte(`"result":`), d.declined...)})
}

// ask sends the next question.
func (a *Adapter) ask(d *dialogue) {
	q := d.questions[len(d.chosen)]
	d.asked = a.own.Begin(a.Name(), func(result, _ []byte) []byte {
		a.take(d, result)
		return nil
	})
	call := fmt.Sprintf(`"toolCallId":%s,"title":%s`, quote(cmp.Or(d.call, d.asked)), quote(q.title))
	var lines []byte
	if d.call == "" {
		call += `,"kind":"other","status":"pending"`
		lines = wire.SessionUpdate(d.session, []byte(`{"sessionUpdate":"tool_call",`+call+`}`))
	}
	if q.text != "" {
		call += fmt.Sprintf(`,"content":[{"type":"content","content":{"type":"text","text":%s}}]`, quote(q.text))
	}
	options := [][]byte{option(again, "Ask me again")}
	if d.isAgain {
		options[0] = option(leave, "Do not answer here")
	}
	for i, answer := range q.answers {
		options = append(options, option(numbered+strconv.Itoa(i), answer.name))
	}
	options = append(options, option(noAnswer, q.none))
	lines = fmt.Appendf(lines, `{"jsonrpc":"2.0","id":%s,"method":"session/request_permission","params":{"sessionId":%s,"toolCall":{%s},"options":[%s]}}`+"\n",
		quote(d.asked), quote(d.session), call, bytes.Join(options, []byte(",")))
	if !a.Send(dispatch.Agent, lines, whyAsked) {
		a.close(d, acp.StatusFailed)
		d.respond(whyWithdrawn, d.cancelled)
	}
}

// option returns an option. All options have the kind that clients choose first on their own. They
// then get the first or the last option, which are neutral.
func option(id, name string) []byte {
	return fmt.Appendf(nil, `{"optionId":%s,"name":%s,"kind":"allow_once"}`, quote(id), quote(name))
}

func quote(text string) []byte { return wire.Quote(nil, text) }

// take takes the client's response to a permission request. It asks the next question, or responds
// to the agent.
func (a *Adapter) take(d *dialogue, result []byte) {
	if d.asked == "" {
		return // the question was withdrawn
	}
	option, status := selected(result), acp.StatusCompleted
	if option == "" {
		status = acp.StatusFailed
	}
	a.close(d, status)
	if final := d.choose(option); final != nil {
		d.respond(whyChosen, final)
	} else {
		a.ask(d)
	}
}

// choose records the chosen option. It returns the result for the agent, or nil if there is more to
// ask.
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

// selected returns the id of the chosen option in the result of a permission request, or "".
func selected(result []byte) string {
	o, err := wire.Parse(result, "outcome")
	outcome := o.Open("outcome")
	if name, _ := outcome.Text("outcome"); err != nil || name != acp.OutcomeSelected {
		return ""
	}
	id, _ := outcome.Text("optionId")
	return id
}

// cancel ends the dialogues of a session when the client cancels its turn. It also forgets the kept
// requests of Cursor, so that they are not asked later.
func (a *Adapter) cancel(session string) {
	for _, d := range a.dialogues.All() {
		if d.session == session {
			a.close(d, acp.StatusFailed)
			d.respond(whyCancelled, d.cancelled)
		}
	}
	for r := range a.lines.All() {
		if r.Session == session || r.Session == "" {
			a.lines.Delete(r)
		}
	}
}

// withdraw cancels the pending permission request of a dialogue, if there is one.
func (a *Adapter) withdraw(d *dialogue) {
	if asked := d.asked; asked != "" {
		a.close(d, acp.StatusFailed)
		line := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"%s","params":{"requestId":%s}}`+"\n", acp.CancelRequest, quote(asked))
		a.Send(dispatch.Agent, line, whyWithdrawn)
	}
}

// close ends the tool call that shows the pending question, unless it is the agent's. A later
// response of the client is dropped.
func (a *Adapter) close(d *dialogue, status string) {
	if d.asked == "" {
		return
	}
	a.own.Forget(d.asked)
	if d.call == "" {
		update := fmt.Appendf(nil, `{"sessionUpdate":"tool_call_update","toolCallId":%s,"status":"%s"}`, quote(d.asked), status)
		a.Send(dispatch.Agent, wire.SessionUpdate(d.session, update), whyAsked)
	}
	d.asked = ""
}

func (d *dialogue) respond(why wire.Reason, result []byte) {
	id := wire.Pointer{"id"}.Raw(d.held.Line())
	d.held.Because(why).Answer(wire.Result(id, result))
}
