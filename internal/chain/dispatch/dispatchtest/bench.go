// Package dispatchtest runs adapters between a client and an agent. It is for tests.
package dispatchtest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A Bench is two peers with adapters between them. It is for one goroutine.
type Bench struct {
	Conversation *conversation.Conversation

	Client, Agent     *dispatch.Direction // from the client, and from the agent
	ToClient, ToAgent []string            // the lines that the peers got, each with its line end
	Why               string              // the reasons for what became of the last line
}

// New returns a Bench. If an adapter panics, the test does.
func New(c *conversation.Conversation, o dispatch.Options) *Bench {
	o.Events.Panicked = func(reason any, _ []byte) { panic(reason) }
	d := dispatch.New(c, o)
	return &Bench{Conversation: c, Client: d.FromClient(), Agent: d.FromAgent()}
}

// Negotiate lets the peers initialize with a version, and forgets these lines. It returns b.
func (b *Bench) Negotiate(version int) *Bench {
	b.Says(dispatch.Client, `{"id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
	b.Says(dispatch.Agent, fmt.Sprintf(`{"id":"i","result":{"protocolVersion":%d}}`, version))
	b.Sent()
	return b
}

// Says sends a line of a peer. It panics if the line is changed without a reason.
func (b *Bench) Says(from dispatch.Side, line string) {
	d, to := b.Client, &b.ToAgent
	if from == dispatch.Agent {
		d, to = b.Agent, &b.ToClient
	}
	out, change := wire.Apply(d, nil, []byte(line+"\n"))
	if b.Why = reasons(change); b.Why == "" && string(out) != line+"\n" {
		panic("without a reason it became " + string(out))
	}
	add(to, out)
	b.Drain()
}

// Drain delivers the lines that adapters have made. It adds their reasons to Why.
func (b *Bench) Drain() {
	for isDone := false; !isDone; {
		isDone = true
		for _, d := range []*dispatch.Direction{b.Client, b.Agent} {
			to := &b.ToAgent
			if d == b.Agent {
				to = &b.ToClient
			}
			lines, change := d.Drain(nil)
			add(to, lines)
			b.Why += reasons(change)
			isDone = isDone && len(lines) == 0
		}
	}
}

func reasons(change wire.Change) (why string) {
	causes := change.By
	for _, added := range change.Added {
		causes = append(causes, added.By...)
	}
	for _, c := range causes {
		if c.Why.Text == "" {
			panic("there is no reason for a change by " + c.Name)
		}
		why += c.Why.String()
	}
	return why
}

// Sent returns what the peers got since the last call.
func (b *Bench) Sent() (toClient, toAgent []string) {
	b.Drain()
	toClient, toAgent = b.ToClient, b.ToAgent
	b.ToClient, b.ToAgent = nil, nil
	return toClient, toAgent
}

func add(to *[]string, lines []byte) {
	for line := range bytes.Lines(lines) {
		*to = append(*to, string(line))
	}
}

// Passes sends a line of a peer. It is an error if the other peer does not get the same line, or if
// the first one gets anything.
func (b *Bench) Passes(t testing.TB, from dispatch.Side, line string) {
	t.Helper()
	b.Sent()
	b.Says(from, line)
	others, got := b.Sent()
	if from == dispatch.Agent {
		others, got = got, others
	}
	if strings.Join(got, "") != line+"\n" || len(others) > 0 {
		t.Errorf("%q became %q, and its sender got %q", line, got, others)
	}
}
