package telemetry

import (
	"encoding/hex"
	"strings"

	"acpshim/internal/chain/wire"
	"acpshim/internal/system/otlp"
)

// promptText returns the text of a prompt. For a block that is not text, it has the type in
// brackets.
func promptText(raw []byte) string {
	var b strings.Builder
	blocks, _ := wire.Elements(raw)
	for _, raw := range blocks {
		block, _ := wire.Parse(raw)
		text, ok := block.Text("text")
		if kind, _ := block.Text("type"); !ok {
			text = "[" + kind + "]"
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
		if b.Len() > maxContent {
			break
		}
	}
	return otlp.Cut(b.String(), maxContent)
}

// messageList returns a list with one message for gen_ai.input.messages or gen_ai.output.messages.
func messageList(role, text string) string {
	b := append([]byte(`[{"role":"`), role...)
	b = wire.Quote(append(b, `","parts":[{"type":"text","content":`...), text)
	return string(append(b, "}]}]"...))
}

// asText returns a raw value as a text, or "" if it is missing or null.
func asText(raw []byte) string {
	if wire.IsAbsent(raw) {
		return ""
	}
	return otlp.Cut(string(raw), maxContent)
}

// joinTrace moves a span to the trace that the request names in _meta.traceparent. An agent can
// name only the trace of its prompt.
func joinTrace(s *otlp.Span, meta *wire.Object, fromClient bool) {
	text, _ := meta.Text("traceparent")
	parts := strings.Split(text, "-")
	if len(text) < 55 || len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || strings.ToLower(text) != text {
		return
	}
	var trace otlp.TraceID
	var parent otlp.SpanID
	if !decodeID(trace[:], parts[1]) || !decodeID(parent[:], parts[2]) || !fromClient && trace != s.TraceID {
		return
	}
	s.TraceID, s.Parent = trace, parent
	state, _ := meta.Text("tracestate")
	s.TraceState = otlp.Cut(state, 512)
}

// decodeID decodes an id. It returns false for zero, or if the length is wrong.
func decodeID(to []byte, text string) bool {
	if len(text) != 2*len(to) || strings.Trim(text, "0") == "" {
		return false
	}
	_, err := hex.Decode(to, []byte(text))
	return err == nil
}
