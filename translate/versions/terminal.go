package versions

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"acpshim/internal/wire"
	"acpshim/translate/console"
)

// A terminal is one of an agent of version 2, of which a client of version 1 is shown the text.
type terminal struct {
	command string
	output  []byte // the end of it, with the beginning of a character, perhaps
	isCut   bool   // more was there
	exit    string // how the command ended, "" while it runs
	shownIn *call  // the tool call that shows it, nil if none does yet

	// For a client that draws terminals:
	isTold bool
	cwd    []byte // raw
	unsent []byte // output, the end of it
	told          // the output that was sent or is unsent
	status []byte // the exit status, raw, that was not sent; nil if there is none
}

// maxOutput is how many bytes of a terminal's output are kept and shown, the last ones;
// maxTerminals is of how many terminals.
const (
	maxOutput    = 64 << 10
	maxTerminals = 64
)

// terminals are those of a session, the one that began last at the end.
type terminals struct {
	byID  map[string]*terminal
	order []string
	bytes int // about how many they take
}

func (t *terminals) use(id string) *terminal {
	if t.byID == nil {
		t.byID = map[string]*terminal{}
	}
	of := t.byID[id]
	if of == nil {
		if len(t.order) == maxTerminals {
			first := t.order[0]
			t.bytes -= t.byID[first].size() + len(first)
			delete(t.byID, first)
			t.order = t.order[1:]
		}
		of = &terminal{}
		t.bytes += of.size() + len(id)
		t.byID[id], t.order = of, append(t.order, id)
	}
	return of
}

func (t *terminal) size() int {
	return 256 + len(t.command) + len(t.cwd) + len(t.status) + cap(t.output) + cap(t.unsent)
}

// take takes in a terminal_update or a terminal_output_chunk, and returns the terminal and its id.
func (t *terminals) take(update *wire.Object) (of *terminal, id string) {
	id, ok := update.Text("terminalId")
	if !ok || id == "" || len(id) > maxID {
		return nil, ""
	}
	of = t.use(id)
	before := of.size()
	defer func() { t.bytes += of.size() - before }()
	if data, ok := update.Text("data"); ok {
		of.write(data)
	}
	if command, ok := update.Text("command"); ok {
		of.command = command[:min(len(command), maxCommand)]
	}
	if output := open(update.Raw("output")); output != nil {
		data, _ := output.Text("data")
		of.replace(data)
	}
	if cwd := present(update.Raw("cwd")); len(cwd) <= maxCommand {
		of.cwd = bytes.Clone(cwd)
	}
	if exit := open(update.Raw("exitStatus")); exit != nil {
		of.status = object(nil).with("exit_code", present(exit.Raw("exitCode"))).with("signal", present(exit.Raw("signal"))).json()
		if len(of.status) > maxCommand {
			of.status = []byte("{}")
		}
		of.exit = "ended"
		if code, err := strconv.Atoi(string(exit.Raw("exitCode"))); err == nil {
			of.exit = fmt.Sprintf("ended with status %d", code)
		} else if signal, _ := exit.Text("signal"); signal != "" {
			of.exit = "ended by " + signal
		}
	}
	return of, id
}

const maxCommand = 4 << 10

// write takes in output in base64. What comes before a mistake counts.
func (t *terminal) write(data string) {
	more, _ := base64.StdEncoding.DecodeString(data)
	t.keep(more)
	t.queue(more)
}

// replace takes in all output so far, in base64.
func (t *terminal) replace(data string) {
	all, _ := base64.StdEncoding.DecodeString(data)
	t.output, t.isCut = nil, false
	t.keep(all)
	if !t.isBeginningOf(string(all)) {
		t.unsent, t.told = []byte(resetTerminal), told{}
	}
	t.queue(all[t.length:])
}

// resetTerminal clears a terminal.
const resetTerminal = "\x1bc"

// keep adds output to the text.
func (t *terminal) keep(more []byte) {
	if t.output = append(t.output, more...); len(t.output) > maxOutput {
		t.output, t.isCut = bytes.Clone(t.output[len(t.output)-maxOutput/2:]), true
	}
}

// queue adds output to what is to be sent.
func (t *terminal) queue(more []byte) {
	t.add(string(more))
	if t.unsent = append(t.unsent, more...); len(t.unsent) > maxOutput {
		t.unsent = bytes.Clone(t.unsent[len(t.unsent)-maxOutput/2:])
	}
}

// reportIn adds to the _meta of a tool call the terminal that it is the first to show; nil if there
// is neither.
func (s *session) reportIn(meta []byte, of *call) []byte {
	if !s.draws {
		return meta
	}
	for _, p := range of.parts {
		if p.terminal == "" {
			continue
		}
		t := s.terminals.use(p.terminal)
		if t.isTold {
			continue
		}
		before := t.size()
		defer func() { s.terminals.bytes += t.size() - before }()
		t.isTold, t.shownIn = true, of
		info := object(nil).text("terminal_id", p.terminal).with("cwd", t.cwd).json()
		if with := wire.With(meta, []string{"terminal_info"}, info); with != nil {
			meta = with
		}
		return t.report(meta, p.terminal)
	}
	return meta
}

// report adds to the _meta of a tool call what is new of a terminal.
func (t *terminal) report(meta []byte, id string) []byte {
	with := func(name string, value object) {
		if next := wire.With(meta, []string{name}, value.json()); next != nil {
			meta = next
		}
	}
	if text := t.takeText(); text != "" {
		with("terminal_output", object(nil).text("terminal_id", id).text("data", text))
	}
	if t.status != nil {
		status := object(nil).text("terminal_id", id)
		for _, m := range open(t.status).Members {
			status = status.with(m.Name, open(t.status).Raw(m.Name))
		}
		with("terminal_exit", status)
		t.status = nil
	}
	return meta
}

// takeText returns the output that was not sent, but for the beginning of a character at its end.
func (t *terminal) takeText() string {
	whole := len(t.unsent) - len(halfRune(t.unsent))
	if t.status != nil {
		whole = len(t.unsent)
	}
	text := strings.ToValidUTF8(string(t.unsent[:whole]), "\ufffd")
	t.unsent = bytes.Clone(t.unsent[whole:])
	return text
}

// halfRune is the beginning of a character at the end of a text, if it ends with one.
func halfRune(text []byte) []byte {
	for n := 1; n <= min(utf8.UTFMax-1, len(text)); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return last
			}
			return nil
		}
	}
	return nil
}

// text is what a terminal has shown, in Markdown.
func (t *terminal) text() string {
	output := t.output
	if t.exit == "" {
		output = output[:len(output)-len(halfRune(output))]
	}
	text := console.Plain(string(output))
	if t.isCut {
		text = "…\n" + text
	}
	fence := console.Fence(text, t.command)
	var b strings.Builder
	b.WriteString(fence + "\n")
	if t.command != "" {
		b.WriteString("$ " + t.command + "\n")
	}
	if b.WriteString(text); text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteString("\n")
	}
	b.WriteString(fence)
	if t.exit != "" {
		b.WriteString("\n" + t.exit)
	}
	return b.String()
}
