package export

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/run/transcript"

	"golang.org/x/tools/txtar"
)

// A group is lines that one peer sent one after the other, and the lines that resulted: for the
// other peer, and as responses of rules.
type group struct {
	dir         wire.Side
	file        *record.File // that was read for the client; then sent is empty
	ends        bool         // the agent ended; then sent has the error of pending requests
	sent, comes []byte
	replies     []byte // acpshim's own responses to the one that sent
}

// A conversation is the part of a record that was exported so far.
type conversation struct {
	groups  []*group
	in      map[uint64]*group   // by the number of the message that came; nil for one that is left out
	ahead   map[uint64][]byte   // lines that were added before a message, by its number
	early   map[uint64][]byte   // responses that were recorded before their request, by its number
	omitted map[string][]uint64 // the numbers of lines, by reason
	isOver  bool                // the agent has ended
	reasons []string            // in the order in which they came first
}

// Txtar makes a conversation of a record, as package transcript plays it. It leaves out lines that
// cannot be in such a file, with the lines that resulted from them; omitted has the reasons, with
// the numbers. It also leaves out lines that acpshim made on its own, other than responses and the
// lines that resulted from plan files, because a played conversation has no clock.
func Txtar(h *history.History) (a *txtar.Archive, omitted []string) {
	c := conversation{in: map[uint64]*group{}, ahead: map[uint64][]byte{}, early: map[uint64][]byte{}, omitted: map[string][]uint64{}}
	for m, r := range h.Each() {
		switch {
		case r.File != nil:
			c.read(r)
		case m == nil:
		case m.Message.Received():
			c.came(m)
		default:
			c.went(m)
		}
	}
	a = &txtar.Archive{Comment: comment(h)}
	for _, g := range c.groups {
		a.Files = append(a.Files, g.sections()...)
	}
	for _, why := range c.reasons {
		const most = 5 // numbers that are listed
		seqs, text := c.omitted[why], why+":"
		for _, seq := range seqs[:min(len(seqs), most)] {
			text += fmt.Sprintf(" #%d", seq)
		}
		if more := len(seqs) - most; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		omitted = append(omitted, text)
	}
	return a, omitted
}

func (c *conversation) omit(seq uint64, why string) {
	if c.omitted[why] == nil {
		c.reasons = append(c.reasons, why)
	}
	c.omitted[why] = append(c.omitted[why], seq)
}

// read adds the text of a plan file.
func (c *conversation) read(r record.Record) {
	if len(txtar.Parse([]byte(r.File.Text)).Files) > 0 || r.File.Path == "" || strings.ContainsAny(r.File.Path, "\r\n") {
		c.omit(r.Seq, "it would begin a section")
		return
	}
	c.groups = append(c.groups, &group{dir: record.Agent, file: r.File})
}

// came adds a line that a peer sent.
func (c *conversation) came(m *history.Message) {
	if why := unfit(m); why != "" {
		c.in[m.Seq] = nil
		c.omit(m.Seq, why)
		return
	}
	if n := len(c.groups); n == 0 || c.groups[n-1].dir != m.Message.Dir || c.groups[n-1].file != nil || c.groups[n-1].ends {
		c.groups = append(c.groups, &group{dir: m.Message.Dir})
	}
	g := c.groups[len(c.groups)-1]
	c.in[m.Seq] = g
	g.sent = appendLine(g.sent, m.Message.Line)
	g.comes = append(g.comes, c.ahead[m.Seq]...)
	g.replies = append(g.replies, c.early[m.Seq]...)
	if m.Message.Sent() {
		g.comes = appendLine(g.comes, m.Message.Line)
	}
}

