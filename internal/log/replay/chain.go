package replay

import (
	"bytes"
	"fmt"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/run/relay"
	"acpshim/internal/setup/config"
)

// Play plays the lines of both peers through the chain of adapters of a configuration. Then is the
// output at each end when it was recorded, now is today's. Complete is false if a line was too long
// to be recorded, so it is not played.
func Play(h *history.History, c config.Config, o relay.Options) (then, now Passages, complete bool, err error) {
	// Plan files have the texts of the record, because today's may differ.
	o.ReadFile = func(uri string, _ []string) (string, error) {
		return "", fmt.Errorf("the record does not have the file %q", uri)
	}
	chain := relay.NewOffline(c, o, map[string]string{})
	then, now, complete = Passages{}, Passages{}, true
	isOver := false // the agent has ended
	for m, r := range h.Each() {
		if r.File != nil {
			now.add(record.Agent, chain.SetFile(*r.File), nil)
		}
		if m == nil {
			continue
		}
		if m.Message.Line == nil {
			complete = false
			continue
		}
		if m.Message.Sent() && !asksForFile(m) {
			then.add(m.Message.Dir, m.Message.Line, m)
		}
		went := func(from wire.Side, lines []byte) { now.add(from, lines, m) }
		if failure := m.Ending(); failure != nil && !isOver {
			isOver = true
			chain.End(failure, went) // m is the first message that resulted
		}
		ours := m.Kind == history.Response && m.Request != nil && !m.Request.Message.Received() // to a request of acpshim's
		if m.Message.Received() && !ours {
			if err := chain.Send(m.Message.Dir, m.Message.Line, went); err != nil {
				return nil, nil, false, err
			}
		}
	}
	return then, now, complete, nil
}

// A Passage is the output at one end, in order.
type Passage struct {
	Lines [][]byte
	Of    []*history.Message // of each line: its message in the record, or the one that caused it
}

// Passages are the two passages, by the sender of the messages that caused them.
type Passages map[wire.Side]Passage

func (p Passages) add(dir wire.Side, lines []byte, of *history.Message) {
	end := p[dir]
	for line := range bytes.Lines(lines) {
		end.Lines, end.Of = append(end.Lines, line), append(end.Of, of)
	}
	p[dir] = end
}

// asksForFile reports whether acpshim asks the client for a plan file. In a replay the record has
// the text.
func asksForFile(m *history.Message) bool {
	return m.Method == acp.FSReadTextFile && m.Message.Dir == record.Agent && !m.Message.Received() && m.Message.Of == 0
}
