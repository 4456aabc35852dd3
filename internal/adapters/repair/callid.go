package repair

import (
	"fmt"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A clientID is the id under which the client knows a call. It differs from the agent's id if the
// agent has used that before, for a call that has ended.
//
//   - Settles: A tool call of an earlier turn changes or disappears: the agent numbers its calls
//     anew in each turn, and the client keeps one call for each id.
//   - For: openclaw with models that number their calls. kimchi before August 2026.
//   - Keys: repair.call_ids
//   - Read: getkimchi/kimchi#964, openclaw/openclaw#109447
type clientID struct {
	number int // 0 for the agent's id, which the first call has
}

func (c clientID) of(id string) string { return fmt.Sprintf("%s~%d", id, c.number) }

// unused returns the number of an id that neither the agent nor acpshim has used in the session,
// for a call with an id that the agent has used before.
func (a *ToolCalls) unused(session, id string, is *call) int {
	for next := (clientID{max(is.client.number, 1) + 1}); ; next.number++ {
		_, all := a.of(session, true)
		if all == nil {
			return 0
		}
		if all.has(next.of(id)) {
			continue
		}
		if used := a.add(session, next.of(id), true); used != nil {
			used.isEnded = true // if the agent uses it, too, that call gets another one
			all.renamed++
			return next.number
		}
		return 0
	}
}

// clientID returns the id under which the client knows a call.
func (a *ToolCalls) clientID(session, id string) string {
	if is := a.find(session, id, true); a.On.NewIDs && is != nil && is.client.number > 0 {
		return is.client.of(id)
	}
	return id
}

// ended notes that acpshim ends a call, and returns the id under which the client knows it.
func (a *ToolCalls) ended(session, id string) string {
	a.find(session, id, true).note(acp.StatusFailed, true)
	return a.clientID(session, id)
}

// named are the places where messages of the agent name a call.
var named = []wire.Pointer{
	{"params", "toolCallId"},
	{"params", "toolCall", "toolCallId"},
	{"params", "update", "toolCallId"},
	{"params", "toolCall", "_meta", "claudeCode", "parentToolUseId"},
	{"params", "toolCall", "_meta", "parentToolCallId"},
	{"params", "toolCall", "_meta", "parentToolUseId"},
	{"params", "update", "_meta", "claudeCode", "parentToolUseId"},
	{"params", "update", "_meta", "parentToolCallId"},
	{"params", "update", "_meta", "parentToolUseId"},
}

// newIDs returns the edits by which a line of the agent, in place of m, names calls as the client
// knows them.
func (a *ToolCalls) newIDs(m *dispatch.Message, line []byte) (edits []wire.Edit) {
	session := m.Session
	if session == "" {
		session, _ = a.conversation.OnlyPrompt()
	}
	_, all := a.of(session, true)
	if !a.On.NewIDs || all == nil || all.renamed == 0 {
		return nil
	}
	for _, place := range named {
		span, ok := place.Find(line)
		if id, isText := wire.Text(line[span.Start:span.End]); ok && isText && a.clientID(session, id) != id {
			edits = append(edits, wire.Edit{Span: span, With: wire.Quote(nil, a.clientID(session, id))})
		}
	}
	return edits
}
