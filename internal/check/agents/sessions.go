package agents

import (
	"os"
	"path/filepath"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
	"acpshim/internal/text/terminal"
)

// noSession is the id of a session that never was. Agents may want a UUID.
const noSession = "00000000-0000-4000-8000-acb5c4ec0000"

// A session is an open one.
type session struct {
	id  string
	new *peer.Exchange
}

// can reports whether the agent announces a capability of sessions, such as "list".
func (r *run) can(name string) bool {
	o, _ := wire.Parse(r.agent, acp.SessionCapabilities)
	return wire.IsObject(o.Open(acp.SessionCapabilities).Raw(name))
}

// loads reports whether the agent announces that it loads sessions.
func (r *run) loads() bool {
	o, _ := wire.Parse(r.agent)
	return string(o.Raw("loadSession")) == "true"
}

// sessions tries everything that needs a session.
func (p *process) sessions() {
	first, second := p.newSession(), (*session)(nil)
	if first != nil {
		second = p.newSession()
	}
	if first == nil || second == nil {
		return
	}
	p.tried("session-new", "session-order")
	if !p.loads() {
		p.skip(notAnnounced("loadSession"), "session-load", "session-load-unknown")
	}
	for _, name := range []string{"resume", "list", "close", "delete"} {
		if !p.can(name) {
			p.skip(notAnnounced(acp.SessionCapabilities+"."+name), "session-"+name)
		}
	}
	if first.id == second.id {
		p.fail("session-new", fault{sent: say(request{first.new}, " and ", request{second.new}), got: say("the id ", terminal.Quote(first.id), " twice, in ", first.new.Response, " and ", second.new.Response), text: "each sessionId is unique"})
	}
	for _, try := range []func(){
		p.withoutFolder,
		func() { p.modes(second) }, func() { p.options(second) },
		p.loadUnknown, p.resumeUnknown, p.list,
		func() { p.delete(first.id != second.id) },
		func() { p.cancelIdle(first) },
		func() { p.turns(first, second) },
		func() { p.close(second) },
	} {
		if p.lost != nil || p.run.ended != "" {
			break
		}
		try()
	}
}

// newSession opens a session. It returns nil if there is none.
func (p *process) newSession() *session {
	e, ok := p.ask(p.times.start, acp.SessionNew, map[string]any{"cwd": p.cwd, "mcpServers": []any{}})
	switch {
	case !ok && p.isLost("session-new"):
	case !ok:
		p.fail("session-new", fault{sent: say(request{e}), got: say(in(p.times.start))})
		p.run.ended = "there is no response to session/new"
	case p.needsLogin(e):
	case !wire.IsAbsent(e.Failure()):
		p.fail("session-new", fault{sent: say(request{e}, " with an absolute cwd"), got: say(reply{Exchange: e})})
		p.run.ended = "session/new failed"
	default:
		result, _ := wire.Parse(e.Result())
		if id, isText := result.Text("sessionId"); isText && id != "" {
			return &session{id, e}
		}
		p.tried("session-new")
		if wire.IsString(result.Raw("sessionId")) { // another type is against the schema
			p.fail("session-new", fault{sent: say(request{e}), got: say(e.Response, ` sessionId ""`)})
		}
		p.run.ended = "session/new returned no sessionId"
	}
	return nil
}

// withoutFolder asks for a session without a folder.
func (p *process) withoutFolder() {
	e, ok := p.ask(p.times.request, acp.SessionNew, map[string]any{"mcpServers": []any{}})
	switch {
	case !ok && p.lost == nil:
		p.fail("session-new", fault{sent: say(request{e}, " without cwd"), got: say(in(p.times.request)), text: "cwd is required: the response is an error"})
	case ok && wire.IsAbsent(e.Failure()):
		result, _ := wire.Parse(e.Result())
		p.folderless, _ = result.Text("sessionId")
		p.fail("session-new", fault{sent: say(request{e}, " without cwd"), got: say(reply{Exchange: e}), text: "cwd is required: the response is an error"})
	}
}

// in returns params that name a session, with the folder and MCP servers that opening it needs.
func (p *process) in(session string) map[string]any {
	return map[string]any{"sessionId": session, "cwd": p.cwd, "mcpServers": []any{}}
}

// isMissing reports whether an agent that announces a method does not know it.
func (p *process) isMissing(e *peer.Exchange) bool {
	if e.Response == nil || e.Response.Code() != wire.MethodNotFound {
		return false
	}
	p.fail("capabilities", fault{sent: say(request{e}, ", which the agent announces"), got: say(reply{Exchange: e}), text: "announced methods work"})
	return true
}