// went adds a line that acpshim sent instead of another, or that it made.
func (c *conversation) went(m *history.Message) {
	if failure := m.Ending(); failure != nil && !c.isOver {
		c.isOver = true
		c.groups = append(c.groups, &group{dir: record.Agent, ends: true, sent: appendLine(nil, failure)})
	}
	of := m.Message.Of
	if m.AddedTo != nil {
		of = m.AddedTo.Seq
	}
	g, known := c.in[of]
	r := m.Request
	isLater := m.Kind == history.Request && m.Of != nil || m.Kind == history.Response && r != nil && r.Message.Received()
	if of == 0 && (m.Message.From > 0 || isLater || isOfVersions(m)) && len(c.groups) > 0 {
		g = c.groups[len(c.groups)-1] // the last line caused it, such as a cancel, or released it, such as the end of a turn
	}
	if n := len(c.groups); of == 0 && n > 0 && c.groups[n-1].file != nil && c.groups[n-1].file.Noticed && m.Kind == history.Notification {
		g = c.groups[n-1]
	}
	if n := len(c.groups); of == 0 && c.isOver && m.Message.Dir == record.Agent {
		g = c.groups[n-1]
	}
	switch why := unfit(m); {
	case known && g == nil:
	case why != "":
		c.omit(m.Seq, why)
	case m.Kind == history.Response && r != nil && r.Seq > m.Seq:
		c.early[r.Seq] = appendLine(c.early[r.Seq], m.Message.Line)
	case g == nil && m.AddedTo != nil:
		c.ahead[of] = appendLine(c.ahead[of], m.Message.Line)
	case g == nil:
		c.omit(m.Seq, "acpshim made it on its own")
	case g.dir != m.Message.Dir:
		g.replies = appendLine(g.replies, m.Message.Line)
	default:
		g.comes = appendLine(g.comes, m.Message.Line)
	}
}

// comment names the record, and what changed its messages.
func comment(h *history.History) []byte {
	if h.Start == nil {
		return []byte("A conversation that acpshim recorded.\n")
	}
	text := fmt.Appendf(nil, "A conversation that acpshim recorded.\nversion: %q\nrun: %q\nconfig: %q\n", h.Start.Acpshim, h.Start.Run, h.Start.Config)
	var by []string
	for _, m := range h.Messages {
		for _, name := range m.Message.By {
			if name = strconv.Quote(name); !slices.Contains(by, name) {
				by = append(by, name)
			}
		}
	}
	if len(by) == 0 {
		return text
	}
	return fmt.Appendf(text, `changed by: %s
A record has only this digest of its configuration. If that was not the default, name it:
"acpshim rules test --config FILE", or write what differs below "-- config.toml --".
`, strings.Join(by, ", "))
}

// sections are the sections of the transcript, in the order in which it is played.
func (g *group) sections() []txtar.File {
	names := [3]string{"client", "to agent", "to client"}
	if g.dir == record.Agent {
		names = [3]string{"agent", "to client", "to agent"}
	}
	files := []txtar.File{{Name: names[0], Data: g.sent}}
	if g.file != nil {
		files[0] = txtar.File{Name: transcript.FileSection(g.file), Data: []byte(g.file.Text)}
	}
	if g.ends {
		files[0].Name = transcript.AgentEnds
	}
	if len(g.comes) > 0 {
		files = append(files, txtar.File{Name: names[1], Data: g.comes})
	}
	if g.dir == record.Agent {
		if drawn := transcript.Checklist(files[len(files)-1].Data); drawn != "" {
			files = append(files, txtar.File{Name: "shows", Data: []byte(drawn)})
		}
	}
	if len(g.replies) > 0 {
		files = append(files, txtar.File{Name: names[2], Data: g.replies})
	}
	return files
}

// isOfVersions reports whether the adapters between two versions of the protocol made a message.
// They do so when another message comes, in either direction.
func isOfVersions(m *history.Message) bool { return slices.Contains(m.Message.By, "version") }

// unfit says why a line cannot be in a txtar file; it is empty if the line can.
func unfit(m *history.Message) string {
	switch line := m.Message.Line; {
	case m.Kind == history.Response && m.Request != nil && !m.Request.Message.Received() && !isOfVersions(m.Request):
		return "it responds to a request that acpshim sent itself"
	case line == nil:
		return "it was too long to be recorded"
	case !utf8.Valid(line):
		return "it is not valid UTF-8"
	case bytes.ContainsRune(bytes.TrimSuffix(line, []byte("\n")), '\n'):
		return "it is several lines"
	case len(txtar.Parse(line).Files) > 0:
		return "it would begin a section"
	}
	return ""
}

// appendLine appends a line, and an end of line if it has none.
func appendLine(dst, line []byte) []byte {
	dst = append(dst, line...)
	if !bytes.HasSuffix(line, []byte("\n")) {
		dst = append(dst, '\n')
	}
	return dst
}
