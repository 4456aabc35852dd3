package versions

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"acpshim/internal/adapters/console"
	"acpshim/internal/chain/wire"
	"acpshim/internal/text/runes"
)

// A terminal is a terminal of an agent of version 2. A client of version 1 sees its output in a
// tool call.
type terminal struct {
	command string
	output  []byte // the end of the output, which may end inside of a character
	isCut   bool   // output is not all of it
	exit    string // how the command ended, or "" while it runs
	shownIn *call  // the tool call that shows it, or nil

	// For a client that draws terminals:
	isSent   bool
	cwd      []byte // raw
	unsent   []byte // the end of the output that was not sent
	sentText        // the output with the unsent part
	status   []byte // the exit status if it was not sent, raw, or nil
}

// Limits of one session.
const (
	maxOutput    = 64 << 10 // the last bytes of a terminal's output
	maxTerminals = 64
	maxCommand   = 4 << 10 // bytes of a command, a folder, or an exit status
)

// terminals are the terminals of a session.
type terminals struct {
	byID  map[string]*terminal
	order []string // ids, the newest at the end
	bytes int      // approximate memory
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

// take applies a terminal_update or a terminal_output_chunk. It returns the terminal and its id,
// or nil if the update has no id.
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

// write adds output in base64, up to the first invalid byte.
func (t *terminal) write(data string) {
	more, _ := base64.StdEncoding.DecodeString(data)
	t.keep(more)
	t.queue(more)
}

// replace replaces the output with data in base64.
func (t *terminal) replace(data string) {
	all, _ := base64.StdEncoding.DecodeString(data)
	t.output, t.isCut = nil, false
	t.keep(all)
	if !t.isBeginningOf(string(all)) {
		t.unsent, t.sentText = []byte(resetTerminal), sentText{}
	}
	t.queue(all[t.length:])
}

const resetTerminal = "\x1bc"

func (t *terminal) keep(more []byte) {
	if t.output = append(t.output, more...); len(t.output) > maxOutput {
		t.output, t.isCut = bytes.Clone(t.output[len(t.output)-maxOutput/2:]), true
	}
}

func (t *terminal) queue(more []byte) {
	t.add(string(more))
	if t.unsent = append(t.unsent, more...); len(t.unsent) > maxOutput {
		t.unsent = bytes.Clone(t.unsent[len(t.unsent)-maxOutput/2:])
	}
}

// reportIn adds a terminal that the client does not have yet to the _meta of the tool call that
// shows it.
func (s *session) reportIn(meta []byte, of *call) []byte {
	if !s.draws {
		return meta
	}
	for _, p := range of.parts {
		if p.terminal == "" {
			continue
		}
		t := s.terminals.use(p.terminal)
		if t.isSent {
			continue
		}
		before := t.size()
		defer func() { s.terminals.bytes += t.size() - before }()
		t.isSent, t.shownIn = true, of
		info := object(nil).text("terminal_id", p.terminal).with("cwd", t.cwd).json()
		if with := wire.With(meta, []string{"terminal_info"}, info); with != nil {
			meta = with
		}
		return t.report(meta, p.terminal)
	}
	return meta
}

// report adds the new output and the exit status of a terminal to the _meta of a tool call.
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

// takeText returns the output that was not sent. An incomplete character at its end stays.
func (t *terminal) takeText() string {
	whole := runes.Whole(t.unsent)
	if t.status != nil {
		whole = len(t.unsent)
	}
	text := strings.ToValidUTF8(string(t.unsent[:whole]), "\ufffd")
	t.unsent = bytes.Clone(t.unsent[whole:])
	return text
}

// text returns the command and its output as markdown, or "" if there is nothing to show.
func (t *terminal) text() string {
	output := t.output
	if t.exit == "" {
		output = output[:runes.Whole(output)]
	}
	text := console.Plain(string(output))
	if t.isCut {
		text = "…\n" + text
	}
	if text == "" && t.command == "" {
		return t.exit
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
