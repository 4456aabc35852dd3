package agents

import (
	"fmt"
	"strings"

	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
	"acpshim/internal/text/terminal"
)

// A phrase is a text about messages. It is written when the process has ended, because the numbers
// of messages are not known before.
type phrase []any

func say(parts ...any) phrase { return parts }

// String returns the text, with the numbers of messages.
func (p phrase) String() string {
	var b strings.Builder
	for _, part := range p {
		switch part := part.(type) {
		case *peer.Message:
			if part == nil {
				b.WriteString("a message")
			} else {
				fmt.Fprintf(&b, "#%d", part.Number)
			}
		case seq:
			fmt.Fprintf(&b, "#%d", uint64(part))
		case fmt.Stringer:
			b.WriteString(part.String())
		default:
			fmt.Fprint(&b, part)
		}
	}
	return b.String()
}

// A seq is the number of a message.
type seq uint64

// A request is an exchange in a phrase: what was sent, such as "#3 session/list".
type request struct{ *peer.Exchange }

func (r request) String() string { return say(r.Request, " ", terminal.Name(r.Method)).String() }

// A reply is an exchange in a phrase: what came, such as `#5 error -32603 "no such session"`.
type reply struct {
	*peer.Exchange
	nothing string // if nothing came, such as "nothing in 10s"
}

func (r reply) String() string {
	switch m := r.Response; {
	case m == nil:
		return r.nothing
	case wire.IsAbsent(m.Error):
		return say(m, " result ", short(m.Result, 60)).String()
	default:
		return say(m, " ", failure(m.Error)).String()
	}
}

// failure returns an error of JSON-RPC in words.
func failure(raw []byte) string {
	o, _ := wire.Parse(raw)
	message, ok := o.Text("message")
	if !ok {
		return "error " + short(raw, 60)
	}
	return "error " + string(o.Raw("code")) + " " + terminal.Quote(terminal.Cut(terminal.Line(message), 120))
}

// short returns the beginning of a raw JSON value.
func short(raw []byte, columns int) string {
	if raw == nil {
		return "nothing"
	}
	return terminal.Plain(string(raw), columns)
}
