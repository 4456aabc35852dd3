package repair

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// SessionFolder is an adapter that opens an earlier session in its own folder. If the agent refuses
// the request (-32602), the adapter asks it for its sessions, and sends the request once more with
// the folder that the agent lists. That folder has to contain the client's, or be the same in
// another spelling. Otherwise the client gets the agent's error.
//
//   - Settles: An earlier session cannot be opened from another folder, such as a folder of its
//     project: the agent accepts only the folder in which the session began.
//   - For: opencode since its change of 2026-09-17. Its releases 1.18.31 and 1.18.33 on npm still
//     accept other folders.
//   - Keys: repair.session_folder
//   - Read: anomalyco/opencode#49563
type SessionFolder struct {
	repair
	conversation *conversation.Conversation
	own          *dispatch.OwnRequests
	lists        bool // the agent announces session/list
	openings     *conversation.Slot[*conversation.Request, opening]
}

// An opening is a pending request for an earlier session.
type opening struct {
	line    []byte
	isAgain bool // the agent has refused it before
}

// Limits of the search for a session. After maxSearch, the client gets the error.
const (
	maxSearch = 10 * time.Second
	maxPages  = 16
)

// invalidParams is the error code for a folder that the agent does not accept.
const invalidParams = "-32602"

// NewSessionFolder returns a SessionFolder adapter. Own are the requests that acpshim itself sends
// to the agent.
func NewSessionFolder(c *conversation.Conversation, own *dispatch.OwnRequests, isOn IsOn) *SessionFolder {
	return &SessionFolder{
		conversation: c, own: own, openings: conversation.NewSlot[*conversation.Request, opening](c),
		repair: newRepair(isOn),
	}
}

// Wants implements dispatch.Adapter.
func (a *SessionFolder) Wants() []dispatch.Want {
	if !a.On || !a.lists {
		return nil
	}
	methods := []string{acp.SessionLoad, acp.SessionResume}
	return []dispatch.Want{{From: dispatch.Client, Methods: methods}, {From: dispatch.Agent, Responses: methods, Sessions: true}}
}

// Negotiated implements dispatch.Negotiator.
func (a *SessionFolder) Negotiated(r *conversation.Request) {
	a.repair.Negotiated(r)
	a.lists = wire.IsObject(r.Agent.Capability(acp.SessionCapabilities, "list"))
}

// Handle implements dispatch.Adapter.
func (a *SessionFolder) Handle(m *dispatch.Message) {
	switch {
	case m.Method == acp.SessionLoad || m.Method == acp.SessionResume:
		if r := a.conversation.Pending(dispatch.Client, m.ID); len(m.Line) <= maxSent {
			a.openings.Put(r, opening{line: wire.EndLine(bytes.Clone(m.Line))}, len(m.Line))
		}
	case m.Request != nil && m.Request.Opens() && m.Code() == invalidParams:
		a.search(m)
	}
}

// search holds a refusal, and looks for the folder of the session.
func (a *SessionFolder) search(m *dispatch.Message) {
	of, ok := a.openings.Get(m.Request)
	if !ok || of.isAgain {
		return
	}
	m.Because(whyFolderRefused)
	h := m.Hold(maxSearch)
	if h == nil {
		return
	}
	of.isAgain = true
	a.openings.Put(m.Request, of, len(of.line))
	a.list(h, of.line, []byte("{}"), 1)
}

// list asks the agent for a page of its sessions.
func (a *SessionFolder) list(h *dispatch.Held, line, params []byte, page int) {
	id := a.own.Begin(a.Name(), func(result, _ []byte) []byte {
		a.listed(h, line, result, page)
		return nil
	})
	request := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n", wire.Quote(nil, id), acp.SessionList, params)
	if !a.Send(dispatch.Client, request, whyFolderSearched) {
		a.own.Forget(id)
		h.Continue(nil) // the agent reads no more
	}
}

// listed takes a page of the agent's sessions; result is nil if the agent has refused it.
func (a *SessionFolder) listed(h *dispatch.Held, line, result []byte, page int) {
	if !a.conversation.IsPending(h.Request) {
		return
	}
	answer, _ := wire.Parse(result)
	cursor := answer.Raw("nextCursor")
	switch folder, isListed := folderOf(answer.Raw("sessions"), h.Request.Session); {
	case isListed:
		if again := inFolder(line, folder); again != nil {
			h.Extend(dispatch.Unlimited) // as long as the first request
			h.Because(whyFolderFound).Again(again)
			return
		}
	case wire.IsString(cursor) && page < maxPages:
		a.list(h, line, append(append([]byte(`{"cursor":`), cursor...), '}'), page+1)
		return
	}
	h.Because(whyFolderUnknown).Continue(nil)
}

// folderOf returns the folder of a session in a list.
func folderOf(sessions []byte, id string) (folder string, ok bool) {
	for span, err := range wire.EachElement(sessions) {
		if err != nil {
			return "", false
		}
		session, _ := wire.Parse(sessions[span.Start:span.End])
		if listed, _ := session.Text("sessionId"); listed == id {
			return session.Text("cwd")
		}
	}
	return "", false
}

// inFolder returns a request with another folder, or nil if that folder neither contains the one of
// the request nor is the same in another spelling.
func inFolder(line []byte, folder string) []byte {
	o, _ := wire.Parse(line, "params")
	params := o.Open("params")
	cwd, ok := params.Text("cwd")
	if !ok || cwd == folder || !contains(folder, cwd) {
		return nil
	}
	return wire.Splice(nil, line, params.Set(wire.Setting{Name: "cwd", Value: wire.Quote(nil, folder)})...)
}

// contains reports whether a folder is another one, or contains it. It compares only the names.
func contains(folder, other string) bool {
	outer, isAbsolute := cleaned(folder)
	inner, isOtherAbsolute := cleaned(other)
	return isAbsolute && isOtherAbsolute && (inner == outer || strings.HasPrefix(inner, strings.TrimSuffix(outer, "/")+"/"))
}

// cleaned returns an absolute path in one spelling. On Windows, where it begins with a drive or a
// share, case does not count.
func cleaned(text string) (clean string, isAbsolute bool) {
	isShare := strings.HasPrefix(text, `\\`)
	if isShare || len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/') {
		text = strings.ToLower(strings.ReplaceAll(text, `\`, "/"))
		return path.Clean(strings.TrimLeft(text, "/")), true // never like a path of another system
	}
	return path.Clean(text), strings.HasPrefix(text, "/")
}
