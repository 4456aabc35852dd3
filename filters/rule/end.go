package rule

import (
	"bytes"
	"errors"

	"acpshim/wire"
)

// Interceptor is a proxy.Interceptor.
type Interceptor interface {
	Peek(head []byte) wire.Verdict
	Rewrite(dst, line []byte) []byte
}

// FromClient returns what sees the lines of the client, with next at its place
// beside the rules. Next may be nil.
func (c *Chain) FromClient(next Interceptor) Interceptor {
	return c.series(next, Client, c.opts.Place == BesideClient)
}

// FromAgent is FromClient for the lines of the agent.
func (c *Chain) FromAgent(next Interceptor) Interceptor {
	return c.series(next, Agent, c.opts.Place == BesideAgent)
}

func (c *Chain) series(next Interceptor, side Side, rulesFirst bool) Interceptor {
	rules := &end{c: c, side: side}
	switch {
	case len(c.set.rules) == 0 && next != nil:
		return next
	case next == nil:
		return rules
	case rulesFirst:
		return &series{rules, next, nil}
	}
	return &series{next, rules, nil}
}

// An end applies the rules to the lines of one side. It is for one goroutine.
type end struct {
	c    *Chain
	side Side

	// What follows is of sel, and begins anew with another.
	sel       *selection
	decisions map[string]decision // by method and kind of update
	key       []byte
	search    *search
	seen      [4]beginning // lately: a stream repeats its beginning
	oldest    int
}

// A beginning is one of lines for which the same was decided.
type beginning struct {
	head     []byte
	decision decision
}

// maxDecisions bounds the methods and kinds that are remembered.
const maxDecisions = 1 << 10

// selection returns the rules that can apply now.
func (e *end) selection() *selection {
	if sel := e.c.chosen[e.side].Load(); sel != e.sel {
		*e = end{c: e.c, side: e.side, sel: sel, decisions: map[string]decision{}, search: newSearch(sel.literals())}
	}
	return e.sel
}

// Peek implements Interceptor.
func (e *end) Peek(head []byte) wire.Verdict {
	sel := e.selection()
	if d := e.known(head); d != nil {
		return d.verdict()
	}
	h, reading := wire.PeekHead(head, e.told)
	switch {
	case reading == wire.Foreign:
		return wire.Pass
	case reading == wire.Short:
		return wire.More
	case reading != wire.Told:
		return wire.Hold
	case h.Answer:
		return e.peekAnswer(sel, h)
	case h.Method == nil:
		return wire.Pass // no message
	}
	d := e.decide(h)
	if d.passes() && d.noted && h.ID != nil {
		e.c.note(e.side, h.ID, call{method: string(h.Method)})
	}
	if !d.noted && h.ID == nil {
		e.seen[e.oldest] = beginning{append(e.seen[e.oldest].head[:0], head[:h.Size]...), d}
		e.oldest = (e.oldest + 1) % len(e.seen)
	}
	return d.verdict()
}

func (d decision) verdict() wire.Verdict {
	if d.passes() {
		return wire.Pass
	}
	return wire.Hold
}

// known returns what was decided for a line that begins like this.
func (e *end) known(head []byte) *decision {
	for i := range e.seen {
		if b := &e.seen[i]; len(b.head) > 0 && bytes.HasPrefix(head, b.head) {
			return &b.decision
		}
	}
	return nil
}

// told reports whether the head tells enough to decide.
func (e *end) told(h wire.Head) bool {
	switch {
	case h.Answer:
		return h.ID != nil
	case h.Method == nil:
		return false
	case e.sel.updates && h.SessionUpdate == nil && string(h.Method) == "session/update":
		return false
	}
	return h.ID != nil || !e.decide(h).noted
}

// decide returns what concerns messages of that head.
func (e *end) decide(h wire.Head) decision {
	e.key = append(append(e.key[:0], h.Method...), 0)
	if e.sel.updates {
		e.key = append(e.key, h.SessionUpdate...)
	}
	d, ok := e.decisions[string(e.key)]
	if !ok {
		d = e.c.set.decide(e.side, e.sel, string(h.Method), string(h.SessionUpdate))
		if len(e.decisions) >= maxDecisions {
			clear(e.decisions)
		}
		e.decisions[string(e.key)] = d
	}
	return d
}

// peekAnswer lets an answer pass that concerns no rule and no state.
func (e *end) peekAnswer(sel *selection, h wire.Head) wire.Verdict {
	r, ok := e.c.asked(e.side.other(), h.ID)
	if e.concerns(sel, r, ok) {
		return wire.Hold
	}
	if ok {
		e.c.answered(e.side.other(), h.ID)
	}
	return wire.Pass
}

func (e *end) concerns(sel *selection, r call, ok bool) bool {
	if ok && e.side == Agent && (r.method == "initialize" || opens(r.method)) {
		return true
	}
	for _, rule := range sel.rules {
		if rule.answers() && (rule.responseTo == nil || ok && rule.responseTo.match(r.method)) {
			return true
		}
	}
	return false
}

// Rewrite implements Interceptor.
func (e *end) Rewrite(dst, line []byte) []byte {
	if e.passes(line) {
		return append(dst, line...)
	}
	p := newPass(e)
	defer p.cancel()
	m, err := readMessage(line)
	if !errors.Is(err, wire.ErrNotObject) {
		return p.line(dst, m, err)
	}
	elements, err := wire.Batch(line)
	switch {
	case err == nil:
		return p.batch(dst, line, elements)
	case !errors.Is(err, wire.ErrNotArray): // else it is no JSON: nobody's message
		e.c.unread(err)
	}
	return append(dst, line...)
}

// passes reports that no literal of the rules that could concern a line stands
// in it, without reading it.
func (e *end) passes(line []byte) bool {
	e.selection()
	if e.c.opts.Events.Step != nil {
		return false
	}
	var d decision
	if known := e.known(line); known != nil {
		d = *known
	} else {
		h, reading := wire.PeekHead(line, e.told)
		if reading != wire.Told || h.Answer || h.Method == nil {
			return false
		}
		d = e.decide(h)
	}
	if d.noted {
		return false
	}
	for _, i := range d.rules {
		if e.search.any[i] {
			return false
		}
	}
	found := e.search.in(line)
	for _, i := range d.rules {
		if found[i] {
			return false
		}
	}
	return true
}
