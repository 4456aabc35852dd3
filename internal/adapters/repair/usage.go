package repair

import (
	"fmt"
	"strconv"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Usage is an adapter that adds the tokens of a turn in the standard place. It sends no
// usage_update, because the size of the context is unknown.
//
//   - Settles: You see no tokens: the agent reports them only in _meta.quota of the prompt's
//     response, and the client reads usage.
//   - For: Gemini CLI.
//   - Keys: repair.usage
//   - Seen: gemini-cli 0.61.0
//   - Read: google-gemini/gemini-cli#29389, google-gemini/gemini-cli#23148, cline/cline#14251
type Usage struct{ repair }

// NewUsage returns a Usage adapter.
func NewUsage(isOn IsOn) *Usage {
	return &Usage{newRepair(isOn, dispatch.Want{From: dispatch.Agent, Responses: []string{acp.SessionPrompt}})}
}

// Handle implements dispatch.Adapter.
func (*Usage) Handle(m *dispatch.Message) {
	result := m.Result()
	if m.Request == nil || !m.Request.IsPrompt() || !wire.IsAbsent(result.Raw("usage")) {
		return
	}
	if usage := usageOf(result.Raw("_meta")); usage != nil {
		m.Because(whyUsage)
		m.Edit(result.Set(wire.Setting{Name: "usage", Value: usage})...)
	}
}

// usageOf returns the usage from _meta.quota, or nil if there is none. Zeros do not count: commands
// that need no model report them.
func usageOf(meta []byte) []byte {
	input, isInput := count(meta, "input_tokens")
	output, isOutput := count(meta, "output_tokens")
	if !isInput || !isOutput || input+output == 0 {
		return nil
	}
	return fmt.Appendf(nil, `{"totalTokens":%d,"inputTokens":%d,"outputTokens":%d}`, input+output, input, output)
}

func count(meta []byte, name string) (n int64, ok bool) {
	raw := wire.Pointer{"quota", "token_count", name}.Raw(meta)
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil && n >= 0 && n <= 1<<52
}
