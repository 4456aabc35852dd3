package doctor

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"acpshim/filters"
	"acpshim/internal/adapters/versions"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
	"acpshim/internal/text/terminal"
)

// unanswered reports why there is no response to initialize.
func (x *examination) unanswered(p *peer.Process, why error) {
	junk, first, messages := p.Junk()
	var quote []string
	if junk > 0 {
		quote = []string{x.secretless(first)}
	}
	after := fmt.Sprintf("no response to initialize within %v", x.Timeout)
	switch {
	case why == peer.ErrEnded:
		x.ended(p)
	case why == peer.ErrFramed:
		x.problem("stdout", "it writes LSP headers (Content-Length), but ACP has one message per line", "ask its author, or look for a flag", quote...)
	case why == peer.ErrClosed:
		x.problem("stdout", "it closes its standard output before it responds to initialize", "", x.lastLines(p.Stderr(), 3)...)
	case junk > 0:
		do := cmp.Or(filters.JunkHint([]byte(first)), "does it need a flag such as --acp to speak ACP?")
		x.problem("stdout", fmt.Sprintf("%s, but %s that are not messages", after, terminal.Count(junk, "line", "lines")), do, quote...)
	case messages > 0:
		x.problem("start", fmt.Sprintf("%s, but %s of other kinds", after, terminal.Count(messages, "message", "messages")), "is it an ACP agent?")
	default:
		x.problem("start", after+", and no other output", x.silent(), x.lastLines(p.Stderr(), 3)...)
	}
}

// silent returns what to do about an agent that writes nothing.
func (x *examination) silent() string {
	if x.Remote != nil {
		return "is this the URL of an agent? to wait longer, use --timeout"
	}
	name := strings.TrimSuffix(filepath.Base(x.Command[0]), ".cmd")
	if slices.Contains([]string{"npx", "pnpx", "bunx", "uvx", "npm", "pnpm", "uv"}, name) {
		return name + " may still be downloading it: run it once in a shell, or wait longer with --timeout 3m"
	}
	return "does it need a flag such as --acp to speak ACP? to wait longer, use --timeout; deadline.start limits how long an editor waits"
}

// ended reports how an agent ended without a response, or why it did not start.
func (x *examination) ended(p *peer.Process) {
	if x.Remote != nil {
		what, do := x.Remote.Ended()
		x.problem("server", what, do)
		return
	}
	if err := p.Err(); err != nil {
		what, do := err.Error(), ""
		if x.Explain != nil {
			what, do = x.Explain(err)
		}
		x.problem("command", what, do)
		return
	}
	status := p.Ending().Status
	how := fmt.Sprintf("it ends with status %d", status.Code)
	if status.Signal != 0 {
		how = fmt.Sprintf("a signal ends it (%v)", status.Signal)
	}
	quote := x.lastLines(p.Stderr(), 3)
	do := "read what it wrote to standard error"
	if len(quote) == 0 {
		do = "run it in a shell to see why"
	}
	x.problem("start", how+" before it responds to initialize", do, quote...)
}

// refused reports the error that initialize returned.
func (x *examination) refused(raw []byte) {
	o, _ := wire.Parse(raw)
	message, _ := o.Text("message")
	code := string(o.Raw("code"))
	text := fmt.Sprintf("initialize fails with error %s: %s", code, terminal.Plain(x.secretless(message), 200))
	do := "is this an ACP agent?"
	if versions.ReadRefusal(raw) != nil {
		do = "acpshim knows versions 1 and 2 of the protocol, and this agent says that it speaks neither"
	}
	x.problem("protocol", text, do)
}

// lastLines returns the last n lines of a standard error, without secrets.
func (x *examination) lastLines(stderr string, n int) []string {
	return terminal.LastLines(x.secretless(stderr), n, 300)
}

// secretless returns a text without its secrets.
func (x *examination) secretless(text string) string {
	return string(x.redactor.Redact(nil, []byte(text)))
}
