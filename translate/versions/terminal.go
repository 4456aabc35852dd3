package versions

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"acpshim/internal/wire"
)

// A terminal is one of an agent of version 2, of which a client of version 1 is shown the text.
type terminal struct {
	command string
	output  []byte // the end of it, with the beginning of a character, perhaps
	isCut   bool   // more was there
	exit    string // how the command ended, "" while it runs
	shownIn *call  // the tool call that shows it, nil if none does yet
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

func (t *terminal) size() int { return 128 + len(t.command) + cap(t.output) }

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
		of.output, of.isCut = nil, false
		of.write(data)
	}
	if exit := open(update.Raw("exitStatus")); exit != nil {
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

// write takes in output in base64.
func (t *terminal) write(data string) {
	more, _ := base64.StdEncoding.DecodeString(data) // what comes before a mistake counts
	if t.output = append(t.output, more...); len(t.output) > maxOutput {
		t.output, t.isCut = append([]byte(nil), t.output[len(t.output)-maxOutput/2:]...), true
	}
}

// controls are what a terminal does not show as text.
var controls = regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]|[\x00-\x08\x0b\x0c\x0e-\x1a\x7f]`)

// text is what a terminal has shown, in Markdown.
func (t *terminal) text() string {
	output := t.output
	for cut := 1; cut <= min(utf8.UTFMax-1, len(output)) && t.exit == ""; cut++ {
		if last := output[len(output)-cut:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				output = output[:len(output)-cut]
			}
			break
		}
	}
	text := strings.ReplaceAll(controls.ReplaceAllString(strings.ToValidUTF8(string(output), "\ufffd"), ""), "\r\n", "\n")
	if t.isCut {
		text = "…\n" + text
	}
	fence := "```"
	for strings.Contains(text+t.command, fence) {
		fence += "`"
	}
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
