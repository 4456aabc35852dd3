package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
	"acpshim/internal/text/terminal"
)

// The texts of the rules about lines.
const (
	onlyMessages = "stdout MUST only have messages, one on a line, in UTF-8: log to stderr"
	isLSP        = "this is LSP framing; a message is one line, without headers"
)

// lines judges the lines of the agent.
func (p *process) lines() {
	p.tried("stdout-json", "one-line", "utf8", "envelope")
	before := say("its start")
	for _, m := range p.Messages() {
		if m.From == wire.Client {
			before = say(m)
			continue
		}
		where := say(" on stdout after ", before)
		line := bytes.TrimSpace(m.Line)
		switch {
		case m.Pieces > 0:
			p.fail("one-line", fault{got: say("a message on ", m.Pieces, " lines", where, ": ", quoted(m.Line)), text: "a message MUST NOT have line breaks in it"})
			p.envelope(m)
		case m.IsPiece, len(line) == 0:
		case bytes.HasPrefix(bytes.ToLower(line), []byte("content-length:")):
			p.fail("stdout-json", fault{got: say(quoted(line), where), text: isLSP})
			return // what follows is no line
		case !utf8.Valid(line):
			at := firstInvalid(line)
			p.fail("utf8", fault{got: say(quoted(line[max(0, at-20):]), " at byte ", at, " of a line", where), text: onlyMessages})
		case !json.Valid(line) && m.NoEnd: // the agent was ended within the line
		case !json.Valid(line), line[0] != '{' && line[0] != '[':
			p.fail("stdout-json", fault{got: say(quoted(line), where), text: onlyMessages})
		case line[0] == '{':
			p.envelope(m)
		}
	}
}

// firstInvalid returns the first place that is not UTF-8.
func firstInvalid(line []byte) (at int) {
	for at < len(line) {
		r, size := utf8.DecodeRune(line[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}

// quoted returns the beginning of a line in quotes, and how many more bytes there are.
func quoted(line []byte) string {
	const most = 60
	text := terminal.Quote(string(line[:min(len(line), most)]))
	if len(line) > most {
		text += fmt.Sprintf(" and %d more bytes", len(line)-most)
	}
	return text
}

// envelope judges the members that JSON-RPC wants.
func (p *process) envelope(m *peer.Message) {
	wrong := enveloped(m.Line)
	if wrong != "" {
		p.fail("envelope", fault{got: say(m, " ", wrong, ": ", quoted(m.Line)), text: `a message has jsonrpc "2.0", and a method, or one of result and error`})
	}
}

// enveloped returns what is wrong with the members of a message, or "".
func enveloped(line []byte) string {
	o, err := wire.Parse(line, "error")
	if err != nil {
		return err.Error()
	}
	id, isMethod := o.Raw("id"), o.Get("method") != nil
	isResult, isError := o.Get("result") != nil, o.Get("error") != nil
	version, isText := o.Text("jsonrpc")
	switch {
	case o.Get("jsonrpc") == nil:
		return "without jsonrpc"
	case !isText || version != "2.0":
		return "with jsonrpc " + short(o.Raw("jsonrpc"), 20)
	case isMethod && !wire.IsString(o.Raw("method")):
		return "with a method that is not a string"
	case isMethod && (isResult || isError):
		return "with a method, and a result or an error"
	case !isMethod && isResult && isError:
		return "with both result and error"
	case !isMethod && !isResult && !isError:
		return "without a method, a result or an error"
	case !isMethod && id == nil:
		return "without id"
	case id != nil && !isID(id):
		return "with the id " + short(id, 20)
	case isError:
		return wrongError(o.Open("error"))
	}
	return ""
}

// isID reports whether a raw value is a string, an integer or null.
func isID(raw []byte) bool {
	return wire.IsString(raw) || string(raw) == "null" || isInteger(raw)
}

func isInteger(raw []byte) bool {
	var n json.Number
	return json.Unmarshal(raw, &n) == nil && !wire.IsString(raw) && !strings.ContainsAny(wire.ID(raw), ".eE")
}

// wrongError returns what is wrong with an error, or "".
func wrongError(o *wire.Object) string {
	switch {
	case o == nil:
		return "with an error that is not an object"
	case !isInteger(o.Raw("code")):
		return "with the error code " + short(o.Raw("code"), 20)
	case !wire.IsString(o.Raw("message")):
		return "with the error message " + short(o.Raw("message"), 20)
	}
	return ""
}
