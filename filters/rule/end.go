package rule

import (
	"bytes"
	"encoding/binary"
	"errors"
	"sync/atomic"

	"acpshim/filters/rule/prefilter"
	"acpshim/internal/wire"
)

// FromClient returns what sees the lines of the client, with next at its place
// beside the rules. Next may be nil.
func (c *Chain) FromClient(next wire.Interceptor) wire.Interceptor {
	return c.series(next, Client, c.opts.Place == BesideClient)
}

// FromAgent is FromClient for the lines of the agent.
func (c *Chain) FromAgent(next wire.Interceptor) wire.Interceptor {
	return c.series(next, Agent, c.opts.Place == BesideAgent)
}

func (c *Chain) series(next wire.Interceptor, side Side, rulesFirst bool) wire.Interceptor {
	rules := c.end(side)
	switch {
	case len(c.set.rules) == 0 && next != nil:
		return next
	case next == nil:
		return rules
	case rulesFirst:
		return &series{first: rules, second: next}
	}
	return &series{first: next, second: rules}
}

func (c *Chain) end(side Side) *end { return &end{c: c, side: side, chosen: c.chosen[side]} }

// An end applies the rules to the lines of one side. It is for one goroutine.
type end struct {
	c    *Chain
	side Side

	chosen *atomic.Pointer[selection] // by the chain, for this side

	by []string // the rules that changed the line that is rewritten

	late bool // what is held waits for an answer that has passed unread: it goes before the next line

	// What follows is of sel, and begins anew with another.
	sel       *selection
	decisions map[string]decision // by method and kind of update
	key       []byte
	filters   map[string]*prefilter.Filter // by the rules
	seen      [4]beginning                 // lately: a stream repeats its beginning
	oldest    int
}

// A beginning is one of lines for which the same was decided.
type beginning struct {
	head     []byte
	decision decision
	filter   *prefilter.Filter // nil if all such lines are read
}

// Bounds on the methods and kinds that are remembered: how many, and the bytes of
// one.
const (
	maxDecisions = 1 << 10
	maxKey       = 1 << 10
)

// selection returns the rules that can apply now.
func (e *end) selection() *selection {
	if sel := e.chosen.Load(); sel != e.sel {
		*e = end{c: e.c, side: e.side, chosen: e.chosen, by: e.by, late: e.late, sel: sel, decisions: map[string]decision{}, filters: map[string]*prefilter.Filter{}}
	}
	return e.sel
}

// Inspect implements wire.Interceptor. Lines pass that no rule concerns, and whole ones in which
// there is not what the rules ask for.
func (e *end) Inspect(line []byte, whole bool) wire.Verdict {
	if whole && e.passes(line) {
		return wire.Pass
	}
	return e.peek(line[:min(len(line), wire.HeadSize)])
}

// peek is the verdict by the beginning of a line.
func (e *end) peek(head []byte) wire.Verdict {
	sel := e.selection()
	if e.c.opts.Events.Step != nil {
		return wire.Hold
	}
	if sel.idle {
		return wire.Pass
	}
	if e.late {
		return wire.Hold
	}
	if b := e.known(head); b != nil {
		return b.decision.verdict()
	}
	h, reading := wire.PeekHead(head, e.told)
	switch {
	case reading == wire.NotJSON:
		return wire.Pass
	case reading == wire.Incomplete && sel.settled && len(head) >= wire.HeadSize:
		return wire.Pass // it is not held for what it might be
	case reading == wire.Incomplete:
		return wire.More
	case reading != wire.Decided:
		return wire.Hold
	case h.Response:
		return e.peekAnswer(sel, h)
	case h.Method == nil:
		return wire.Pass // no message
	}
	d := e.decide(h)
	if d.passes() && d.noted && h.ID != nil {
		e.c.note(e.side, h.ID, call{method: string(h.Method)})
	}
	if !d.noted && h.ID == nil {
		e.seen[e.oldest] = beginning{head: append(e.seen[e.oldest].head[:0], head[:h.Size]...), decision: d, filter: e.filter(d)}
		e.oldest = (e.oldest + 1) % len(e.seen)
	}
	return d.verdict()
}

