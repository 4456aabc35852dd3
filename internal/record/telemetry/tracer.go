// Package telemetry makes traces from the messages between a client and an agent. There is a trace
// for each prompt, with its tool calls and the agent's requests, and one for each other request of
// the client. docs/record.md describes them.
package telemetry

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/system/otlp"
)

// Options say what spans contain.
type Options struct {
	Run      string                   // the name of the run; ids are made from it
	Contents bool                     // include prompts, the agent's texts, tool titles and data, and error texts
	Redact   func(text string) string // redacts a message that came in chunks; may be nil
}

// A tracer makes spans from messages. Only one goroutine may use it.
type tracer struct {
	opts     Options
	emit     func(*otlp.Span)
	began    time.Time     // when the run began
	last     time.Duration // the time of the latest message, since began
	calls    map[*history.Message]*call
	sessions map[string]*session
	open     int  // spans that have not ended
	known    int  // tool calls in sessions, including ended ones
	omitted  int  // spans that were omitted because too many were open
	hasGaps  bool // messages may be missing
	agent    struct{ name, version string }
}

// Limits of what a tracer keeps, because peers may never end what they begin. maxTools and
// maxSessions are much larger than maxOpen, so that most tool calls and sessions can be forgotten
// at the limit.
const (
	maxOpen         = 4096     // spans
	maxOpenContents = 256      // spans with contents
	maxText         = 1 << 10  // bytes of a name
	maxContent      = 32 << 10 // bytes of a text with contents
	maxTools        = 4 * maxOpen
	maxSessions     = 4 * maxOpen
)

func newTracer(o Options, emit func(*otlp.Span)) *tracer {
	return &tracer{opts: o, emit: emit, calls: map[*history.Message]*call{}, sessions: map[string]*session{}}
}

// add adds the next message.
func (t *tracer) add(m *history.Message) {
	t.noteTime(m.Record)
	switch {
	case m.Kind == history.Response:
		t.addResponse(m)
	case !m.Message.Received() && m.Of != nil && !m.IsOwn(): // it replaced a received one
		t.addSentRequest(m)
	case m.Kind == history.Request:
		t.addRequest(m)
	case m.Kind == history.Notification:
		t.addNotification(m)
	}
	if len(m.Method) > maxText {
		m.Method = strings.Clone(otlp.Cut(m.Method, maxText)) // the conversation keeps pending requests
	}
}

// noteTime notes the time of a message.
func (t *tracer) noteTime(r record.Record) {
	if t.began.IsZero() {
		t.began = r.Time.Add(-r.Mono)
	}
	t.last = max(t.last, r.Mono)
}

// unixNano returns the time of a message, in nanoseconds since 1970. It follows the monotonic
// clock.
func (t *tracer) unixNano(mono time.Duration) int64 { return t.began.Add(mono).UnixNano() }

// beginSpan returns a span that starts at a message, or nil if too many are open. The parent may be
// nil. The names and the message make its id.
func (t *tracer) beginSpan(m *history.Message, parent *otlp.Span, names ...string) *otlp.Span {
	if t.open >= maxOpen || t.opts.Contents && t.open >= maxOpenContents {
		t.omitted++
		return nil
	}
	t.open++
	s := &otlp.Span{Start: t.unixNano(m.Mono)}
	s.TraceID, s.ID = otlp.NewIDs(append([]string{t.opts.Run, strconv.FormatUint(m.Seq, 10), m.ID}, names...)...)
	if parent != nil {
		s.TraceID, s.Parent, s.TraceState = parent.TraceID, parent.ID, parent.TraceState
	}
	return s
}

// endSpan ends a span and emits it.
func (t *tracer) endSpan(s *otlp.Span, mono time.Duration) {
	t.open--
	s.End = max(t.unixNano(mono), s.Start)
	t.emit(s)
}

// close ends all open spans. A request without a response has failed, unless messages are missing.
func (t *tracer) close() {
	requests := slices.SortedFunc(maps.Keys(t.calls), func(a, b *history.Message) int {
		return compareStart(t.calls[a].span, t.calls[b].span)
	})
	for _, m := range requests {
		c := t.calls[m]
		if c.received != nil {
			t.endRequest(m, c, c.received)
			continue
		}
		if t.hasGaps {
			c.span.Add(otlp.Bool("acpshim.incomplete", true))
		} else {
			c.span.Fail("no_response")
		}
		t.endSpans(m, c, t.last)
	}
	clear(t.calls)
	for _, id := range slices.Sorted(maps.Keys(t.sessions)) {
		t.endTools(t.sessions[id], nil, t.last)
	}
}
