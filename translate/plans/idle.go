package plans

import (
	"bytes"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate"
	"acpshim/translate/entry"
)

// Idle is an adapter that sends a plan once more at the end of a turn if it has entries in
// progress, as pending ones. It never completes an entry. A document stays as it is, unless the
// client gets its entries as the legacy plan.
//
//   - Settles: A step of the plan spins forever after the end of the turn: the agent leaves it in
//     progress.
//   - For: Auggie. Every agent that updates its plan only with a tool.
//   - Keys: plan.idle
//   - Read: augmentcode/auggie#172, esengine/DeepSeek-Reasonix#10412, zed-industries/zed#52462
type Idle struct {
	dispatch.Switched[string] // pending; anything else does nothing
	c                         *conversation.Conversation
	plans                     *Adapter
	working                   *conversation.Slot[*conversation.Session, []working]
}

// A working plan has entries in progress.
type working struct {
	name string // plan and its id
	line []byte // the session/update that the client got
}

// maxWorking is the limit of the plans that are kept for a session, in bytes.
const maxWorking = 1 << 20

// NewIdle returns an Idle adapter for what the adapter of the plans sends. How returns the value of
// plan.idle for two peers.
func NewIdle(a *Adapter, how func(client, agent conversation.Implementation) string) *Idle {
	return &Idle{
		Switched: dispatch.Switched[string]{For: how}, c: a.c, plans: a,
		working: conversation.NewSlot[*conversation.Session, []working](a.c),
	}
}

// Name implements dispatch.Adapter.
func (*Idle) Name() string { return "plan" }

// Wants implements dispatch.Adapter.
func (a *Idle) Wants() []dispatch.Want {
	if a.On != "pending" {
		return nil
	}
	return []dispatch.Want{{
		From: dispatch.Agent, Updates: []string{acp.Plan, acp.PlanUpdate, acp.PlanRemoved}, Responses: []string{acp.SessionPrompt}, Sessions: true,
	}}
}

// Cares implements dispatch.Adapter.
func (a *Idle) Cares(_ dispatch.Side, _ wire.Head, r *conversation.Request) dispatch.Care {
	if r != nil && len(a.of(r.Session)) == 0 {
		return dispatch.No
	}
	return dispatch.Yes
}

// Handle implements dispatch.Adapter.
func (a *Idle) Handle(m *dispatch.Message) {
	switch {
	case m.Request != nil && m.Request.IsPrompt() && a.c.BeginsTurn(m.Request):
		a.end(m)
	case m.Method == acp.SessionUpdate:
		a.note(m)
	}
}

// of returns the working plans of a session.
func (a *Idle) of(session string) []working {
	s, _ := a.c.Find(session)
	all, _ := a.working.Get(s)
	return all
}

// note notes the plan that the client gets.
func (a *Idle) note(m *dispatch.Message) {
	update := m.Params().Open("update")
	u, err := translate.Decode(update)
	if err != nil {
		return
	}
	name := "" // of the legacy plan
	if m.Update != acp.Plan {
		name = "id " + u.ID
	}
	all := slices.DeleteFunc(slices.Clone(a.of(m.Session)), func(w working) bool { return w.name == name })
	if (u.Kind == translate.Legacy || u.Kind == translate.Items) && slices.ContainsFunc(u.Entries, isInProgress) && len(m.Line) < maxWorking {
		all = append(all, working{name, wire.EndLine(bytes.Clone(wire.Without(m.Line, "id")))})
	}
	a.keep(m.Session, all)
}

func isInProgress(e entry.Entry) bool { return e.Status == acp.EntryInProgress }

// keep sets the working plans of a session. It forgets the oldest ones without room.
func (a *Idle) keep(session string, all []working) {
	s, ok := a.c.Find(session)
	if len(all) == 0 {
		a.working.Delete(s)
		return
	}
	if !ok {
		s = a.c.Session(session)
	}
	size := 0
	for i, w := range slices.Backward(all) {
		if size += 64 + len(w.name) + len(w.line); size > maxWorking {
			all = slices.Clone(all[i+1:])
			break
		}
	}
	a.working.Put(s, all, size)
}

// end sends the plans of a session once more, before the response that ends its turn.
func (a *Idle) end(m *dispatch.Message) {
	var lines [][]byte
	for _, w := range a.of(m.Request.Session) {
		if line := pending(w.line); line != nil {
			lines = append(lines, line)
			a.plans.noteSent(m.Request.Session, line)
		}
	}
	a.keep(m.Request.Session, nil)
	m.Because(whyIdle)
	switch {
	case len(lines) == 0:
	case m.InBatch(): // lines before it would go before a plan in the batch
		m.Replace(append(lines, m.Line)...)
	default:
		m.Before(bytes.Join(lines, nil))
	}
}

// pending returns a plan with its entries in progress as pending ones, or nil if there are none.
func pending(line []byte) []byte {
	o, err := wire.Parse(line, translate.Paths...)
	plan := o.Open("params").Open("update")
	if inner := plan.Open("plan"); inner != nil {
		plan = inner
	}
	entries := plan.Get("entries")
	if err != nil || entries == nil {
		return nil
	}
	var edits []wire.Edit
	raw := line[entries.Value.Start:entries.Value.End]
	for span, err := range wire.EachElement(raw) {
		if err != nil {
			return nil
		}
		e, err := wire.Parse(raw[span.Start:span.End])
		if status, _ := e.Text("status"); err == nil && status == acp.EntryInProgress {
			at := e.Get("status").Value
			from := entries.Value.Start + span.Start
			edits = append(edits, wire.Edit{Span: wire.Span{Start: from + at.Start, End: from + at.End}, With: wire.Quote(nil, acp.EntryPending)})
		}
	}
	if edits == nil {
		return nil
	}
	return wire.Splice(nil, line, edits...)
}

// noteSent notes that the client has got another legacy plan of a session, so that the agent's next
// plan does not repeat the last one.
func (a *Adapter) noteSent(session string, line []byte) {
	o, _ := wire.Parse(line, translate.Paths...)
	u, err := translate.Decode(o.Open("params").Open("update"))
	of, _ := a.c.Find(session)
	if s, ok := a.sessions.Get(of); ok && err == nil && u.Kind == translate.Legacy {
		s.current().markShown(entry.DigestOf(u.Entries), true)
	}
}
