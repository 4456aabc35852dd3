package clients

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// methodAsk and methodTell are a request and a notification that no client knows.
const (
	methodAsk  = "_acpshim.dev/ask"
	methodTell = "_acpshim.dev/tell"
)

// limit is how long the agent waits for the response to a request that needs no person.
const limit = 10 * time.Second

// response judges a response of the client.
func (j *judge) response(line []byte, message *wire.Object) {
	id := message.Raw("id")
	r := j.asked[wire.ID(id)]
	at := "your " + number(j.n)
	switch {
	case wire.IsAbsent(id):
		j.fault(ruleSilent, j.life.lastTold, at+", a response without an id: "+content(message), "a notification never gets a response, not even an error")
		return
	case r == nil:
		j.unasked(id)
		return
	case r.isAnswered:
		j.fault(ruleResponds, r.name(), at+", a second response to it", "each request gets exactly one response")
		return
	}
	r.isAnswered = true
	if j.withdraw(r) { // it was overdue
		rule := ruleResponds
		if r.cancelled > 0 {
			rule = ruleOpen
		}
		j.advise(rule, r.name(), fmt.Sprintf("%s only after %s", at, j.now.Sub(r.at).Round(100*time.Millisecond)), "the agent waits for such a response")
	}
	j.life.answered(j, r)
	if r.method != methodAsk {
		j.tried[ruleResponds] = true
	}
	switch {
	case message.Get("error") != nil && !isInteger(message.Open("error").Raw("code")): // that is a fault already
	case r.method == methodAsk:
		j.unknown(r, message)
	case r.method == acp.SessionRequestPermission:
		j.permission(r, line, message)
	case strings.HasPrefix(r.method, "fs/"), strings.HasPrefix(r.method, "terminal/"):
		j.tried[ruleFiles] = true
		if string(message.Open("error").Raw("code")) == wire.MethodNotFound {
			j.fault(ruleFiles, r.name(), at+" error -32601", "you announced this method in clientCapabilities, so it has to work")
		}
		j.breaks(ruleFiles, r.method, r, line, "")
	}
}

// unasked judges a response to no request. One whose id has only the wrong type is known.
func (j *judge) unasked(id []byte) {
	text, _ := wire.Text(id)
	for _, r := range j.asked {
		own, _ := wire.Text(r.id)
		if !r.isAnswered && (string(r.id) == text || own == string(id)) {
			r.isAnswered = true
			j.withdraw(r)
			j.fault(ruleResponds, number(r.n)+" "+r.method+" with the id "+string(r.id)+" ("+kind(r.id)+")",
				"your "+number(j.n)+", a response with the id "+quote(id)+" ("+kind(id)+")", "the id MUST be the same value of the same type")
			return
		}
	}
	j.fault(ruleResponds, "", "your "+number(j.n)+", a response with the id "+quote(id)+" that no request of the agent has", "each response has the id of a request")
}

// unknown judges the response to a request that no client knows.
func (j *judge) unknown(r *request, message *wire.Object) {
	j.tried[ruleUnknown] = true
	if code := message.Open("error").Raw("code"); string(code) != wire.MethodNotFound {
		j.advise(ruleUnknown, r.name(), "your "+number(j.n)+" "+content(message), "error -32601 tells the agent that you do not know the method")
	}
}

// content returns an error or a result in short.
func content(message *wire.Object) string {
	if failure := message.Open("error"); failure != nil {
		return "error " + quote(failure.Raw("code")) + " " + quote(failure.Raw("message"))
	}
	return "result " + quote(message.Raw("result"))
}

