// Package telemetry makes traces of the messages between a client and an agent: one for each prompt
// with its tool calls and the agent's requests, and one for each other request of the client.
// docs/record.md describes them.
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

// Options say what spans have.
type Options struct {
	Run      string                   // the name of the run, from which ids are made
	Contents bool                     // prompts, answers, inputs and outputs of tools, titles, errors
	Redact   func(text string) string // redacts a message that came in chunks; nil does not
}

// A tracer makes spans of messages. It is for one goroutine.
type tracer struct {
	opts     Options
	emit     func(*otlp.Span)
	began    time.Time     // the run
	last     time.Duration // from began to the latest message
	calls    map[*history.Message]*call
	sessions map[string]*session
	open     int // spans that have not ended
	known    int // tool calls in sessions, also ended ones
	left     int // spans that were left out because too many were open
	gaps     bool
	agent    struct{ name, version string }
}

// Bounds on what a tracer keeps, because peers may never end what they begin. maxTools and
// maxSessions are so much larger than maxOpen that most of them can be forgotten when there are too
// many.
const (
	maxOpen         = 4096     // spans
	maxOpenContents = 256      // spans with contents
	maxText         = 1 << 10  // bytes of a name
	maxContent      = 32 << 10 // bytes of a content
	maxTools        = 4 * maxOpen
	maxSessions     = 4 * maxOpen
)

func newTracer(o Options, emit func(*otlp.Span)) *tracer {
	return &tracer{opts: o, emit: emit, calls: map[*history.Message]*call{}, sessions: map[string]*session{}}
}

// add adds the next message.
func (t *tracer) add(m *history.Message) {
	t.pass(m.Record)
	switch {
	case m.Kind == history.Response:
		t.response(m)
	case !m.Message.Received() && m.Of != nil && !m.IsOwn(): // it replaced a received one
		t.sentRequest(m)
	case m.Kind == history.Request:
		t.request(m)
	case m.Kind == history.Notification:
		t.notification(m)
	}
	if len(m.Method) > maxText {
		m.Method = strings.Clone(otlp.Cut(m.Method, maxText)) // the conversation keeps it while the request is pending
	}
}

// pass notes the time of a message.
func (t *tracer) pass(r record.Record) {
	if t.began.IsZero() {
		t.began = r.Time.Add(-r.Mono)
	}
	t.last = max(t.last, r.Mono)
}

// at returns a time for a span. It is based on the monotonic clock.
func (t *tracer) at(mono time.Duration) int64 { return t.began.Add(mono).UnixNano() }

// begin returns a span that starts at a message, or nil if too many are open. Parent may be nil.
func (t *tracer) begin(m *history.Message, parent *otlp.Span, names ...string) *otlp.Span {
	if t.open >= maxOpen || t.opts.Contents && t.open >= maxOpenContents {
		t.left++
		return nil
	}
	t.open++
	s := &otlp.Span{Start: t.at(m.Mono)}
	s.TraceID, s.ID = otlp.NewIDs(append([]string{t.opts.Run, strconv.FormatUint(m.Seq, 10), m.ID}, names...)...)
	if parent != nil {
		s.TraceID, s.Parent, s.TraceState = parent.TraceID, parent.ID, parent.TraceState
	}
	return s
}

func (t *tracer) end(s *otlp.Span, mono time.Duration) {
	t.open--
	s.End = max(t.at(mono), s.Start)
	t.emit(s)
}

// close ends all open spans. A request without a response failed, unless messages are missing.
func (t *tracer) close() {
	requests := slices.SortedFunc(maps.Keys(t.calls), func(a, b *history.Message) int {
		return compareStart(t.calls[a].span, t.calls[b].span)
	})
	for _, m := range requests {
		c := t.calls[m]
		if c.received != nil {
			t.respond(m, c, c.received)
			continue
		}
		if t.gaps {
			c.span.Add(otlp.Bool("acpshim.incomplete", true))
		} else {
			c.span.Fail("no_response")
		}
		t.finish(m, c, t.last)
	}
	clear(t.calls)
	for _, id := range slices.Sorted(maps.Keys(t.sessions)) {
		t.endTools(t.sessions[id], nil, t.last)
	}
}
