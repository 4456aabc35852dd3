package telemetry

import (
	"cmp"
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

// A session is the state of a session.
type session struct {
	model   string
	turn    *turn            // the latest pending prompt
	loading int              // the number of pending requests for which the agent may replay updates
	tools   map[string]*tool // of pending prompts, and outside of prompts
}

// A turn is a pending prompt.
type turn struct {
	span     *otlp.Span
	hasText  bool            // the agent has sent a chunk of a message
	contents strings.Builder // the text of the chunks, with Options.Contents
}

// session returns the state of a session. If there are too many, it first forgets idle ones.
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

// beginTurn makes the span of a request that of a prompt.
func (t *tracer) beginTurn(m *history.Message, span *otlp.Span, params *wire.Object) *turn {
	s := t.session(m.Session)
	s.turn = &turn{span: span}
	span.Add(otlp.Text("gen_ai.operation.name", "invoke_agent"), otlp.Text("gen_ai.request.model", s.model))
	if t.opts.Contents {
		span.Add(otlp.Text("gen_ai.input.messages", messageList("user", promptText(params.Raw("prompt")))))
	}
	return s.turn
}

// endTurn ends the tool calls of a prompt. It sets the name of the agent, which may have come after
// the prompt.
func (t *tracer) endTurn(request *history.Message, ended *turn, mono time.Duration) {
	ended.span.Name = strings.TrimSpace("invoke_agent " + t.agent.name)
	ended.span.Add(otlp.Text("gen_ai.agent.name", t.agent.name), otlp.Text("gen_ai.agent.version", t.agent.version))
	s := t.session(request.Session)
	t.endTools(s, ended, mono)
	if s.turn == ended {
		s.turn = nil
	}
	if text := ended.contents.String(); text != "" {
		if t.opts.Redact != nil {
			text = t.opts.Redact(text)
		}
		ended.span.Add(otlp.Text("gen_ai.output.messages", messageList("assistant", text)))
	}
}

// noteResult notes the result of a request.
func (t *tracer) noteResult(m *history.Message, c *call, result *wire.Object) {
	fromClient := m.Request.Message.Dir == record.Client
	switch method := m.Method; {
	case method == acp.SessionRequestPermission:
		c.noteOutcome(result.Open("outcome"))
	case !fromClient:
	case method == acp.Initialize:
		agent := result.Open("agentInfo")
		t.agent.name, t.agent.version = otlp.Cut(agent.Info("name"), maxText), otlp.Cut(agent.Info("version"), maxText)
		c.span.Add(otlp.Text("gen_ai.agent.name", t.agent.name), otlp.Text("gen_ai.agent.version", t.agent.version),
			otlp.Text("acp.protocol_version", wire.ID(result.Raw("protocolVersion"))))
	case method == acp.SessionPrompt:
		reason, _ := result.Text("stopReason")
		if reason = otlp.Cut(reason, maxText); reason != "" {
			c.span.Add(otlp.Texts("gen_ai.response.finish_reasons", reason))
		}
		noteUsage(c.span, result.Open("usage"))
	case strings.HasPrefix(method, "session/") && m.Session != "":
		t.noteModel(m.Session, result, c.model)
	}
	if s := t.session(m.Request.Session); fromClient && mayReplay(m.Method) && s.loading > 0 {
		s.loading--
	}
}

// noteOutcome notes the response to a permission request.
func (c *call) noteOutcome(o *wire.Object) {
	what, _ := o.Text("outcome")
	option, _ := o.Text("optionId")
	c.span.Add(otlp.Text("acp.permission.outcome", otlp.Cut(what, maxText)),
		otlp.Text("acp.permission.option_kind", c.options[option]))
}

// mayReplay reports whether an agent may replay earlier updates for a request with this method.
func mayReplay(method string) bool { return method == acp.SessionLoad || method == acp.SessionResume }

// noteModel notes the model of a session: the one in the object, or else the one that was
// requested.
func (t *tracer) noteModel(session string, o *wire.Object, asked string) {
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

// noteUsage notes the tokens that a prompt used.
func noteUsage(span *otlp.Span, usage *wire.Object) {
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
