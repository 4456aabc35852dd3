package repair

import (
	"fmt"
	"strconv"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Usage is an adapter that tells the tokens of a turn where a client looks for them. The size of
// the context is not known, so no usage_update is made.
//
//   - Settles: An agent tells the tokens of a turn in _meta.quota of the prompt's response only; a
//     client looks for usage.
//   - For: Gemini CLI.
//   - Keys: repair.usage
//   - Read: google-gemini/gemini-cli#29389, google-gemini/gemini-cli#23148, cline/cline#14251
type Usage struct{ repair }

// NewUsage returns a Usage adapter.
func NewUsage(isOn IsOn) *Usage {
	return &Usage{newRepair(isOn, dispatch.Want{From: dispatch.Agent, Responses: []string{conversation.Prompt}})}
}

// Handle implements dispatch.Adapter.
func (*Usage) Handle(m *dispatch.Message) {
	result := m.Result()
	if m.Request == nil || !m.Request.Prompts() || !wire.IsAbsent(result.Raw("usage")) {
		return
	}
	if usage := usageOf(result.Raw("_meta")); usage != nil {
		m.Because("acpshim adds the tokens where clients look for them (repair.usage)")
		m.Edit(result.Set(wire.Setting{Name: "usage", Value: usage})...)
	}
}

// usageOf returns the usage that _meta.quota tells; nil if it tells none. A command that needs no
// model tells zeros.
func usageOf(meta []byte) []byte {
	input, isInput := count(meta, "input_tokens")
	output, isOutput := count(meta, "output_tokens")
	if !isInput || !isOutput || input+output == 0 {
		return nil
	}
	return fmt.Appendf(nil, `{"totalTokens":%d,"inputTokens":%d,"outputTokens":%d}`, input+output, input, output)
}

// count reads a number of tokens.
func count(meta []byte, name string) (n int64, ok bool) {
	raw := wire.Pointer{"quota", "token_count", name}.Raw(meta)
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil && n >= 0 && n <= 1<<52
}
