package clients

import (
	"bytes"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/conformance"
)

// A life says whether the connection lives on after messages that the client does not know. After
// each of them the agent asks a question, to which a client that lives responds with an error.
type life struct {
	answers  bool     // the client has responded to the question before
	open     *request // the last question
	hard     string   // the notifications since the last response to it; "" if there are none
	isNew    bool     // one of them is of a kind that later versions may have
	toldAll  bool     // the last one was sent that a client may not know
	lastTold string   // the last notification
	isClosed bool     // by the client
}

// unknownUpdate is a kind of update that no client knows.
const unknownUpdate = "acpshim_unknown_update"

// sent notes a line of the agent.
func (j *judge) sent(line []byte) {
	j.n++
	message, err := wire.Parse(bytes.TrimSpace(line), "params", "params.update", "result")
	if err != nil {
		return
	}
	id := message.Raw("id")
	method, _ := message.Text("method")
	params := message.Open("params")
	session, _ := params.Text("sessionId")
	switch {
	case method == "":
		if r := j.pending[wire.ID(id)]; r != nil {
			delete(j.pending, wire.ID(id))
			if name, ok := message.Open("result").Text("sessionId"); ok && r.method == acp.SessionNew {
				j.sessions[name] = true
			}
		}
	case id == nil:
		j.life.tell(j.n, method, params.Open("update"))
	default:
		r := &request{n: j.n, id: id, method: method, session: session, line: line, at: j.now}
		j.asked[wire.ID(id)] = r
		if method == methodAsk {
			j.life.open = r
		}
	}
}

// tell notes a notification.
func (l *life) tell(n int, method string, update *wire.Object) {
	kind, _ := update.Text("sessionUpdate")
	l.lastTold = number(n) + " " + method
	if kind != "" {
		l.lastTold += " (" + kind + ")"
	}
	l.toldAll = l.toldAll || kind == unknownUpdate
	if l.open != nil && !l.open.isAnswered {
		return // what comes after the question does not matter for it
	}
	l.isNew = l.isNew || method == methodTell || kind == unknownUpdate
	l.hard = l.lastTold
}

// answered notes the response to a request: the client lives.
func (l *life) answered(j *judge, r *request) {
	if l.toldAll {
		j.tried[ruleSilent], j.tried[ruleUpdates] = true, true
	}
	if r.method == methodAsk {
		l.answers = true
	}
	l.hard, l.isNew = "", false
}

// isDead reports whether the client no longer responds to a question that it responded to before.
// It is so while the question is open, because a client may end the agent at any time.
func (l *life) isDead(j *judge) bool {
	isOpen := l.open != nil && !l.open.isAnswered && !j.isAsking(l.open)
	return l.answers && l.hard != "" && (isOpen || l.isClosed && l.isNew)
}

// fault returns the fault of a client that is dead.
func (l *life) fault() conformance.Fault {
	got := "no response to the agent's next request " + l.open.name() + ", although you responded to such a request before"
	if l.open.isAnswered {
		got = "the end of the connection"
	}
	return conformance.Fault{Sent: l.hard, Got: got, Text: "ignore what you do not know: it MUST NOT end the connection", Advice: !l.isNew}
}
