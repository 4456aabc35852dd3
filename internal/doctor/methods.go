package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"acpshim/internal/wire"
)

// A method is one that agents may know.
type method struct {
	name     string
	announce string // the capability that announces it, as a JSON Pointer; "" for none
}

// probed are methods of version 1 that can be asked without a session. Those that would change
// something if they were carried out (logout, authenticate, session/new) are not among them.
func probed() []method {
	return []method{
		{"session/list", "/sessionCapabilities/list"},
		{"session/load", "/loadSession"},
		{"session/resume", "/sessionCapabilities/resume"},
		{"session/fork", "/sessionCapabilities/fork"},
		{"session/close", "/sessionCapabilities/close"},
		{"session/delete", "/sessionCapabilities/delete"},
		{"session/set_mode", ""},
		{"session/set_model", ""},
		{"session/set_config_option", ""},
	}
}

// methodTime is how long all methods may take together.
const methodTime = 5 * time.Second

// The words for what came of a method.
const (
	known   = "known"
	unknown = "unknown"
	login   = "login"  // is refused without a login
	silent  = "silent" // nothing came in time
)

// methods says which methods the agent knows. All are sent without the params that they need and
// with a session that cannot be: an agent that knows one refuses that, and one that does not says
// "method not found". Listing sessions needs no params.
func (x *examination) methods(ctx context.Context, p *process) {
	all := probed()
	deadline := time.Now().Add(methodTime)
	madeUp := p.askFor("_acpshim/made_up")
	var asked []chan response
	for _, m := range all {
		asked = append(asked, p.askFor(m.name))
	}
	invented, err := p.await(ctx, deadline, madeUp)
	by := map[string][]string{}
	for i, m := range all {
		r, err := p.await(ctx, deadline, asked[i])
		word := outcome(r, err)
		x.report.Methods[m.name] = word
		by[word] = append(by[word], m.name)
	}
	if ctx.Err() != nil {
		return
	}
	x.knows(by, outcome(invented, err))
	for _, m := range all {
		x.differs(m)
	}
}

// askFor sends a request that cannot be carried out.
func (p *process) askFor(method string) chan response {
	id, came := p.lines.expect()
	params := map[string]any{}
	if method != "session/list" {
		params["sessionId"] = -1
	}
	p.write(request(id, method, params))
	return came
}

func outcome(r response, err error) string {
	if err != nil {
		return silent
	}
	o, _ := wire.Parse(r.err)
	switch string(o.Raw("code")) {
	case wire.MethodNotFound:
		return unknown
	case "-32000":
		return login
	}
	return known
}

// knows says what came of the methods; invented is what came of a method that does not exist.
func (x *examination) knows(by map[string][]string, invented string) {
	names := func(word string) string {
		return "session/" + strings.ReplaceAll(strings.Join(by[word], ", "), "session/", "")
	}
	if invented != unknown {
		x.note("methods", fmt.Sprintf("cannot be told: a method that there is not comes out as %s, not as error -32601", invented), "editors that try methods out will be misled")
		return
	}
	text := "knows none of those that sessions have"
	if len(by[known]) > 0 {
		text = "knows " + names(known)
	}
	if len(by[unknown]) > 0 {
		text += "; not " + names(unknown)
	}
	x.ok("methods", text)
	x.loggedIn(by[login])
	if len(by[silent]) > 0 {
		x.note("methods", fmt.Sprintf("no answer within %v to %s", methodTime, strings.Join(by[silent], ", ")), "an editor that calls them may wait for ever")
	}
}

// differs says where the agent announces a method and does not know it.
func (x *examination) differs(m method) {
	if m.announce == "" || x.report.Methods[m.name] != unknown {
		return
	}
	pointer, _ := wire.ParsePointer(m.announce)
	if raw := pointer.Raw(x.report.Agent.Capabilities); len(raw) > 0 && !wire.IsAbsent(raw) && string(raw) != "false" {
		x.note("methods", fmt.Sprintf("announces %s (%s) and does not know it", m.name, m.announce), "a rule can delete the capability")
	}
}

// loggedIn says how one logs in, and whether that is needed for some methods.
func (x *examination) loggedIn(refused []string) {
	ways := x.report.Agent.AuthMethods
	switch {
	case len(refused) > 0 && len(ways) > 0:
		x.note("login", "not logged in: "+strings.Join(refused, ", ")+" is refused", "log in by "+strings.Join(ways, " or ")+", in the editor or with the agent's own command")
	case len(refused) > 0:
		x.note("login", "not logged in: "+strings.Join(refused, ", ")+" is refused", "log in with the agent's own command")
	case len(ways) > 0 && !x.Session:
		x.ok("login", "by "+strings.Join(ways, " or ")+"; --session shows whether it is needed")
	}
}