// permission judges the response to a permission request.
func (j *judge) permission(r *request, line []byte, message *wire.Object) {
	request, _ := wire.Parse(r.line, "params")
	ids, isRight := offered(request.Open("params"))
	at := "your " + number(j.n) + " "
	outcome := message.Open("result").Open("outcome")
	name, _ := outcome.Text("outcome")
	option, _ := outcome.Text("optionId")
	if r.cancelled > 0 {
		j.tried[ruleOpen] = true
		if name != acp.OutcomeCancelled {
			j.fault(ruleOpen, r.name()+", which was open at your "+number(r.cancelled)+" session/cancel", at+content(message), `its outcome MUST be {"outcome": "cancelled"} then`)
		}
		return
	}
	if !isRight {
		return // refusing it is right
	}
	j.tried[rulePermission] = true
	switch {
	case message.Open("error") != nil && string(message.Open("error").Raw("code")) == wire.MethodNotFound:
		j.fault(rulePermission, r.name(), at+content(message), "every client MUST have this method")
	case message.Open("error") != nil:
		j.advise(rulePermission, r.name(), at+content(message), "select one of the options, or respond with cancelled after session/cancel")
	case outcome == nil:
		j.fault(rulePermission, r.name(), at+content(message), `the result is {"outcome": {"outcome": "selected", "optionId": ...}}`)
	case name == acp.OutcomeSelected && !slices.Contains(ids, option):
		j.fault(rulePermission, r.name(), at+"with the optionId "+quote(outcome.Raw("optionId")), "the options were "+strings.Join(ids, ", "))
	case name == acp.OutcomeCancelled:
		j.advise(rulePermission, r.name(), at+`with the outcome "cancelled"`, "that is for turns that are cancelled, and there was no session/cancel: select an option").about = r
	default:
		j.breaks(rulePermission, r.method, r, line, "")
	}
}

// offered returns the ids of the options of a permission request. It reports whether all have kinds
// of the protocol.
func offered(params *wire.Object) (ids []string, isRight bool) {
	options, _ := wire.Elements(params.Raw("options"))
	for _, option := range options {
		o, _ := wire.Parse(option)
		id, _ := o.Text("optionId")
		kind, _ := o.Text("kind")
		if !slices.Contains([]string{acp.AllowOnce, acp.AllowAlways, acp.RejectOnce, acp.RejectAlways}, kind) {
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, true
}

// cancel notes that the client cancels the turn of a session. Some clients respond to permission
// requests before that.
func (j *judge) cancel(session string) {
	for _, r := range j.asked {
		switch {
		case r.session != session || r.method != acp.SessionRequestPermission || r.n < j.prompts[session]:
		case !r.isAnswered:
			r.cancelled = j.n
		case j.withdraw(r):
			j.tried[ruleOpen] = true
		}
	}
}

// overdue judges that a request got no response in time.
func (j *judge) overdue(id []byte) {
	r := j.asked[wire.ID(id)]
	if r == nil || r.isAnswered || j.life.isDead(j) {
		return
	}
	const nothing = "no response in 10 s"
	switch {
	case r.cancelled > 0:
		j.tried[ruleOpen] = true
		j.fault(ruleOpen, r.name()+", which was open at your "+number(r.cancelled)+" session/cancel", "no response in 5 s", `you MUST respond with the outcome "cancelled"`).about = r
	case j.isAsking(r):
	case r.method != methodAsk:
		j.fault(ruleResponds, r.name(), nothing, "each request gets a response, at least an error").about = r
	case !j.life.answers:
		j.tried[ruleUnknown] = true
		j.fault(ruleUnknown, r.name(), nothing, "a response is a MUST, and an agent waits for it: respond with error -32601").about = r
	}
}

// isAsking reports whether the client may have been waiting for a person since before a request.
func (j *judge) isAsking(later *request) bool {
	for _, r := range j.asked {
		if !r.isAnswered && r.n < later.n && (r.method == acp.SessionRequestPermission || r.method == acp.ElicitationCreate) {
			return true
		}
	}
	return false
}

// closed judges what is open when the client closes the connection.
func (j *judge) closed() {
	j.life.isClosed = true
	for _, r := range j.asked {
		if open := j.now.Sub(r.at); !r.isAnswered && r.cancelled == 0 && r.method == acp.SessionRequestPermission && open >= limit && !j.life.isDead(j) {
			j.fault(ruleResponds, r.name(), "no response until you closed the connection "+open.Round(time.Second).String()+" later", "each request gets a response, at least an error")
		}
	}
}
