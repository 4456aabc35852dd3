package remote

import (
	"fmt"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// opens reports whether a method opens a session.
func opens(method string) bool {
	switch method {
	case acp.SessionNew, acp.SessionLoad, acp.SessionResume, acp.SessionFork:
		return true
	}
	return false
}

// sessions is what a reconnect needs: the client's initialize and its sessions.
type sessions struct {
	initialize []byte // params
	canLoad    bool
	open       []openSession // oldest first
	size       int           // bytes of their params
	loading    map[string]bool
}

type openSession struct {
	id     string
	params []byte // of the request that opened the session
}

// Limits. The oldest sessions beyond them are not loaded again.
const (
	maxSessions     = 100
	maxSessionBytes = 1 << 20
)

// note records the response to a request.
func (s *sessions) note(r request, line []byte) {
	o, err := wire.Parse(line, "result", "result.agentCapabilities")
	if err != nil || o.Open("result") == nil && o.Get("result") == nil {
		return
	}
	switch {
	case r.method == acp.Initialize:
		s.initialize = r.params
		s.canLoad = string(o.Open("result").Open(acp.AgentCapabilities).Raw("loadSession")) == "true"
	case r.method == acp.SessionClose || r.method == acp.SessionDelete:
		s.forget(r.session)
	case opens(r.method) && r.params != nil:
		id, ok := o.Open("result").Text("sessionId")
		if !ok {
			id = r.session
		}
		s.forget(id)
		s.open = append(s.open, openSession{id, r.params})
		for s.size += len(r.params); len(s.open) > 0 && (len(s.open) > maxSessions || s.size > maxSessionBytes); {
			s.forget(s.open[0].id)
		}
	}
}

func (s *sessions) forget(id string) {
	s.open = slices.DeleteFunc(s.open, func(o openSession) bool {
		if o.id == id {
			s.size -= len(o.params)
		}
		return o.id == id
	})
}

// loads returns the request that loads a session again, with an id of acpshim. It returns nil if
// the params are not an object.
func (o openSession) loads(id string) []byte {
	params := wire.With(o.params, []string{"sessionId"}, wire.Quote(nil, o.id))
	if params == nil {
		return nil
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"session/load","params":%s}`, wire.Quote(nil, id), params)
}
