package report

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"acpshim/internal/log/view"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/runes"
	"acpshim/internal/text/terminal"
)

// limits bound the file.
type limits struct {
	message int // shown bytes of a message
	total   int // bytes of all texts in the file, and of all names
	name    int // bytes of a method, an id and the like
	rows    int
	entries int // of a plan
}

// orElse returns the limits, or the defaults for zero ones. A browser reads the data as one string,
// which is limited to 512 MiB.
func (l limits) orElse(full bool) limits {
	switch {
	case l != limits{}:
		return l
	case full:
		return limits{message: 64 << 20, total: 256 << 20, name: 300, rows: 250_000, entries: 1000}
	}
	return limits{message: 16 << 10, total: 64 << 20, name: 300, rows: 250_000, entries: 1000}
}

// data is the input of the script in the page. Rows are named by their index.
type data struct {
	Name     string          `json:"name"`
	Redacted bool            `json:"redacted"` // secrets were removed
	Start    *record.Start   `json:"start,omitempty"`
	End      *record.Outcome `json:"end,omitempty"`
	GoesOn   bool            `json:"goesOn,omitzero"`
	Sessions []string        `json:"sessions"` // ids; the first one is the session 1
	Rows     []*row          `json:"rows"`
	Plans    []plan          `json:"plans"`
	Ended    int64           `json:"ended,omitzero"` // microseconds since the run began; until now if a request is pending
	Story    *story          `json:"story"`

	LeftOut int `json:"leftOut,omitzero"` // rows at the end that are left out
	Cut     int `json:"cut,omitzero"`     // messages that are not shown whole
	Shown   int `json:"shown"`            // bytes at most of a message
}

// A row is a message, a line of stderr, an event or a gap.
type row struct {
	Kind     string       `json:"kind"` // request, notification, response, other, stderr, event or gap
	Seq      uint64       `json:"seq"`
	At       int64        `json:"at"`   // microseconds since the run began
	Wall     int64        `json:"wall"` // milliseconds since 1970
	Dir      string       `json:"dir,omitempty"`
	Stage    string       `json:"stage,omitempty"`
	Method   string       `json:"method,omitempty"`
	Update   string       `json:"update,omitempty"`
	ID       string       `json:"id,omitempty"` // see wire.ID
	Session  int          `json:"session,omitzero"`
	Failed   bool         `json:"failed,omitzero"`
	Wrong    bool         `json:"wrong,omitzero"`     // it is what went wrong, or has no response
	Request  *int         `json:"request,omitempty"`  // of a response
	Response *int         `json:"response,omitempty"` // of a request: see [history.Message.End]
	For      *int         `json:"for,omitempty"`      // of acpshim's own request: the request of a peer that it is sent for
	Of       *int         `json:"of,omitempty"`       // the row instead of which acpshim sent it
	Beside   *int         `json:"beside,omitempty"`   // the row before or after which acpshim added it
	Later    *int         `json:"later,omitempty"`    // of a message that acpshim held: the row that it sent later
	Same     bool         `json:"same,omitzero"`      // it is Of, byte for byte
	Stream   *int         `json:"stream,omitempty"`   // of a piece of a streamed message: the first piece; nil if there is only one
	Call     *int         `json:"call,omitempty"`     // of a message about a tool call: the first one; nil if there is only one
	By       []string     `json:"by,omitempty"`
	Len      int64        `json:"len"`
	Brief    string       `json:"brief,omitempty"`  // its text in a [view.Row]; not of a piece of a streamed message
	Reason   string       `json:"reason,omitempty"` // why By did it
	Fate     history.Fate `json:"fate,omitempty"`   // of a message that was not forwarded
	Text     string       `json:"text"`
	Why      string       `json:"why,omitempty"` // of a gap: the text for the filter
	Cut      int64        `json:"cut,omitzero"`  // bytes that are not shown
	SHA256   string       `json:"sha256,omitempty"`
	Bytes    bool         `json:"bytes,omitzero"` // it has bytes that are not UTF-8, shown as \xNN
	Redacted bool         `json:"redacted,omitzero"`
	Secrets  bool         `json:"secrets,omitzero"` // more than session ids and home folders was replaced in it
}

