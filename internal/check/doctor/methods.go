package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
)

// A method describes a request that agents may know.
type method struct {
	name     string
	announce string // the capability that announces it, as a JSON Pointer; "" for none
}

// probed lists methods of a version that need no session. It has none that changes something
// (logout, authenticate, session/new).
func probed(version int) []method {
	if version == 2 {
		return []method{
			{acp.SessionList, ""},
			{acp.SessionResume, ""},
			{acp.SessionClose, ""},
			{acp.SessionFork, "/session/fork"},
			{acp.SessionDelete, "/session/delete"},
			{acp.SessionSetConfigOption, ""},
		}
	}
	return []method{
		{acp.SessionList, "/sessionCapabilities/list"},
		{acp.SessionLoad, "/loadSession"},
		{acp.SessionResume, "/sessionCapabilities/resume"},
		{acp.SessionFork, "/sessionCapabilities/fork"},
		{acp.SessionClose, "/sessionCapabilities/close"},
		{acp.SessionDelete, "/sessionCapabilities/delete"},
		{acp.SessionSetMode, ""},
		{acp.SessionSetModel, ""},
		{acp.SessionSetConfigOption, ""},
	}
}

// invented is a method that no agent knows. SDKs route names that begin with "_" to the agent, and
// many agents have a result for all of these, so it does not begin with that.
const invented = "acpshim/made_up"

// methodTime is the time for the responses to all methods together.
const methodTime = 5 * time.Second

// The outcomes of probing a method.
const (
	known   = "known"
	unknown = "unknown"
	login   = "login"  // is refused without a login
	silent  = "silent" // nothing came in time
)

// methods reports which methods the agent knows. It sends them without their params and with an
// impossible session. An agent that knows a method refuses the params; an agent that does not know
// it says "method not found". Listing sessions needs no params.
func (x *examination) methods(ctx context.Context, p *peer.Process) {
	all := probed(x.report.Agent.Protocol)
	deadline := time.Now().Add(methodTime)
	madeUp := askFor(p, invented)
	var asked []*peer.Exchange
	for _, m := range all {
		asked = append(asked, askFor(p, m.name))
	}
	ofInvented := outcome(madeUp, p.Await(ctx, deadline, madeUp))
	by := map[string][]string{}
	for i, m := range all {
		word := outcome(asked[i], p.Await(ctx, deadline, asked[i]))
		x.report.Methods[m.name] = word
		by[word] = append(by[word], m.name)
	}
	if ctx.Err() != nil {
		return
	}
	x.knows(by, ofInvented)
	for _, m := range all {
		x.differs(m)
	}
}

// askFor sends a request that the agent cannot carry out.
func askFor(p *peer.Process, method string) *peer.Exchange {
	params := map[string]any{}
	if method != acp.SessionList {
		params["sessionId"] = -1
	}
	return p.Begin(method, params)
}

func outcome(e *peer.Exchange, err error) string {
	if err != nil {
		return silent
	}
	o, _ := wire.Parse(e.Failure())
	switch string(o.Raw("code")) {
	case wire.MethodNotFound:
		return unknown
	case "-32000":
		return login
	}
	return known
}

// knows reports the outcomes. If the agent treats the invented method like a known one, it says
// nothing that a method seems to be known.
func (x *examination) knows(by map[string][]string, ofInvented string) {
	if ofInvented != unknown {
		x.note("methods", fmt.Sprintf("the agent treats an invented method as %s, not as error -32601", ofInvented), "editors that probe for methods are misled; \"acpshim check\" tests the other rules of the protocol")
	}
	if ofInvented == known {
		delete(by, known)
	}
	short := func(word string) string {
		return "session/" + strings.ReplaceAll(strings.Join(by[word], ", "), "session/", "")
	}
	var parts []string
	if len(by[known]) > 0 {
		parts = append(parts, "knows "+short(known))
	} else if ofInvented == unknown {
		parts = append(parts, "knows none of the optional methods")
	}
	if len(by[unknown]) > 0 {
		parts = append(parts, "not "+short(unknown))
	}
	if parts != nil {
		x.ok("methods", strings.Join(parts, "; "))
	}
	x.loggedIn(by[login])
	if len(by[silent]) > 0 {
		x.note("methods", fmt.Sprintf("no response within %v to %s", methodTime, strings.Join(by[silent], ", ")), "an editor that calls them may wait forever")
	}
}

// differs reports methods that the agent announces but does not know.
func (x *examination) differs(m method) {
	if m.announce == "" || x.report.Methods[m.name] != unknown {
		return
	}
	pointer, _ := wire.ParsePointer(m.announce)
	if raw := pointer.Raw(x.report.Agent.Capabilities); len(raw) > 0 && !wire.IsAbsent(raw) && string(raw) != "false" {
		x.note("methods", fmt.Sprintf("it announces %s (%s) but does not know it", m.name, m.announce), "write a rule that deletes the capability")
	}
}

// loggedIn reports the login methods and whether the agent needs a login now.
func (x *examination) loggedIn(refused []string) {
	ways := x.report.Agent.AuthMethods
	switch {
	case len(refused) > 0 && len(ways) > 0:
		x.note("login", "not logged in: "+strings.Join(refused, ", ")+" is refused", "log in with "+strings.Join(ways, " or ")+", in the editor or with the agent's own command")
	case len(refused) > 0:
		x.note("login", "not logged in: "+strings.Join(refused, ", ")+" is refused", "log in with the agent's own command")
	case len(ways) > 0 && !x.Session:
		x.ok("login", "offers "+strings.Join(ways, " or ")+"; --session shows whether you need it")
	}
}
