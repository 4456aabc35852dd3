package versions

import (
	"fmt"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// In version 1, notices and compactions are only for clients that announce support for them. To
// other clients, the agents that speak both versions send a message and a tool call instead.

// notice shows a notice as a message of the agent.
func (a *Agent) notice(m *dispatch.Message, s *session, update *wire.Object) {
	if a.announces("session", "notices") {
		return
	}
	title, _ := update.Text("title")
	text := "**" + title + "**"
	if description, _ := update.Text("description"); description != "" {
		text = "**" + title + ":** " + description
	}
	a.notices++
	block := textBlock(text)
	c := chunk{acp.AgentMessageChunk, fmt.Sprintf("acpshim-notice-%d", a.notices), open(block)}
	if s.messages.take(c) {
		block = withBlankLine(c.block, block)
	}
	m.Because(whyNotice)
	a.replaceUpdate(m, update, object(nil).text("sessionUpdate", c.kind).text("messageId", c.id).
		with("content", block).with("_meta", update.Raw("_meta")).json())
}

// compaction shows a compaction as a tool call, without its summary.
func (a *Agent) compaction(m *dispatch.Message, s *session, update *wire.Object) {
	id, _ := update.Text("compactionId")
	id = "acpshim-compaction-" + id
	announces := a.announces("session", "compaction")
	if len(id) > maxID || announces && m.Update != acp.CompactionUpdate {
		a.gated(m, update, "session", "compaction")
		return
	}
	of, isNew := s.calls.use(id)
	status := update.Raw("status")
	if status == nil {
		status = open(of.known.json()).Raw("status")
	}
	if wire.IsAbsent(status) {
		status = []byte(`"in_progress"`)
	}
	if announces { // version 1 requires the status
		s.calls.know(of, "status", status)
		setMember(m, update, "status", status)
		fit(m, update, sharedTo1[m.Update])
		return
	}
	m.Because(whyCompaction)
	if !isNew && m.Update != acp.CompactionUpdate {
		m.Drop()
		return
	}
	call := object(nil).text("toolCallId", id)
	if isNew {
		call = call.text("title", "Compact conversation").text("kind", acp.KindThink)
	}
	call = call.with("status", status)
	if failure, _ := update.Text("error"); failure != "" {
		call = call.with("content", wire.List([][]byte{note("Compaction failed: " + failure).raw}))
	}
	a.replaceUpdate(m, update, s.updateTo1(open(call.with("_meta", update.Raw("_meta")).json())))
}