// A builder makes data of a history.
type builder struct {
	limits
	data  data
	left  int // bytes that are left for texts in the file
	names int // bytes that are left for names
	rows  map[*history.Message]int
	calls map[callKey]int // the first rows of tool calls

	wrong map[uint64]bool // numbers of messages that went wrong

	brought map[*history.Message][]string // the ids of the plans that a message of acpshim brought
	updated map[int]bool                  // the sessions with plan updates

	streams history.Streams
	view    view.View
}

// newData makes the data of a page, within the limits.
func newData(h *history.History, o Options) *data {
	b := builder{limits: o.limits.orElse(o.Full), rows: map[*history.Message]int{}, calls: map[callKey]int{}, wrong: map[uint64]bool{}, view: view.View{Single: true}}
	b.left, b.names = b.total, b.total
	b.data = data{Name: o.Name, GoesOn: o.GoesOn && h.End == nil, Shown: b.message, Sessions: []string{}, Rows: []*row{}, Plans: []plan{}}
	b.frame(h)
	b.brought, b.updated = broughtBy(h)
	summary := view.Summarize(h, b.data.GoesOn)
	for _, seq := range summary.Numbers() {
		b.wrong[seq] = true
	}
	for m, r := range h.All() {
		if m != nil {
			b.add(m)
		} else {
			b.other(r)
		}
	}
	b.relate()
	b.data.Story = b.story(summary)
	return &b.data
}

// frame sets what is known about the run.
func (b *builder) frame(h *history.History) {
	if h.Start != nil {
		start := *h.Start
		start.Argv = slices.Clone(start.Argv[:min(len(start.Argv), maxListed)])
		b.shorten(reflect.ValueOf(&start).Elem())
		b.data.Start, b.data.Redacted = &start, start.Redacted
	}
	if h.End != nil {
		b.data.Ended = h.Ended.Microseconds()
		b.data.End = &record.Outcome{Status: h.End.Status, Signal: b.short(h.End.Signal)}
	}
}

// index is the row of a message; nil if it has none.
func (b *builder) index(m *history.Message) *int {
	if i, ok := b.rows[m]; ok && m != nil {
		return &i
	}
	return nil
}

// row begins a row; it is nil if there is no room for one.
func (b *builder) row(r record.Record, kind string) *row {
	if len(b.data.Rows) >= b.limits.rows {
		b.data.LeftOut++
		return nil
	}
	made := &row{Kind: kind, Seq: r.Seq, At: r.Mono.Microseconds(), Wall: r.Time.UnixMilli()}
	if r.Time.IsZero() {
		made.Wall = 0
	}
	b.data.Rows = append(b.data.Rows, made)
	return made
}

// add adds the row of a message.
func (b *builder) add(m *history.Message) {
	r := b.row(m.Record, string(m.Kind))
	if r == nil {
		return
	}
	b.rows[m] = len(b.data.Rows) - 1
	if first, _ := b.streams.Add(m); first != nil && first != m {
		r.Stream = b.index(first)
		b.data.Rows[*r.Stream].Stream = r.Stream
	}
	b.call(m, r)
	r.Len, r.SHA256 = m.Message.Len, b.short(m.Message.SHA256)
	if dir := m.Message.Dir; dir == record.Client || dir == record.Agent {
		r.Dir = string(dir)
	}
	if stage := m.Message.Stage; stage == "in" || stage == "out" {
		r.Stage = stage
	}
	r.Method, r.Update, r.ID, r.Failed, r.Redacted = b.short(m.Method), b.short(m.Update), b.short(m.ID), m.Failed, m.Message.Redacted
	r.Session = b.session(m)
	r.Wrong = m.Failed || b.wrong[m.Seq] || m.IsPending() && !b.data.GoesOn
	if m.IsPending() && b.data.GoesOn {
		b.data.Ended = r.At + max(time.Since(m.Time).Microseconds(), 0)
	}
	if !m.IsChunk() {
		b.brief(r, b.view.Add(m, m.Record, true))
	}
	var reasons []string
	for i, by := range m.Message.By[:min(len(m.Message.By), 20)] {
		r.By = append(r.By, b.short(by))
		if reason := m.Message.Reason(i); reason != "" {
			reasons = append(reasons, b.short(by+": "+reason))
		}
	}
	r.Reason, r.Fate = strings.Join(reasons, "; "), m.Fate()
	text := m.JSON
	if text == nil {
		text = bytes.TrimSuffix(m.Message.Line, []byte("\n"))
	}
	whole := int64(len(text))
	if m.Message.Line == nil {
		text, whole = m.Message.Head, m.Message.Len
	}
	b.text(r, text, whole)
	b.plan(m)
}

