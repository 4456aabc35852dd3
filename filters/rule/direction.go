package rule

import (
	"bytes"
	"encoding/binary"

	"acpshim/filters/rule/prefilter"
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Look implements dispatch.Adapter. Lines pass if no rule is about messages that begin so, and
// whole lines also if the prefilter finds that no rule can match.
func (c *Chain) Look(from dispatch.Side, line []byte, whole bool) wire.Verdict {
	e := c.directions[from.Index()]
	if from == Agent && c.releasable.Load() {
		return wire.Hold
	}
	if whole && e.passes(line) {
		return wire.Pass
	}
	return e.peek(line[:min(len(line), wire.HeadSize)])
}

// A direction decides on the lines of one side. It is for one goroutine at a time.
type direction struct {
	c    *Chain
	side Side

	// The fields below are derived from sel, and dropped when it changes.
	sel       *selection
	decisions map[string]decision // by method and kind of update
	key       []byte
	filters   map[string]*prefilter.Filter // by the indices of their rules
	seen      [4]beginning                 // of the last lines that were decided by reading them
	oldest    int                          // the index in seen that is overwritten next
}

// Bounds on the methods and kinds that are remembered: how many, and the bytes of
// one.
const (
	maxDecisions = 1 << 10
	maxKey       = 1 << 10
)

// selection returns the rules that can apply now.
func (e *direction) selection() *selection {
	if sel := e.c.selections[e.side.Index()].Load(); sel != e.sel {
		*e = direction{c: e.c, side: e.side, sel: sel, decisions: map[string]decision{}, filters: map[string]*prefilter.Filter{}}
	}
	return e.sel
}

// peek decides by the beginning of a line.
func (e *direction) peek(head []byte) wire.Verdict {
	sel := e.selection()
	if e.c.opts.Events.Step != nil {
		return wire.Hold
	}
	if b := e.beginningOf(head); b != nil {
		return b.decision.verdict()
	}
	h, reading := wire.PeekHead(head, e.tellsEnough)
	switch {
	case reading == wire.NotJSON:
		return wire.Pass
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
	if h.ID == nil {
		e.seen[e.oldest] = beginning{head: append(e.seen[e.oldest].head[:0], head[:h.Size]...), decision: d, filter: e.filter(d)}
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

// beginningOf returns the beginning in seen that a line has, or nil.
func (e *direction) beginningOf(head []byte) *beginning {
	for i := range e.seen {
		if b := &e.seen[i]; len(b.head) > 0 && bytes.HasPrefix(head, b.head) {
			return b
		}
	}
	return nil
}

// tellsEnough reports whether the head tells enough to decide.
func (e *direction) tellsEnough(h wire.Head) bool {
	switch {
	case h.Response:
		return h.ID != nil
	case h.Method == nil:
		return false
	case e.sel.updates && h.SessionUpdate == nil && string(h.Method) == "session/update":
		return false
	}
	return true
}

// decide returns the rules that may match requests and notifications with that head.
func (e *direction) decide(h wire.Head) decision {
	e.key = append(append(e.key[:0], h.Method...), 0)
	if e.sel.updates {
		e.key = append(e.key, h.SessionUpdate...)
	}
	d, ok := e.decisions[string(e.key)]
	if !ok {
		d = e.sel.decide(string(h.Method), string(h.SessionUpdate))
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

// peekAnswer decides on a response by its head: it passes if no rule is about it.
func (e *direction) peekAnswer(sel *selection, h wire.Head) wire.Verdict {
	var r *conversation.Request
	for _, rule := range sel.rules {
		if !rule.answers() {
			continue
		}
		if rule.responseTo == nil {
			return wire.Hold
		}
		if r == nil {
			if r = e.c.conversation.Pending(e.side.Other(), h.ID); r == nil {
				continue
			}
		}
		if rule.responseTo.match(r.Asked) {
			return wire.Hold
		}
	}
	return wire.Pass
}

// passes reports whether no rule can match a whole line.
func (e *direction) passes(line []byte) bool {
	e.selection()
	b := e.beginningOf(line)
	if b == nil {
		if e.peek(line[:min(len(line), wire.HeadSize)]) == wire.Pass {
			return true
		}
		b = e.beginningOf(line)
	}
	switch {
	case b != nil && b.filter != nil:
		return !b.filter.MayMatch(line)
	case b != nil:
		return b.decision.passes()
	case e.c.opts.Events.Step != nil:
		return false
	}
	h, reading := wire.PeekHead(line, e.tellsEnough)
	if reading != wire.Decided || h.Response || h.Method == nil {
		return false
	}
	return !e.filter(e.decide(h)).MayMatch(line)
}

// A beginning is how lines begin for which the same was decided.
type beginning struct {
	head     []byte
	decision decision
	filter   *prefilter.Filter // nil if no rule may match such lines
}

// maxFilters bounds the filters that are remembered: peers that use more kinds
// of messages than rules distinguish share them.
const maxFilters = 64

// filter returns the prefilter of the rules that may match such a message, or nil.
func (e *direction) filter(d decision) *prefilter.Filter {
	if d.passes() {
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