// TooLong implements wire.Interceptor: the line may be an answer for which
// messages are held.
func (e *end) TooLong(head []byte) {
	e.late = e.c.missed(e.side, head) || e.late
}

func (d decision) verdict() wire.Verdict {
	if d.passes() {
		return wire.Pass
	}
	return wire.Hold
}

// known returns how such a line begins, if it is known.
func (e *end) known(head []byte) *beginning {
	for i := range e.seen {
		if b := &e.seen[i]; len(b.head) > 0 && bytes.HasPrefix(head, b.head) {
			return b
		}
	}
	return nil
}

// told reports whether the head tells enough to decide.
func (e *end) told(h wire.Head) bool {
	switch {
	case h.Response:
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
		d = e.sel.decide(e.side, string(h.Method), string(h.SessionUpdate))
		if len(e.key) > maxKey {
			e.key = nil
			return d
		}
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
	if ok && sel.reads(e.side.other(), r.method) {
		return true
	}
	for _, rule := range sel.rules {
		if rule.answers() && (rule.responseTo == nil || ok && rule.responseTo.match(r.method)) {
			return true
		}
	}
	return false
}

// Rewrite implements wire.Interceptor.
func (e *end) Rewrite(dst, line []byte) (out []byte, by []string) {
	e.by = nil
	e.selection()
	if e.late {
		e.late = false
		dst, e.by = e.c.release(dst)
	}
	return e.apply(dst, line), e.by
}

// apply appends what the rules make of a line.
func (e *end) apply(dst, line []byte) []byte {
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
		e.unread(err)
	}
	return append(dst, line...)
}

// Flush implements wire.Interceptor: at the end no answer is to come for which
// messages are held.
func (e *end) Flush(dst []byte, end bool) (out []byte, by []string) {
	if end && e.side == Agent {
		return e.c.releaseAll(dst)
	}
	return dst, nil
}

// passes reports whether in a whole line there is not what the rules ask for.
func (e *end) passes(line []byte) bool {
	e.selection()
	if e.late {
		return false
	}
	b := e.known(line)
	if b == nil {
		if e.peek(line[:min(len(line), wire.HeadSize)]) == wire.Pass {
			return true
		}
		b = e.known(line)
	}
	switch {
	case b != nil && b.filter != nil:
		return !b.filter.MayMatch(line)
	case b != nil:
		return b.decision.passes()
	case e.c.opts.Events.Step != nil:
		return false
	}
	h, reading := wire.PeekHead(line, e.told)
	if reading != wire.Decided || h.Response || h.Method == nil {
		return false
	}
	return !e.filter(e.decide(h)).MayMatch(line)
}

// maxFilters bounds the filters that are remembered: peers that use more kinds
// of messages than rules tell apart share them.
const maxFilters = 64

// filter returns what tells that no rule can match such a message, or nil.
func (e *end) filter(d decision) *prefilter.Filter {
	if d.noted || d.passes() {
		return nil
	}
	e.key = e.key[:0]
	for _, r := range d.rules {
		e.key = binary.AppendUvarint(e.key, uint64(r.index))
	}
	f, ok := e.filters[string(e.key)]
	if !ok {
		requirements := make([][]prefilter.Requirement, len(d.rules))
		for i, r := range d.rules {
			requirements[i] = r.requires
		}
		f = prefilter.New(requirements)
		if len(e.filters) >= maxFilters {
			clear(e.filters)
		}
		e.filters[string(e.key)] = f
	}
	return f
}

// unread tells of a message that no rule was applied to.
func (e *end) unread(err error) {
	if len(e.sel.rules) > 0 && e.c.opts.Events.Unread != nil {
		e.c.opts.Events.Unread(err)
	}
}
