package shape

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Chunks is an adapter that makes the content of a piece of a message a block, as version 1 wants
// it. A list of blocks becomes one piece for each element, with all other members of the update.
// An element that is not understood is forwarded as it is, in a piece of its own. An empty list
// stays, because some clients fail on an empty text.
//
//   - Settles: An answer is empty: the agent writes its text without a type, as a string, next to
//     the kind of the update, or as a list, and strict clients reject each piece of it.
//   - For: Every client and agent.
//   - Keys: repair.chunks
//   - Read: chenhg5/cc-connect#434, chenhg5/cc-connect#432
type Chunks struct{ dispatch.Switched[bool] }

// NewChunks returns a Chunks adapter.
func NewChunks(isOn func(client, agent conversation.Implementation) bool) *Chunks {
	return &Chunks{dispatch.Switched[bool]{For: isOn, Wanted: []dispatch.Want{{
		From: dispatch.Agent, Contents: true, Updates: []string{acp.AgentMessageChunk, acp.AgentThoughtChunk, acp.UserMessageChunk},
	}}}}
}

// Name implements dispatch.Adapter.
func (*Chunks) Name() string { return "shape" }

// Cares implements dispatch.Adapter. A content with a type stays as it is.
func (*Chunks) Cares(_ dispatch.Side, h wire.Head, _ *conversation.Request) dispatch.Care {
	switch {
	case h.ContentType == nil:
		return dispatch.Yes
	case h.Content: // the head has the text, so no other line begins like it
		return dispatch.No
	}
	return dispatch.Never
}

// Handle implements dispatch.Adapter.
func (a *Chunks) Handle(m *dispatch.Message) {
	update := m.Params().Open("update")
	if m.Update == "" {
		return
	}
	m.Because(whyBlock)
	content := update.Raw("content")
	if list, ok := wire.Elements(content); ok {
		a.split(m, update, list)
		return
	}
	settings := missing(update, chunk)
	text := update.Get("text")
	switch {
	case settings == nil:
	case !wire.IsAbsent(content):
		m.Edit(update.Set(settings...)...)
	case update.Get("content") == nil: // the text moves
		m.Edit(wire.Edit{Span: text.Key, With: []byte(`"content"`)}, wire.Edit{Span: text.Value, With: settings[0].Value})
	default:
		with := wire.Splice(nil, m.Line, update.Set(settings...)...)
		m.Replace(wire.Without(with, "params", "update", "text"))
	}
}

// split replaces a piece by one for each element of its content. If there is no room for them, the
// piece stays as it is.
func (a *Chunks) split(m *dispatch.Message, update *wire.Object, list [][]byte) {
	content := update.Get("content").Value
	size := len(list) * (len(m.Line) - (content.End - content.Start))
	for _, element := range list {
		size += len(element) + len(`{"type":"text","text":}`)
	}
	if len(list) == 0 || m.Kind != dispatch.Notification && len(list) > 1 || !a.Charge(dispatch.Agent, size) {
		return
	}
	lines := make([][]byte, len(list))
	for i, element := range list {
		lines[i] = wire.Splice(nil, m.Line, wire.Edit{Span: content, With: or(block(element), element)})
	}
	m.Replace(lines...)
}

// content returns the block of an update without a valid content, or nil if it has no text.
func content(update *wire.Object) []byte {
	if raw := update.Raw("content"); !wire.IsAbsent(raw) {
		return block(raw)
	}
	if text := update.Raw("text"); wire.IsString(text) {
		return block(text)
	}
	return nil
}

// block returns the block that a string, or an object with a text and without a type, means. It
// returns nil if raw is neither.
func block(raw []byte) []byte {
	if wire.IsString(raw) {
		return append(append([]byte(`{"type":"text","text":`), raw...), '}')
	}
	o, err := wire.Parse(raw)
	if err != nil || !wire.IsString(o.Raw("text")) || !wire.IsAbsent(o.Raw("type")) {
		return nil
	}
	if o.Get("type") != nil { // null
		return complete(raw, []member{{"type", wire.IsString, func(*wire.Object) []byte { return []byte(`"text"`) }}})
	}
	return wire.Splice(nil, raw, wire.Edit{Span: wire.Span{Start: o.Start + 1, End: o.Start + 1}, With: []byte(`"type":"text",`)})
}

// isBlock reports whether a raw value is a block of some type.
func isBlock(raw []byte) bool {
	o, err := wire.Parse(raw)
	return err == nil && !wire.IsAbsent(o.Raw("type"))
}
