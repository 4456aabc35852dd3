package telemetry

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/system/otlp"
)

// A tool is a tool call.
type tool struct {
	span               *otlp.Span
	turn               *turn // nil for a tool call outside of prompts
	name, kind, status string
	title              string
	input, output      string // only with Options.Contents
	ended              bool
}

// toolNames has the places where agents put the tool's name. The first one that exists counts.
var toolNames = []wire.Pointer{{"name"}, {"_meta", "claudeCode", "toolName"}, {"_meta", "goose", "toolCall", "toolName"}}

// addNotification notes an update of the agent, or that the client cancels a prompt.
func (t *tracer) addNotification(m *history.Message) {
	s := t.sessions[m.Session]
	fromAgent := m.Message.Dir == record.Agent
	switch {
	case m.Method == acp.SessionCancel && !fromAgent:
		if s != nil && s.turn != nil {
			t.addEvent(m, s.turn.span, "acp.session_cancel")
		}
	case m.Method != acp.SessionUpdate || !fromAgent:
	case m.Update == acp.ToolCall || m.Update == acp.ToolCallUpdate:
		if s = t.session(m.Session); s.loading == 0 || s.turn != nil {
			t.updateTool(m, s, updateAt.Raw(m.JSON))
		}
	case m.Update == acp.ConfigOptionUpdate:
		o, _ := wire.Parse(updateAt.Raw(m.JSON))
		t.noteModel(m.Session, o, "")
	case s != nil && s.turn != nil && m.Update == acp.AgentMessageChunk:
		t.addChunk(m, s.turn)
	}
}

var updateAt = wire.Pointer{"params", "update"}

// addChunk notes the first chunk of a message in a prompt. With contents it adds the chunk's text.
func (t *tracer) addChunk(m *history.Message, turn *turn) {
	if !turn.hasText {
		turn.hasText = true
		t.addEvent(m, turn.span, "acp.first_message_chunk")
	}
	if room := maxContent - turn.contents.Len(); t.opts.Contents && room > 0 {
		turn.contents.WriteString(otlp.Cut(m.ChunkText(), room))
	}
}

func (t *tracer) addEvent(m *history.Message, span *otlp.Span, name string) {
	if len(span.Events) < 16 {
		span.Events = append(span.Events, otlp.Event{Time: t.unixNano(m.Mono), Name: name})
	}
}

// updateTool begins, updates or ends a tool call. It returns nil if the update has no id, if the
// tool call has ended, or if too many spans are open.
func (t *tracer) updateTool(m *history.Message, s *session, raw []byte) *tool {
	o, _ := wire.Parse(raw)
	id, _ := o.Text("toolCallId")
	if id = otlp.Cut(id, maxText); id == "" {
		return nil
	}
	c := s.tools[id]
	if c == nil {
		c = t.beginTool(m, s, id)
	}
	if c == nil || c.ended {
		return nil
	}
	t.noteUpdate(c, o, raw)
	if acp.IsOver(c.status) {
		t.endTool(c, m.Mono)
	}
	return c
}

// beginTool begins a tool call. It returns nil if too many spans are open.
func (t *tracer) beginTool(m *history.Message, s *session, id string) *tool {
	if t.known >= maxTools {
		t.forgetEnded()
	}
	var parent *otlp.Span
	if s.turn != nil {
		parent = s.turn.span
	}
	span := t.beginSpan(m, parent, "tool", id)
	if span == nil {
		return nil
	}
	span.Kind = otlp.KindInternal
	span.Add(otlp.Text("gen_ai.operation.name", "execute_tool"), otlp.Text("gen_ai.tool.call.id", id),
		otlp.Text("gen_ai.conversation.id", otlp.Cut(m.Session, maxText)))
	c := &tool{span: span, turn: s.turn}
	s.tools[id] = c
	t.known++
	return c
}

// forgetEnded forgets tool calls that have ended. A later update of one begins a new tool call.
func (t *tracer) forgetEnded() {
	for _, s := range t.sessions {
		before := len(s.tools)
		maps.DeleteFunc(s.tools, func(_ string, c *tool) bool { return c.ended })
		t.known -= before - len(s.tools)
	}
}

// noteUpdate takes the members of an update. Members that it omits keep their values.
func (t *tracer) noteUpdate(c *tool, o *wire.Object, raw []byte) {
	text := func(name string) string {
		value, _ := o.Text(name)
		return otlp.Cut(value, maxText)
	}
	c.kind, c.status = cmp.Or(text("kind"), c.kind), cmp.Or(text("status"), c.status)
	for _, place := range toolNames {
		if name, _ := wire.Text(place.Raw(raw)); name != "" {
			c.name = otlp.Cut(name, maxText)
			break
		}
	}
	if t.opts.Contents {
		c.title = cmp.Or(text("title"), c.title)
		c.input, c.output = cmp.Or(asText(o.Raw("rawInput")), c.input), cmp.Or(asText(o.Raw("rawOutput")), c.output)
	}
}

// endTool ends a tool call. Until the prompt ends, later updates with its id are ignored.
func (t *tracer) endTool(c *tool, mono time.Duration) {
	name := cmp.Or(c.name, c.kind, acp.KindOther)
	c.span.Name = "execute_tool " + name
	c.span.Add(
		otlp.Text("gen_ai.tool.name", name), otlp.Text("acp.tool_call.kind", c.kind), otlp.Text("acp.tool_call.status", c.status),
		otlp.Text("acp.tool_call.title", c.title),
		otlp.Text("gen_ai.tool.call.arguments", c.input), otlp.Text("gen_ai.tool.call.result", c.output),
	)
	if c.status == acp.StatusFailed {
		c.span.Fail("failed")
	}
	t.endSpan(c.span, mono)
	*c = tool{turn: c.turn, ended: true}
}

// endTools ends and forgets the tool calls of a prompt. A nil prompt means tool calls outside of
// prompts.
func (t *tracer) endTools(s *session, of *turn, mono time.Duration) {
	var open []*tool
	for id, c := range s.tools {
		if c.turn != of {
			continue
		}
		if !c.ended {
			open = append(open, c)
		}
		delete(s.tools, id)
		t.known--
	}
	slices.SortFunc(open, func(a, b *tool) int { return compareStart(a.span, b.span) })
	for _, c := range open {
		t.endTool(c, mono)
	}
}

// compareStart orders spans by their start.
func compareStart(a, b *otlp.Span) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), bytes.Compare(a.ID[:], b.ID[:]))
}
