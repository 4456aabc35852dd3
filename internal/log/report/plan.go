package report

import (
	"slices"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/runes"
	"acpshim/translate"
)

// A plan is an update of a plan by one message.
type plan struct {
	Row     int     `json:"row"`
	Sent    bool    `json:"sent"` // the agent sent it
	Seen    bool    `json:"seen"` // the client got it
	Session int     `json:"session"`
	ID      string  `json:"id"`               // "" for the one plan of version 1
	Kind    string  `json:"kind"`             // entries, markdown, file, removed; message if acpshim showed it as one
	Arrived uint64  `json:"arrived,omitzero"` // the number of the message with which the client got it, if that is a different one
	Entries []entry `json:"entries,omitempty"`
	Text    string  `json:"text,omitempty"`   // the markdown, or the URI of a file
	Delta   bool    `json:"delta,omitzero"`   // Text is appended
	LeftOut int     `json:"leftOut,omitzero"` // entries, or bytes of Text
}

// An entry is a plan entry as it was sent, valid or not.
type entry struct {
	Content  string `json:"content"`
	Status   string `json:"status"`
	Priority string `json:"priority,omitempty"`
}

// plan adds the plan update in the message of the last row, if there is one.
func (b *builder) plan(m *history.Message) {
	if m.Message.Dir != record.Agent || b.left <= 0 {
		return
	}
	if !m.IsPlan() {
		b.messageOfPlans(m)
		return
	}
	u, err := m.Plan()
	if err != nil {
		return
	}
	p := plan{
		Row: len(b.data.Rows) - 1, Session: b.session(m), ID: b.short(u.ID),
		Sent: m.Message.Received(), Seen: m.Message.Sent(),
	}
	if m.Arrived != nil && m.Arrived != m {
		p.Arrived = m.Arrived.Seq
	}
	switch u.Kind {
	case translate.Legacy:
		p.Kind = "entries"
		b.entries(&p, wire.Pointer{"params", "update", "entries"}.Raw(m.JSON))
	case translate.Items:
		p.Kind = "entries"
		b.entries(&p, wire.Pointer{"params", "update", "plan", "entries"}.Raw(m.JSON))
	case translate.Markdown:
		p.Kind, p.Delta = "markdown", u.Delta
		b.document(&p, u.Text)
	case translate.File:
		p.Kind = "file"
		b.document(&p, u.URI)
	case translate.Removed:
		p.Kind = "removed"
	}
	b.data.Plans = append(b.data.Plans, p)
}

// broughtBy returns the ids of the plans in each message with which acpshim showed plans as a text,
// and the numbers of the sessions with plan updates.
func broughtBy(h *history.History) (brought map[*history.Message][]string, updated map[int]bool) {
	brought, updated = map[*history.Message][]string{}, map[int]bool{}
	for _, m := range h.Messages {
		updated[m.SessionNumber] = updated[m.SessionNumber] || m.IsPlan()
		if m.Arrived == nil || !m.Arrived.IsChunk() {
			continue
		}
		if u, err := m.Plan(); err == nil && !slices.Contains(brought[m.Arrived], u.ID) {
			brought[m.Arrived] = append(brought[m.Arrived], u.ID)
		}
	}
	return brought, updated
}

// messageOfPlans is [builder.plan] for a message with which acpshim showed plans as a text.
func (b *builder) messageOfPlans(m *history.Message) {
	ids := b.brought[m]
	if ids == nil && m.ShowsPlans() && !b.updated[m.SessionNumber] {
		ids = []string{""} // the plan of a todo tool; otherwise it is the text of another plan
	}
	for _, id := range ids {
		p := plan{Row: len(b.data.Rows) - 1, Session: b.session(m), ID: b.short(id), Seen: true, Kind: "message"}
		b.document(&p, m.ChunkText())
		b.data.Plans = append(b.data.Plans, p)
	}
}

// entries keeps the entries as they were sent, not as a client reads them, so that a reader can see
// what is wrong with them.
func (b *builder) entries(p *plan, raw []byte) {
	elements, _ := wire.Elements(raw)
	if p.LeftOut = max(len(elements)-b.limits.entries, 0); p.LeftOut > 0 {
		elements = elements[:b.limits.entries]
	}
	for i, element := range elements {
		if b.left <= 0 {
			p.LeftOut += len(elements) - i
			return
		}
		content := string(element)
		o, _ := wire.Parse(element)
		if o != nil {
			content, _ = o.Text("content")
		}
		status, _ := o.Text("status")
		priority, _ := o.Text("priority")
		e := entry{cut(content, 8*b.name), b.short(status), b.short(priority)}
		b.left -= cost(e.Content) + cost(e.Status) + cost(e.Priority) + len(`{"content":"","status":"","priority":""},`)
		p.Entries = append(p.Entries, e)
	}
}

// document keeps a text, cut to the room that is left.
func (b *builder) document(p *plan, text string) {
	shown := text[:runes.Before(text, min(b.message, b.left))]
	p.Text, _ = visible([]byte(shown))
	p.LeftOut = len(text) - len(shown)
	b.left -= cost(p.Text)
}
