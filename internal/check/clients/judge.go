// Package clients judges clients by what they send to the test agent of the demo.
package clients

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/check/conformance"
)

// The rules, as [conformance.Find] knows them.
const (
	ruleLines        = "client-stdin-json"
	ruleEnvelope     = "client-envelope"
	ruleInitialize   = "client-initialize"
	ruleInfo         = "client-info"
	ruleSession      = "client-session-new"
	ruleSessionFirst = "client-session-first"
	ruleAnnounced    = "client-announced-methods"
	ruleContent      = "client-content"
	ruleMCP          = "client-mcp"
	ruleResponds     = "client-responds"
	ruleUnknown      = "client-unknown-method"
	ruleSilent       = "client-notification-silent"
	rulePermission   = "client-permission"
	ruleCancel       = "client-cancel"
	ruleOpen         = "client-cancel-permission"
	ruleUpdates      = "client-unknown-update"
	ruleFiles        = "client-fs"
)

// untried says for each rule what the client has to do, so that the rule can be tried.
var untried = map[string]string{
	ruleLines: "you sent nothing", ruleEnvelope: "you sent no message", ruleInitialize: "you sent no request", ruleInfo: "you did not send initialize",
	ruleSession: "create a session", ruleAnnounced: "create a session", ruleMCP: "create a session with an MCP server",
	ruleSessionFirst: "send a prompt", ruleContent: "send a prompt",
	ruleResponds: "send a prompt, and let the turn end", ruleUnknown: "send a prompt, and let the turn end", ruleSilent: "send a prompt, and let the turn end",
	ruleUpdates: "send a prompt, and let the turn end", rulePermission: "send a prompt, and choose an option of the permission request",
	ruleCancel: `cancel a turn: with the prompt "wait" it lasts until then`,
	ruleOpen:   "cancel a turn while the permission dialogue is open",
	ruleFiles:  "you announce neither clientCapabilities.fs nor clientCapabilities.terminal",
}

// A judge finds what a client does wrong. It is told every line, and what time it is then.
type judge struct {
	now    time.Time
	n      int // the number of the last message
	tried  map[string]bool
	faults []fault

	peer           *conformance.Peer   // what the client says about itself
	initialization []byte              // the request
	isNewer        bool                // it asked for another version, and has sent nothing since
	asked          map[string]*request // by the agent; by [wire.ID]
	pending        map[string]*request // by the client
	sessions       map[string]bool
	prompts        map[string]int // the number of the last prompt of each session
	life           life
}

// A request is one of the agent or of the client.
type request struct {
	n       int
	id      []byte
	method  string
	session string
	line    []byte
	at      time.Time

	isAnswered bool // by a response, or by one with a wrong id
	cancelled  int  // the number of the session/cancel that came before its response
}

// A fault is one time that the client broke a rule.
type fault struct {
	rule string
	conformance.Fault
	about *request // a request whose response would undo the fault; else nil
}

// maxFaults is how many faults are kept.
const maxFaults = 1000

func newJudge() *judge {
	return &judge{tried: map[string]bool{}, asked: map[string]*request{}, pending: map[string]*request{}, sessions: map[string]bool{}, prompts: map[string]int{}}
}

// fault adds a fault. Sent is what the agent sent, got what the client did.
func (j *judge) fault(rule, sent, got, text string) *fault {
	if len(j.faults) == maxFaults {
		return &fault{}
	}
	j.faults = append(j.faults, fault{rule: rule, Fault: conformance.Fault{Sent: sent, Got: got, Text: text}})
	return &j.faults[len(j.faults)-1]
}

// advise is [judge.fault] for what the protocol only recommends.
func (j *judge) advise(rule, sent, got, text string) *fault {
	f := j.fault(rule, sent, got, text)
	f.Advice = true
	return f
}

// withdraw removes the faults that a response undoes. It reports whether there were any.
func (j *judge) withdraw(about *request) (had bool) {
	kept := j.faults[:0]
	for _, f := range j.faults {
		if f.about == about {
			had = true
		} else {
			kept = append(kept, f)
		}
	}
	j.faults = kept
	return had
}

// report returns what was found until now.
func (j *judge) report(redact func(string) string) conformance.Report {
	c := conformance.NewCollector(wire.Client)
	c.Redact = redact
	for rule := range j.tried {
		c.Tried(rule)
	}
	for _, f := range j.faults {
		c.Fault(f.rule, f.Fault)
	}
	if j.life.isDead(j) {
		c.Fault(ruleUpdates, j.life.fault())
	}
	for _, rule := range conformance.Names(wire.Client) {
		if j.isNewer {
			c.Skip("you asked for another version, and sent nothing after the agent's version 1", rule)
		}
		c.Skip(untried[rule], rule)
	}
	r := c.Report()
	r.Client = j.peer
	if r.Client == nil {
		r.Client = &conformance.Peer{}
	}
	return r
}

// number returns #n.
func number(n int) string { return "#" + strconv.Itoa(n) }

// name returns the number and the method of a request, with its id if that is unusual.
func (r *request) name() string {
	text := number(r.n) + " " + r.method
	if id := string(r.id); id == "0" || strings.HasPrefix(id, `"`) {
		text += " (id " + id + ")"
	}
	return text
}

// kind returns the JSON type of a raw value.
func kind(raw []byte) string {
	switch {
	case raw == nil:
		return "missing"
	case raw[0] == '"':
		return "a string"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	case raw[0] == 't' || raw[0] == 'f':
		return "a boolean"
	case raw[0] == 'n':
		return "null"
	}
	return "a number"
}

// quote returns a raw value as a report shows it.
func quote(raw []byte) string { return cmp.Or(short(string(raw)), "missing") }