// other adds the row of a record that is not a message.
func (b *builder) other(r record.Record) {
	b.streams.Interrupt("")
	rows := b.view.Add(nil, r, true)
	made := b.row(r, r.Kind)
	if made == nil {
		return
	}
	var text []byte
	switch g := r.Gap; {
	case r.File != nil:
		made.Len, text = int64(len(r.File.Text)), fmt.Appendf(nil, "%s\n\n%s", r.File.Path, r.File.Text)
	case g != nil:
		made.Len, made.Why = g.Bytes, b.short(g.Why)
		text = fmt.Appendf(nil, "not in the record: %s (%s): %s (%s to %s)", terminal.Count(g.Count, "line", "lines"), g.Stream, g.Why,
			g.From.Format(time.RFC3339Nano), g.To.Format(time.RFC3339Nano))
	default:
		made.Len, made.Redacted = int64(len(r.Text.Bytes)), r.Text.Redacted
		text = bytes.TrimSuffix(r.Text.Bytes, []byte("\n"))
	}
	b.text(made, text, int64(len(text)))
	b.brief(made, rows)
	made.Wrong = len(rows) > 0 && rows[0].Failed
}

// brief sets the text that the command line has for a message.
func (b *builder) brief(r *row, rows []view.Row) {
	if len(rows) > 0 {
		r.Brief = b.short(rows[0].Text)
	}
}

// session is the number of a message's session.
func (b *builder) session(m *history.Message) int {
	n := m.SessionNumber
	b.data.Sessions = append(b.data.Sessions, make([]string, max(0, n-len(b.data.Sessions)))...)
	if n > 0 && b.data.Sessions[n-1] == "" {
		b.data.Sessions[n-1] = b.short(m.Session)
	}
	return n
}

// text sets the text of a row, cut to the room that is left. Whole is its full length.
func (b *builder) text(r *row, text []byte, whole int64) {
	r.Secrets = r.Redacted && bytes.Contains(text, []byte("[redacted:"))
	shown := text[:runes.Before(text, min(b.message, max(b.left, 0)))]
	r.Text, r.Bytes = visible(shown)
	b.left -= cost(r.Text)
	if r.Cut = whole - int64(len(shown)); r.Cut > 0 {
		b.data.Cut++
	}
}

// short is a name that is cut if it is too long.
func (b *builder) short(s string) string {
	if b.names <= 0 {
		return ""
	}
	s = cut(s, b.name)
	b.names -= cost(s)
	return s
}

// cut is the beginning of a text that is longer than most bytes, with … at its end.
func cut(s string, most int) string {
	if len(s) > most {
		s = s[:runes.Before(s, most)] + "…"
	}
	s, _ = visible([]byte(s))
	return s
}

// visible is the text with each byte that is not UTF-8 written as \xNN, and whether there was one.
func visible(text []byte) (string, bool) {
	if utf8.Valid(text) {
		return string(text), false
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, text[0])
		} else {
			b.Write(text[:n])
		}
		text = text[n:]
	}
	return b.String(), true
}

// cost is how many bytes a text takes in the file, escaped.
func cost(text string) int {
	n := len(text)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			n++
		case c < ' ' || c == '<' || c == '>' || c == '&':
			n += 5
		}
	}
	return n
}
