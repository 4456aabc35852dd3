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

// Play sends the lines of both peers through the adapters of a configuration. Then has the recorded
// output at each end, and now has today's. Complete is false if a line was not played because it
// was too long to be recorded.
func Play(h *history.History, c config.Config, o relay.Options) (then, now Outputs, complete bool, err error) {
	// Plan files get their text from the record, because today's may differ.
	o.ReadFile = func(uri string, _ []string) (string, error) {
		return "", fmt.Errorf("the record does not have the file %q", uri)
	}
	chain := relay.NewOffline(c, o, map[string]string{})
	then, now, complete = Outputs{}, Outputs{}, true
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
		output := func(from wire.Side, lines []byte) { now.add(from, lines, m) }
		if failure := m.Ending(); failure != nil && !isOver {
			isOver = true
			chain.End(failure, output) // m is the first message after the end
		}
		isToAcpshim := m.Kind == history.Response && m.Request != nil && !m.Request.Message.Received()
		if m.Message.Received() && !isToAcpshim {
			if err := chain.Send(m.Message.Dir, m.Message.Line, output); err != nil {
				return nil, nil, false, err
			}
		}
	}
	return then, now, complete, nil
}

// An Output has the lines that came out at one end, in order.
type Output struct {
	Lines    [][]byte
	Messages []*history.Message // each line's message in the record, or the one that caused it
}

// Outputs has the output at each end, by the side that sent the original messages.
type Outputs map[wire.Side]Output

func (p Outputs) add(dir wire.Side, lines []byte, of *history.Message) {
	end := p[dir]
	for line := range bytes.Lines(lines) {
		end.Lines, end.Messages = append(end.Lines, line), append(end.Messages, of)
	}
	p[dir] = end
}

// asksForFile reports whether acpshim asks the client for a plan file. A replay takes its text from
// the record instead.
func asksForFile(m *history.Message) bool {
	return m.Method == acp.FSReadTextFile && m.Message.Dir == record.Agent && !m.Message.Received() && m.Message.Of == 0
}
