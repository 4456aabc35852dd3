// Package paths has the adapter that maps paths for an agent in a container or on another machine,
// where files have other paths. The configuration names folders as both sides spell them. The
// adapter maps paths below these folders, in both directions, in the members where the protocol has
// paths. It changes no other text.
package paths

import (
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// An Adapter maps paths. Adapters on its client side see paths as the client spells them. acpshim
// runs on the client's machine, so it can read plan files there.
//
//   - Settles: Files cannot be found: the agent runs in WSL, in a container or on another machine,
//     where files have other paths.
//   - For: Agents in WSL, in a container or on another machine.
//   - Keys: path
//   - Read: agentclientprotocol/claude-agent-acp#749, xenodium/agent-shell#19
type Adapter struct {
	dispatch.Switched[bool]
	texts *Map                       // nil without prefixes
	at    map[string][]wire.Selector // where messages have paths, by side and kind
}

var why = wire.Reason{Code: "paths.translated", Text: "acpshim translates paths between client and agent ([[path]])"}

// New returns an Adapter for valid prefixes.
func New(prefixes []Prefix) *Adapter {
	a := &Adapter{}
	a.For = func(_, _ conversation.Implementation) bool { return len(prefixes) > 0 }
	if len(prefixes) == 0 {
		return a
	}
	a.texts, a.at = NewMap(prefixes), map[string][]wire.Selector{}
	for _, p := range places() {
		for _, pointer := range p.pointers {
			selector, _ := wire.ParseSelector(pointer)
			a.at[key(p.from, p.kind)] = append(a.at[key(p.from, p.kind)], selector)
		}
		a.Wanted = append(a.Wanted, p.want())
	}
	return a
}

func key(from dispatch.Side, kind string) string { return string(from) + " " + kind }

// want returns the Want for the messages of a place.
func (p place) want() dispatch.Want {
	if kind, ok := strings.CutPrefix(p.kind, update); ok {
		return dispatch.Want{From: p.from, Updates: []string{kind}, Contents: isChunk(kind)}
	}
	if method, ok := strings.CutPrefix(p.kind, responseTo); ok {
		return dispatch.Want{From: p.from, Responses: []string{method}}
	}
	return dispatch.Want{From: p.from, Methods: []string{p.kind}}
}

// isChunk reports whether a kind of update streams content blocks.
func isChunk(kind string) bool { return strings.HasSuffix(kind, "_chunk") }

// Name implements dispatch.Adapter.
func (a *Adapter) Name() string { return "paths" }

// Cares implements dispatch.Adapter. Streamed text passes, because its head has the type of the
// content. An update of a tool call is held: only its end shows whether its lists have a path.
func (a *Adapter) Cares(_ dispatch.Side, h wire.Head, r *conversation.Request) dispatch.Care {
	if r != nil || !isChunk(string(h.SessionUpdate)) {
		return dispatch.Yes
	}
	switch string(h.ContentType) {
	case acp.ContentResourceLink, acp.ContentResource, acp.ContentImage:
		return dispatch.Yes
	case "":
		return dispatch.No
	}
	return dispatch.Never
}

// A message whose edits take more than maxEdits stays as it is.
const (
	maxEdits = 16 << 20 // bytes
	editSize = 64       // of each edit, beside its text
)

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	kind := m.Method
	switch {
	case m.Kind == dispatch.Response && m.Request != nil:
		kind = responseTo + m.Request.Method
	case m.Update != "":
		kind = update + m.Update
	}
	edits, size := []wire.Edit(nil), 0
	for _, selector := range a.at[key(m.From, kind)] {
		for span, err := range selector.Each(m.Line) {
			text, ok := wire.Text(m.Line[span.Start:span.End])
			if err != nil || !ok {
				continue // an ambiguous object stays as it is
			}
			if mapped, ok := a.texts.Text(text, m.From); ok {
				edits = append(edits, wire.Edit{Span: span, With: wire.Quote(nil, mapped)})
				size += editSize + len(mapped)
			}
			if size > maxEdits {
				return
			}
		}
	}
	m.Because(why)
	m.Edit(edits...)
}
