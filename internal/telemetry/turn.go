package telemetry

import (
	"cmp"
	"maps"
	"strconv"
	"strings"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/otlp"
	"acpshim/internal/record"
	"acpshim/internal/wire"
)

// A session is what is known of one.
type session struct {
	model   string
	turn    *turn            // the latest prompt without a response
	loading int              // requests that have the agent tell again what was before
	tools   map[string]*tool // those of prompts that go on, and those outside of prompts
}

// A turn is a prompt that goes on.
type turn struct {
	span   *otlp.Span
	spoke  bool
	spoken strings.Builder // what the agent said; only if contents are wanted
}

// session returns the state of a session. If there are too many, those that wait for nothing go.
func (t *tracer) session(id string) *session {
	s := t.sessions[id]
	if s != nil {
		return s
	}
	if len(t.sessions) >= maxSessions {
		t.forgetEnded()
		maps.DeleteFunc(t.sessions, func(_ string, s *session) bool {
			return s.turn == nil && s.loading == 0 && len(s.tools) == 0
		})
	}
	s = &session{tools: map[string]*tool{}}
	t.sessions[id] = s
	return s
}

// beginTurn makes of a request the span of a prompt.
func (t *tracer) beginTurn(m *history.Message, span *otlp.Span, params *wire.Object) *turn {
	s := t.session(m.Session)
	s.turn = &turn{span: span}
	span.Add(otlp.Text("gen_ai.operation.name", "invoke_agent"), otlp.Text("gen_ai.request.model", s.model))
	if t.opts.Contents {
		span.Add(otlp.Text("gen_ai.input.messages", said("user", promptText(params.Raw("prompt")))))
	}
	return s.turn
}

// endTurn ends the tool calls of a prompt. The agent may have told its name after the prompt.
func (t *tracer) endTurn(request *history.Message, ended *turn, mono time.Duration) {
	ended.span.Name = strings.TrimSpace("invoke_agent " + t.agent.name)
	ended.span.Add(otlp.Text("gen_ai.agent.name", t.agent.name), otlp.Text("gen_ai.agent.version", t.agent.version))
	s := t.session(request.Session)
	t.endTools(s, ended, mono)
	if s.turn == ended {
		s.turn = nil
	}
	if spoken := ended.spoken.String(); spoken != "" {
		if t.opts.Redact != nil {
			spoken = t.opts.Redact(spoken)
		}
		ended.span.Add(otlp.Text("gen_ai.output.messages", said("assistant", spoken)))
	}
}

// result notes what the result of a request says.
func (t *tracer) result(m *history.Message, c *call, result *wire.Object) {
	fromClient := m.Request.Message.Dir == record.Client
	switch method := m.Method; {
	case method == "session/request_permission":
		c.outcome(result.Open("outcome"))
	case !fromClient:
	case method == "initialize":
		agent := result.Open("agentInfo")
		t.agent.name, t.agent.version = otlp.Cut(agent.Info("name"), maxText), otlp.Cut(agent.Info("version"), maxText)
		c.span.Add(otlp.Text("gen_ai.agent.name", t.agent.name), otlp.Text("gen_ai.agent.version", t.agent.version),
			otlp.Text("acp.protocol_version", wire.ID(result.Raw("protocolVersion"))))
	case method == "session/prompt":
		reason, _ := result.Text("stopReason")
		if reason = otlp.Cut(reason, maxText); reason != "" {
			c.span.Add(otlp.Texts("gen_ai.response.finish_reasons", reason))
		}
		usage(c.span, result.Open("usage"))
	case strings.HasPrefix(method, "session/") && m.Session != "":
		t.model(m.Session, result, c.model)
	}
	if s := t.session(m.Request.Session); fromClient && tellsAgain(m.Method) && s.loading > 0 {
		s.loading--
	}
}

// outcome notes what a person decided.
func (c *call) outcome(o *wire.Object) {
	what, _ := o.Text("outcome")
	option, _ := o.Text("optionId")
	c.span.Add(otlp.Text("acp.permission.outcome", otlp.Cut(what, maxText)),
		otlp.Text("acp.permission.option_kind", c.options[option]))
}

// tellsAgain reports whether an agent may answer a method with updates of what was before.
func tellsAgain(method string) bool { return method == "session/load" || method == "session/resume" }

// model notes the model of a session: the one that was asked for, or the one that an object names.
func (t *tracer) model(session string, o *wire.Object, asked string) {
	now, _ := wire.Text(wire.Pointer{"currentModelId"}.Raw(o.Raw("models")))
	options, _ := wire.Elements(o.Raw("configOptions"))
	for _, raw := range options {
		option, _ := wire.Parse(raw)
		if category, _ := option.Text("category"); category == "model" {
			now, _ = option.Text("currentValue")
		}
	}
	if now = cmp.Or(now, asked); now != "" {
		t.session(session).model = otlp.Cut(now, maxText)
	}
}

// usage notes the tokens that a prompt took.
func usage(span *otlp.Span, usage *wire.Object) {
	for _, count := range [...]struct{ member, attribute string }{
		{"inputTokens", "gen_ai.usage.input_tokens"},
		{"outputTokens", "gen_ai.usage.output_tokens"},
		{"cachedReadTokens", "gen_ai.usage.cache_read.input_tokens"},
		{"cachedWriteTokens", "gen_ai.usage.cache_creation.input_tokens"},
		{"thoughtTokens", "gen_ai.usage.reasoning.output_tokens"},
	} {
		if n, err := strconv.ParseInt(string(usage.Raw(count.member)), 10, 64); err == nil {
			span.Add(otlp.Int(count.attribute, n))
		}
	}
}
