package export

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"acpshim/internal/history"
	"acpshim/internal/record"
	"acpshim/internal/transcript"

	"golang.org/x/tools/txtar"
)

// An Omission is a line of a record that could not be exported.
type Omission struct {
	Seq uint64
	Why string
}

// A group are lines of one peer that came one after the other, and what came of
// them: at the other peer, and as answers of rules.
type group struct {
	dir         record.Direction
	sent, comes []byte
	replies     []byte // what acpshim answered to the one that sent
}

// Txtar makes a conversation of a record, as package transcript plays it. Lines
// that cannot stand in such a file are left out, with what became of them, and
// told of. So are lines that acpshim made on its own, other than answers: a played
// conversation has no clock and no other files than those that are added to it by
// hand.
func Txtar(h *history.History) (*txtar.Archive, []Omission) {
	var groups []*group
	var omitted []Omission
	in := map[uint64]*group{} // nil for one that is left out
	var seq uint64
	for _, m := range h.Messages {
		if m.Seq == seq {
			continue // another element of the same batch
		}
		seq = m.Seq
		why := unfit(m.Message)
		if m.Kind == history.Response && m.Request != nil && !m.Request.Message.Received() {
			why = "it answers a request that acpshim made on its own"
		}
		if m.Message.Stage == "out" {
			of := m.Message.Of
			if r := m.Request; of == 0 && m.Kind == history.Response && r != nil && r.Message.Received() {
				of = r.Seq
			}
			g, known := in[of]
			switch {
			case g != nil && why == "" && g.dir != m.Message.Dir:
				g.replies = appendLine(g.replies, m.Message.Line)
			case g != nil && why == "":
				g.comes = appendLine(g.comes, m.Message.Line)
			case known && g == nil:
			case why == "":
				omitted = append(omitted, Omission{seq, "acpshim made it on its own"})
			default:
				omitted = append(omitted, Omission{seq, why})
			}
			continue
		}
		if why != "" {
			in[seq] = nil
			omitted = append(omitted, Omission{seq, why})
			continue
		}
		if n := len(groups); n == 0 || groups[n-1].dir != m.Message.Dir {
			groups = append(groups, &group{dir: m.Message.Dir})
		}
		g := groups[len(groups)-1]
		in[seq] = g
		g.sent = appendLine(g.sent, m.Message.Line)
		if m.Message.Sent() {
			g.comes = appendLine(g.comes, m.Message.Line)
		}
	}
	a := &txtar.Archive{Comment: comment(h)}
	for _, g := range groups {
		a.Files = append(a.Files, g.sections()...)
	}
	return a, omitted
}

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

func (g *group) sections() []txtar.File {
	names := [3]string{"client", "to agent", "to client"}
	if g.dir == record.Agent {
		names = [3]string{"agent", "to client", "to agent"}
	}
	files := []txtar.File{{Name: names[0], Data: g.sent}}
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

// unfit says why a line cannot stand in a txtar file; it is empty if it can.
func unfit(m *record.Message) string {
	switch {
	case m.Line == nil:
		return "it was too long to be recorded"
	case !utf8.Valid(m.Line):
		return "it is no valid UTF-8"
	case bytes.ContainsRune(bytes.TrimSuffix(m.Line, []byte("\n")), '\n'):
		return "it is several lines"
	case len(txtar.Parse(m.Line).Files) > 0:
		return "it would begin a section"
	}
	return ""
}

func appendLine(dst, line []byte) []byte {
	dst = append(dst, line...)
	if !bytes.HasSuffix(line, []byte("\n")) {
		dst = append(dst, '\n')
	}
	return dst
}
