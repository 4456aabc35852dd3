// Package telemetry makes traces of what passes between a client and an agent: a trace of each
// prompt with its tool calls and the agent's requests, and one of each other request of the client.
// docs/telemetry.md describes them.
package telemetry

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/otlp"
	"acpshim/internal/record"
	"acpshim/internal/wire"
)

// Options say what is in spans.
type Options struct {
	Run      string                   // its name, of which ids are made
	Contents bool                     // prompts, messages, inputs and outputs of tools, titles, errors
	Redact   func(text string) string // takes secrets out of what the agent said in pieces; nil for none
}

// A tracer makes spans of messages. It is for one goroutine.
type tracer struct {
	opts     Options
	emit     func(*otlp.Span)
	began    time.Time     // the run
	last     time.Duration // since then, of the latest message
	calls    map[*history.Message]*call
	sessions map[string]*session
	open     int // spans that have not ended
	known    int // tool calls in sessions, those that have ended too
	left     int // spans that were left out, as too many had not ended
	gaps     bool
	agent    struct{ name, version string }
}

// A call is a request without a response.
type call struct {
	span    *otlp.Span
	turn    *turn             // of a prompt
	model   string            // that it asks for
	options map[string]string // of a permission request: the kinds by the ids
}

// Bounds on what a tracer keeps, as peers may never end what they began. The last are so much
// larger than maxOpen that most goes when there is room to be made.
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

// add takes the next message.
func (t *tracer) add(m *history.Message) {
	t.pass(m.Record)
	switch {
	case !m.Message.Received() && m.Of != nil: // what became of another
	case m.Kind == history.Request:
		t.request(m)
	case m.Kind == history.Response:
		t.response(m)
	case m.Kind == history.Notification:
		t.notification(m)
	}
}

// pass notes when a message came.
func (t *tracer) pass(r record.Record) {
	if t.began.IsZero() {
		t.began = r.Time.Add(-r.Mono)
	}
	t.last = max(t.last, r.Mono)
}

// at is the time of something, by a clock that nobody sets.
func (t *tracer) at(mono time.Duration) int64 { return t.began.Add(mono).UnixNano() }

// begin returns a span that begins with a message, below another one if parent is not nil, and
// nil if too many have not ended.
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

// end ends a span.
func (t *tracer) end(s *otlp.Span, mono time.Duration) {
	t.open--
	s.End = max(t.at(mono), s.Start)
	t.emit(s)
}

// request begins the span of a request.
func (t *tracer) request(m *history.Message) {
	o, _ := wire.Parse(m.JSON, "params", "params._meta")
	params := o.Open("params")
	var parent *otlp.Span
	if m.Message.Dir == record.Agent {
		parent = t.above(m, params)
	}
	s := t.begin(m, parent)
	if s == nil {
		return
	}
	follow(s, params.Open("_meta"), m.Message.Dir == record.Client)
	c := &call{span: s}
	t.calls[m] = c
	s.Name, s.Kind = otlp.Cut(m.Method, maxText), otlp.KindClient
	s.Add(
		otlp.Text("rpc.system.name", "jsonrpc"), otlp.Text("rpc.method", s.Name),
		otlp.Text("jsonrpc.protocol.version", "2.0"), otlp.Text("jsonrpc.request.id", strings.TrimPrefix(m.ID, `"`)),
		otlp.Text("network.transport", "pipe"), otlp.Text("acp.sender", sender(m)),
	)
	t.asked(m, c, params)
}

// asked notes what a request asks for.
func (t *tracer) asked(m *history.Message, c *call, params *wire.Object) {
	fromClient := m.Message.Dir == record.Client
	switch {
	case m.Method == "session/request_permission":
		c.options = optionKinds(params.Raw("options"))
	case !fromClient:
	case m.Method == "session/prompt":
		c.turn = t.beginTurn(m, c.span, params)
	case m.Method == "session/set_model":
		c.model, _ = params.Text("modelId")
	case tellsAgain(m.Method):
		t.session(m.Session).loading++
	}
}

// optionKinds are the kinds of the options of a permission request.
func optionKinds(raw []byte) map[string]string {
	kinds := map[string]string{}
	options, _ := wire.Elements(raw)
	for _, raw := range options[:min(len(options), 32)] {
		option, _ := wire.Parse(raw)
		id, _ := option.Text("optionId")
		kind, _ := option.Text("kind")
		kinds[otlp.Cut(id, maxText)] = otlp.Cut(kind, maxText)
	}
	return kinds
}

// above is the span that a request of the agent belongs to: that of the tool call that it is about,
// or that of the prompt.
func (t *tracer) above(m *history.Message, params *wire.Object) *otlp.Span {
	s := t.sessions[m.Session]
	if s == nil || s.turn == nil {
		return nil
	}
	if m.Method == "session/request_permission" {
		if tool := t.toolCall(m, s, params.Raw("toolCall")); tool != nil {
			return tool.span
		}
	}
	return s.turn.span
}

// sender is who sent a request.
func sender(m *history.Message) string {
	if !m.Message.Received() {
		return "acpshim"
	}
	return string(m.Message.Dir)
}

// response ends the span of a request.
func (t *tracer) response(m *history.Message) {
	c := t.calls[m.Request]
	if m.Request == nil || c == nil {
		return
	}
	delete(t.calls, m.Request)
	if !m.Message.Received() {
		c.span.Add(otlp.Texts("acpshim.answered_by", m.Request.Message.By...))
	}
	o, _ := wire.Parse(m.JSON, "result", "result.agentInfo", "result.outcome", "result.usage", "error")
	if m.Failed {
		t.fail(c.span, o.Open("error"))
	}
	t.result(m, c, o.Open("result"))
	t.finish(m.Request, c, m.Mono)
}

// finish ends the span of a request, and of a prompt those of the tool calls before.
func (t *tracer) finish(request *history.Message, c *call, mono time.Duration) {
	c.span.Add(otlp.Text("gen_ai.conversation.id", otlp.Cut(request.Session, maxText)))
	if c.turn != nil {
		t.endTurn(request, c.turn, mono)
	}
	t.end(c.span, mono)
}

// fail notes an error. Its code is for all to see, its message is a content.
func (t *tracer) fail(s *otlp.Span, o *wire.Object) {
	code := "_OTHER"
	if n, err := strconv.Atoi(string(o.Raw("code"))); err == nil {
		code = strconv.Itoa(n)
	}
	s.Fail(code)
	s.Add(otlp.Text("rpc.response.status_code", code))
	if message, _ := o.Text("message"); t.opts.Contents {
		s.Status.Message = otlp.Cut(message, maxContent)
	}
}

// close ends all spans that have not ended: nothing more comes. Whoever owes a response did not
// give it, unless that is missing.
func (t *tracer) close() {
	requests := slices.SortedFunc(maps.Keys(t.calls), func(a, b *history.Message) int {
		return earlier(t.calls[a].span, t.calls[b].span)
	})
	for _, m := range requests {
		c := t.calls[m]
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
