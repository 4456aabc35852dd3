package rule

import (
	"bytes"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Look implements dispatch.LineReader. A line passes if no rule matches messages with such a
// beginning. A whole line also passes if the prefilter excludes all rules.
func (c *Chain) Look(from dispatch.Side, line []byte, whole bool) wire.Verdict {
	e := c.directions[from.Index()]
	e.selection()
	if from == Agent && c.releasable.Load() || c.opts.Events.Step != nil {
		return wire.Hold
	}
	d := e.decided(line)
	if d == nil {
		var v wire.Verdict
		if d, v = e.peek(line, whole); d == nil {
			return v
		}
	}
	if len(d.rules) == 0 || whole && !d.mayMatch(line) {
		return wire.Pass
	}
	return wire.Hold
}

// A direction decides about the lines of one side. It is for one goroutine at a time.
type direction struct {
	c    *Chain
	side Side

	// The fields below are derived from sel, and reset when it changes.
	sel       *selection
	decisions map[string]*decision // by method and kind of update
	key       []byte
	seen      [4]beginning // of recent lines
	oldest    int          // the index in seen to overwrite next
}

// A decision is the rules that can match a method and kind of update.
type decision struct {
	rules []*compiledRule
	prefilter
}

// A beginning is the beginning of a line, with its decision.
type beginning struct {
	head []byte
	*decision
}

// Limits of the remembered methods and kinds.
const (
	maxDecisions = 1 << 8
	maxKey       = 1 << 10
)

// selection returns the rules that can match now.
func (e *direction) selection() *selection {
	if sel := e.c.selections[e.side.Index()].Load(); sel != e.sel {
		*e = direction{c: e.c, side: e.side, sel: sel, decisions: map[string]*decision{}}
	}
	return e.sel
}

// decided returns the decision for a line whose beginning is in seen, or nil.
func (e *direction) decided(line []byte) *decision {
	for i := range e.seen {
		if b := &e.seen[i]; len(b.head) > 0 && bytes.HasPrefix(line, b.head) {
			return b.decision
		}
	}
	return nil
}

// peek reads the head of a line. If it returns no decision, it returns a verdict: the line is not a
// request or notification, or its head is not enough.
func (e *direction) peek(line []byte, whole bool) (*decision, wire.Verdict) {
	head := line
	if !whole {
		head = line[:min(len(line), wire.HeadSize)]
	}
	h, reading := wire.PeekHead(head, e.tellsEnough)
	switch {
	case reading == wire.NotJSON:
		return nil, wire.Pass
	case reading == wire.Incomplete:
		return nil, wire.More
	case reading != wire.Decided:
		return nil, wire.Hold
	case h.Response:
		return nil, e.peekResponse(h)
	case h.Method == nil:
		return nil, wire.Pass // not a message
	}
	d := e.decide(h)
	if h.ID == nil && h.Size <= wire.HeadSize {
		e.seen[e.oldest] = beginning{append(e.seen[e.oldest].head[:0], head[:h.Size]...), d}
		e.oldest = (e.oldest + 1) % len(e.seen)
	}
	return d, wire.Hold
}

// tellsEnough reports whether a head is enough for a decision.
func (e *direction) tellsEnough(h wire.Head) bool {
	switch {
	case h.Response:
		return h.ID != nil
	case h.Method == nil:
		return false
	}
	return !e.sel.updates || h.SessionUpdate != nil || string(h.Method) != acp.SessionUpdate
}

// decide returns the decision for requests and notifications with a head.
func (e *direction) decide(h wire.Head) *decision {
	e.key = append(append(e.key[:0], h.Method...), 0)
	if e.sel.updates {
		e.key = append(e.key, h.SessionUpdate...)
	}
	if d := e.decisions[string(e.key)]; d != nil {
		return d
	}
	d := e.decisionOf(e.sel.calls(string(h.Method), string(h.SessionUpdate)))
	if len(e.key) > maxKey {
		e.key = nil
		return d
	}
	if len(e.decisions) >= maxDecisions {
		clear(e.decisions)
	}
	e.decisions[string(e.key)] = d
	return d
}

// decisionOf returns the decision for these rules. Equal rules share one, because filters take
// memory.
func (e *direction) decisionOf(rules []*compiledRule) *decision {
	for _, d := range e.decisions {
		if slices.Equal(d.rules, rules) {
			return d
		}
	}
	return &decision{rules, newPrefilter(rules)}
}

// peekResponse decides about a response by its head.
func (e *direction) peekResponse(h wire.Head) wire.Verdict {
	r := e.c.conversation.Pending(e.side.Other(), h.ID)
	if slices.ContainsFunc(e.sel.rules, func(rule *compiledRule) bool {
		return rule.answers() && (rule.responseTo == nil || r != nil && rule.responseTo.match(r.Asked))
	}) {
		return wire.Hold
	}
	return wire.Pass
}