// loadUnknown loads a session that never was.
func (p *process) loadUnknown() {
	const rule = "session-load-unknown"
	if !p.loads() {
		return
	}
	e, ok := p.ask(p.times.request, acp.SessionLoad, p.in(noSession))
	switch {
	case p.isLost(rule):
	case p.isMissing(e):
		p.skip(say("the agent does not know session/load"), rule)
	case !ok:
		p.fail(rule, fault{sent: say(request{e}, " of a session that does not exist"), got: say(in(p.times.request))})
	case wire.IsAbsent(e.Failure()):
		p.fail(rule, fault{sent: say(request{e}, " of a session that does not exist"), got: say(reply{Exchange: e}), text: "the response is an error, such as -32002"})
	default:
		p.tried(rule)
	}
}

// resumeUnknown resumes a session that never was, which shows whether the agent knows the method.
func (p *process) resumeUnknown() {
	if p.can("resume") {
		e, _ := p.ask(p.times.request, acp.SessionResume, p.in(noSession))
		p.isMissing(e)
	}
}

func notAnnounced(capability string) phrase {
	return say("not announced (", acp.AgentCapabilities, ".", capability, ")")
}

// list reads the list of sessions: all, those of the folder, and those of an empty folder.
func (p *process) list() {
	const rule = "session-list"
	if !p.can("list") {
		return
	}
	empty := filepath.Join(p.cwd, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		return
	}
	for _, cwd := range []string{"", p.cwd, empty} {
		if _, ok := p.listed(cwd); !ok {
			return
		}
		p.tried(rule)
	}
}

// listed returns the ids of the listed sessions of a folder, or of all if it is "". It follows the
// cursor three times at most.
func (p *process) listed(cwd string) (ids []string, ok bool) {
	params := map[string]any{}
	if cwd != "" {
		params["cwd"] = cwd
	}
	for range 4 {
		e, came := p.ask(p.times.request, acp.SessionList, params)
		if !came || !wire.IsAbsent(e.Failure()) {
			p.unlisted(e, came)
			return nil, false
		}
		result, _ := wire.Parse(e.Result())
		sessions, _ := wire.Elements(result.Raw("sessions"))
		for _, raw := range sessions {
			s, _ := wire.Parse(raw)
			id, _ := s.Text("sessionId")
			if id != "" && id == p.folderless {
				continue
			}
			ids = append(ids, id)
			p.listedIn(e, cwd, s)
		}
		cursor, isText := result.Text("nextCursor")
		if !isText || cursor == "" {
			break
		}
		params["cursor"] = cursor
	}
	return ids, true
}

// unlisted judges a list that failed.
func (p *process) unlisted(e *peer.Exchange, came bool) {
	switch {
	case p.isLost("session-list"), p.isMissing(e), p.needsLogin(e):
		p.skip(say("session/list failed"), "session-list")
	case !came:
		p.fail("session-list", fault{sent: say(request{e}), got: say(in(p.times.request))})
	default:
		p.fail("session-list", fault{sent: say(request{e}), got: say(reply{Exchange: e})})
	}
}

// listedIn judges the folder of a listed session.
func (p *process) listedIn(e *peer.Exchange, cwd string, s *wire.Object) {
	is, isText := s.Text("cwd")
	switch {
	case !isText: // that is against the schema
	case !isAbsolute(is):
		p.fail("session-list", fault{sent: say(request{e}), got: say(e.Response, " cwd ", terminal.Quote(is)), text: "each cwd is absolute"})
	case cwd != "" && filepath.Clean(is) != filepath.Clean(cwd):
		p.fail("session-list", fault{sent: say(request{e}, " with the cwd ", terminal.Quote(cwd)), got: say(e.Response, " a session of ", terminal.Quote(is)), text: "with cwd, only sessions of that folder are listed", isAdvice: true})
	}
}

// delete deletes a session twice that was made for it.
func (p *process) delete(isUnique bool) {
	const rule = "session-delete"
	if !p.can("delete") {
		return
	}
	if !isUnique {
		p.skip(say("the ids of sessions are not unique"), rule)
		return
	}
	s := p.newSession()
	if s == nil {
		return
	}
	for i, which := range []string{"", " a second time"} {
		e, ok := p.ask(p.times.request, acp.SessionDelete, map[string]string{"sessionId": s.id})
		switch {
		case p.isLost(rule):
			return
		case p.isMissing(e):
			p.skip(say("the agent does not know session/delete"), rule)
			return
		case !ok || !wire.IsAbsent(e.Failure()):
			p.fail(rule, fault{sent: say(request{e}, which), got: say(reply{e, in(p.times.request)}), text: "deleting a session succeeds, also a second time", isAdvice: ok && i > 0})
		}
		p.tried(rule)
		if ids, ok := p.unlistedAfter(i); ok && slices.Contains(ids, s.id) {
			p.fail(rule, fault{sent: say(request{e}, " and ", acp.SessionList), got: say("the deleted session ", terminal.Quote(s.id), " in the list"), text: "a deleted session is not listed"})
		}
	}
}

// unlistedAfter lists the sessions after the first delete.
func (p *process) unlistedAfter(i int) (ids []string, ok bool) {
	if i > 0 || !p.can("list") || p.lost != nil {
		return nil, false
	}
	return p.listed(p.cwd)
}
