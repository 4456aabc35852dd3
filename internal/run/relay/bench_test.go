package relay

import (
	"fmt"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/internal/setup/config"
)

// It measures a request and its response without pipes: one that no adapter wants, and two that
// adapters handle.
func BenchmarkRoundTrip(b *testing.B) {
	for _, c := range []struct{ method, params, result string }{
		{"_bench/ping", `{"sessionId":"s","x":"y"}`, `{}`},
		{"session/set_mode", `{"sessionId":"s","modeId":"code"}`, `{}`},
		{"session/prompt", `{"sessionId":"s","prompt":[{"type":"text","text":"go on"}]}`, `{"stopReason":"end_turn"}`},
	} {
		b.Run(c.method, func(b *testing.B) {
			o := New(config.Default(), Options{}).Options()
			var out []byte
			pass := func(i wire.Interceptor, line string) { out, _ = wire.Apply(i, out[:0], []byte(line+"\n")) }
			pass(o.FromClient, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
			pass(o.FromAgent, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`)
			pass(o.FromClient, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/tmp","mcpServers":[]}}`)
			pass(o.FromAgent, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}}`)
			request := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":%q,"params":%s}`, c.method, c.params)
			response := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"result":%s}`, c.result)
			b.ReportAllocs()
			for b.Loop() {
				pass(o.FromClient, request)
				pass(o.FromAgent, response)
			}
		})
	}
}
