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
	received *history.Message  // the response of the other peer, before the sender gets it; or nil
	turn     *turn             // of a prompt
	model    string            // that the request asks for
	options  map[string]string // of a permission request: the kinds of options by their ids
}

// request begins the span of a request.
func (t *tracer) request(m *history.Message) {
	o, _ := wire.Parse(m.JSON, "params", "params._meta")
	params := o.Open("params")
	var parent *otlp.Span
	if m.Message.Dir == record.Agent {
		parent = t.parent(m, params)
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
	case m.Method == acp.SessionRequestPermission:
		c.options = optionKinds(params.Raw("options"))
	case !fromClient:
	case m.Method == acp.SessionPrompt:
		c.turn = t.beginTurn(m, c.span, params)
	case m.Method == acp.SessionSetModel:
		c.model, _ = params.Text("modelId")
	case replays(m.Method):
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

// sentRequest notes the options of a permission request as it was sent to its receiver. acpshim may
// have changed their ids, and the response has the changed ones.
func (t *tracer) sentRequest(m *history.Message) {
	if c := t.calls[m.Of]; c != nil && c.options != nil {
		o, _ := wire.Parse(m.JSON, "params")
		maps.Copy(c.options, optionKinds(o.Open("params").Raw("options")))
	}
}

// parent returns the span that a request of the agent belongs to: the one of its tool call, or the
// one of the prompt.
func (t *tracer) parent(m *history.Message, params *wire.Object) *otlp.Span {
	s := t.sessions[m.Session]
	if s == nil || s.turn == nil {
		return nil
	}
	if m.Method == acp.SessionRequestPermission {
		if tool := t.toolCall(m, s, params.Raw("toolCall")); tool != nil {
			return tool.span
		}
	}
	return s.turn.span
}

// sender returns who sent a request.
func sender(m *history.Message) string {
	if !m.Message.Received() {
		return "acpshim"
	}
	return string(m.Message.Dir)
}

// response ends the span of a request when its sender gets a response. The span has the response of
// the other peer, unless acpshim turned it into an error, or an error into a result.
func (t *tracer) response(m *history.Message) {
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
		t.respond(request, c, c.received)
		return
	}
	if !m.Message.Received() {
		by := request.Message.By
		if len(by) == 0 {
			by = m.Message.By
		}
		c.span.Add(otlp.Texts("acpshim.answered_by", by...))
	}
	t.respond(request, c, m)
}

// respond ends the span of a request with a response.
func (t *tracer) respond(request *history.Message, c *call, m *history.Message) {
	delete(t.calls, request)
	o, _ := wire.Parse(m.JSON, "result", "result.agentInfo", "result.outcome", "result.usage", "error")
	if m.Failed {
		t.fail(c.span, o.Open("error"))
	}
	t.result(m, c, o.Open("result"))
	t.finish(request, c, m.Mono)
}

// finish ends the span of a request. For a prompt, it first ends those of its tool calls.
func (t *tracer) finish(request *history.Message, c *call, mono time.Duration) {
	c.span.Add(otlp.Text("gen_ai.conversation.id", otlp.Cut(request.Session, maxText)))
	if c.turn != nil {
		t.endTurn(request, c.turn, mono)
	}
	t.end(c.span, mono)
}

// fail notes an error. The span always has its code, and its message only with contents.
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
