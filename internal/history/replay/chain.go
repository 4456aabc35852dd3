package replay

import (
	"bytes"
	"fmt"

	"acpshim/internal/config"
	"acpshim/internal/history"
	"acpshim/internal/record"
	"acpshim/internal/relay"
	"acpshim/internal/wire"
	"acpshim/proxy"
)

// Play plays what both peers sent through the chain that a configuration makes. Then is what came
// out at each end when it was recorded, now what comes out today. Complete is false if a line was
// too long to be recorded, and is not played.
func Play(h *history.History, c config.Config, o relay.Options) (then, now Passages, complete bool, err error) {
	then, chain, complete := Passages{}, chainOfRecord(c, o), true
	for m := range h.Lines() {
		if m.Message.Line == nil {
			complete = false
			continue
		}
		if m.Message.Sent() {
			then.add(m.Message.Dir, m.Message.Line, m)
		}
		ours := m.Kind == history.Response && m.Request != nil && !m.Request.Message.Received() // to a request of acpshim's
		if m.Message.Received() && !ours {
			if err := chain.take(m); err != nil {
				return nil, nil, false, err
			}
		}
	}
	return then, chain.went, complete, nil
}

// A Passage is what came out at one end, in order.
type Passage struct {
	Lines [][]byte
	Of    []*history.Message // what each is in the record, or came of
}

// Passages are by who sent what was made into them.
type Passages map[record.Direction]Passage

func (p Passages) add(dir record.Direction, lines []byte, of *history.Message) {
	end := p[dir]
	for line := range bytes.Lines(lines) {
		end.Lines, end.Of = append(end.Lines, line), append(end.Of, of)
	}
	p[dir] = end
}

// A recordedChain is the chain of a configuration, played by hand.
type recordedChain struct {
	options proxy.Options
	went    Passages
}

// chainOfRecord makes a chain that reads no files: those of today are not
// those of the record.
func chainOfRecord(c config.Config, o relay.Options) *recordedChain {
	r := &recordedChain{went: Passages{}}
	o.ReadFile = func(uri string, _ []string) (string, error) {
		return "", fmt.Errorf("the record has no files: %q", uri)
	}
	o.Aside = func([]byte) {} // was moved aside then
	r.options = relay.New(c, o).Options()
	return r
}

// take plays a line, and what rules answer to it.
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

// RenameMessages gives acpshim's own messages in a redacted record the ids that
// they get when it is played through a configuration: these are made of ids of
// sessions and of texts as they were before.
func RenameMessages(h *history.History, c config.Config, o relay.Options) error {
	at := wire.Pointer{"params", "update", "messageId"}
	without := func(line []byte) string {
		id, ok := at.Find(line)
		if !ok {
			return string(line)
		}
		return string(wire.Splice(nil, line, wire.Edit{Span: id}))
	}
	chain := chainOfRecord(c, o)
	ids := map[string][][]byte{} // by the line without its id
	for m := range h.Lines() {
		if m.Message.Line == nil || !m.Message.Received() {
			continue
		}
		if err := chain.take(m); err != nil {
			return err
		}
	}
	for _, line := range chain.went[record.Agent].Lines {
		if id := at.Raw(line); id != nil {
			ids[without(line)] = append(ids[without(line)], id)
		}
	}
	for m := range h.Lines() {
		if m.Message.Dir != record.Agent || !m.Message.Sent() || at.Raw(m.Message.Line) == nil {
			continue
		}
		same := without(m.Message.Line)
		if len(ids[same]) == 0 {
			continue
		}
		id, _ := at.Find(m.Message.Line)
		m.Message.Line = wire.Splice(nil, m.Message.Line, wire.Edit{Span: id, With: ids[same][0]})
		ids[same] = ids[same][1:]
	}
	return nil
}
