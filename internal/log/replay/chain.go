package replay

import (
	"bytes"
	"fmt"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/run/planfile"
	"acpshim/internal/run/relay"
	"acpshim/internal/setup/config"
	"acpshim/proxy"
	"acpshim/translate/plans"
)

// Play plays the lines of both peers through the chain of adapters of a configuration. Then is the
// output at each end when it was recorded, now is today's. Complete is false if a line was too long
// to be recorded, so it is not played.
func Play(h *history.History, c config.Config, o relay.Options) (then, now Passages, complete bool, err error) {
	then, chain, complete := Passages{}, chainOfRecord(c, o), true
	for m, r := range h.Each() {
		if r.File != nil {
			chain.read(r.File)
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
		ours := m.Kind == history.Response && m.Request != nil && !m.Request.Message.Received() // to a request of acpshim's
		if failure := m.Ending(); failure != nil && !chain.isOver {
			chain.end(failure, m)
		}
		if m.Message.Received() && !ours {
			if err := chain.take(m); err != nil {
				return nil, nil, false, err
			}
		}
	}
	return then, chain.went, complete, nil
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

// A recordedChain is the chain of adapters of a configuration, without processes.
type recordedChain struct {
	relay   *relay.Relay
	options proxy.Options
	files   map[string]*record.File // as they were last read, by path
	went    Passages
	isOver  bool // the agent has ended
}

// chainOfRecord makes a chain that reads the plan files of the record, because today's may differ.
func chainOfRecord(c config.Config, o relay.Options) *recordedChain {
	r := &recordedChain{files: map[string]*record.File{}, went: Passages{}}
	o.ReadFile = func(uri string, _ []string) (string, error) {
		path, err := planfile.Path(uri)
		if err != nil {
			path = uri
		}
		f, ok := r.files[path]
		switch {
		case ok && f.Busy:
			return "", plans.ErrBusy
		case ok:
			return f.Text, nil
		}
		return "", fmt.Errorf("the record does not have the file %q", uri)
	}
	o.Aside = func([]byte) {} // it was moved aside at the time
	r.relay = relay.New(c, o)
	r.options = r.relay.Options()
	return r
}

// read plays the reading of a plan file.
func (r *recordedChain) read(f *record.File) {
	if r.files[f.Path] = f; f.Noticed {
		r.went.add(record.Agent, r.relay.FileRead(f.Path, f.Text), nil)
	}
}

// take plays a line, and the responses of rules to it.
func (r *recordedChain) take(m *history.Message) error {
	look := r.options.FromClient
	if m.Message.Dir == record.Agent {
		look = r.options.FromAgent
	}
	var out bytes.Buffer
	if err := proxy.Relay(&out, bytes.NewReader(m.Message.Line), look, r.options.HoldLimit); err != nil {
		return err
	}
	r.went.add(m.Message.Dir, out.Bytes(), m)
	for more := true; more; {
		toClient, toAgent := wire.DrainAll(r.options.FromAgent), wire.DrainAll(r.options.FromClient)
		r.went.add(record.Agent, toClient, m)
		r.went.add(record.Client, toAgent, m)
		more = len(toClient)+len(toAgent) > 0
	}
	return nil
}

// end plays the end of the agent. M is the first message that resulted.
func (r *recordedChain) end(failure []byte, m *history.Message) {
	r.isOver = true
	r.went.add(record.Agent, wire.FlushLast(r.options.FromAgent), m)
	r.relay.End(relay.EndingOf(failure))
	r.went.add(record.Agent, wire.FlushLast(r.options.FromAgent), m)
}
