package telemetry

import (
	"maps"
	"strconv"
	"strings"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/system/otlp"
)

// A call is a request that has no response yet.
type call struct {
	span     *otlp.Span
	received *history.Message  // the other peer's response while the sender has none yet, or nil
	turn     *turn             // nil unless the request is a prompt
	model    string            // the model that the request sets
	options  map[string]string // for a permission request: the kinds of its options by their ids
}

// addRequest begins the span of a request.
func (t *tracer) addRequest(m *history.Message) {
	o, _ := wire.Parse(m.JSON, "params", "params._meta")
	params := o.Open("params")
	var parent *otlp.Span
	if m.Message.Dir == record.Agent {
		parent = t.parentSpan(m, params)
	}
	s := t.beginSpan(m, parent)
	if s == nil {
		return
	}
	joinTrace(s, params.Open("_meta"), m.Message.Dir == record.Client)
	c := &call{span: s}
	t.calls[m] = c
	s.Name, s.Kind = otlp.Cut(m.Method, maxText), otlp.KindClient
	s.Add(
		otlp.Text("rpc.system.name", "jsonrpc"), otlp.Text("rpc.method", s.Name),
		otlp.Text("jsonrpc.protocol.version", "2.0"), otlp.Text("jsonrpc.request.id", strings.TrimPrefix(m.ID, `"`)),
		otlp.Text("network.transport", "pipe"), otlp.Text("acp.sender", sender(m)),
	)
	t.noteRequest(m, c, params)
}

// noteRequest notes what a request asks for.
func (t *tracer) noteRequest(m *history.Message, c *call, params *wire.Object) {
	fromClient := m.Message.Dir == record.Client
	switch {
	case m.Method == acp.SessionRequestPermission:
		c.options = optionKinds(params.Raw("options"))
	case !fromClient:
	case m.Method == acp.SessionPrompt:
		c.turn = t.beginTurn(m, c.span, params)
	case m.Method == acp.SessionSetModel:
		c.model, _ = params.Text("modelId")
	case mayReplay(m.Method):
		t.session(m.Session).loading++
	}
}

// optionKinds returns the kinds of the options of a permission request by their ids.
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

// addSentRequest notes the options of a permission request as its receiver gets them. acpshim may
// have changed their ids, and then the response has the new ids.
func (t *tracer) addSentRequest(m *history.Message) {
	if c := t.calls[m.Of]; c != nil && c.options != nil {
		o, _ := wire.Parse(m.JSON, "params")
		maps.Copy(c.options, optionKinds(o.Open("params").Raw("options")))
	}
}

// parentSpan returns the parent of a request of the agent: the span of its tool call, or that of
// the prompt. It returns nil outside of prompts.
func (t *tracer) parentSpan(m *history.Message, params *wire.Object) *otlp.Span {
	s := t.sessions[m.Session]
	if s == nil || s.turn == nil {
		return nil
	}
	if m.Method == acp.SessionRequestPermission {
		if tool := t.updateTool(m, s, params.Raw("toolCall")); tool != nil {
			return tool.span
		}
	}
	return s.turn.span
}

// sender returns the sender of a request, for the attribute acp.sender.
func sender(m *history.Message) string {
	if !m.Message.Received() {
		return "acpshim"
	}
	return string(m.Message.Dir)
}

// addResponse ends the span of a request when its sender gets a response. The span describes the
// other peer's response, unless acpshim turned a result into an error or an error into a result.
func (t *tracer) addResponse(m *history.Message) {
	request := m.Request
	c := t.calls[request]
	if request == nil || c == nil {
		return
	}
	if m.Message.Received() && !m.Message.Sent() && !request.IsOwn() {
		c.received = m
		return
	}
	if c.received != nil && c.received.Failed == m.Failed && m.Of == c.received {
		t.endRequest(request, c, c.received)
		return
	}
	if !m.Message.Received() {
		by := request.Message.By
		if len(by) == 0 {
			by = m.Message.By
		}
		c.span.Add(otlp.Texts("acpshim.answered_by", by...))
	}
	t.endRequest(request, c, m)
}

// endRequest ends the span of a request with the response m.
func (t *tracer) endRequest(request *history.Message, c *call, m *history.Message) {
	delete(t.calls, request)
	o, _ := wire.Parse(m.JSON, "result", "result.agentInfo", "result.outcome", "result.usage", "error")
	if m.Failed {
		t.fail(c.span, o.Open("error"))
	}
	t.noteResult(m, c, o.Open("result"))
	t.endSpans(request, c, m.Mono)
}

// endSpans ends the span of a request, and before it those of a prompt's tool calls.
func (t *tracer) endSpans(request *history.Message, c *call, mono time.Duration) {
	c.span.Add(otlp.Text("gen_ai.conversation.id", otlp.Cut(request.Session, maxText)))
	if c.turn != nil {
		t.endTurn(request, c.turn, mono)
	}
	t.endSpan(c.span, mono)
}

// fail notes an error. The span always has its code. It has the message only with contents.
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
