package plans

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
)

// streamed returns the updates of a document that grows to size bytes.
func streamed(size, updates int) [][]byte {
	var text strings.Builder
	for i := 0; text.Len() < size; i++ {
		switch i % 12 {
		case 0:
			fmt.Fprintf(&text, "\n## Part %d of the work\n\n", i/12)
		case 1, 2:
			text.WriteString("Some words about why this part is needed, and what it must not break on the way there.\n\n")
		case 3:
			text.WriteString("```go\nfunc main() { println(`- [ ] no step`) }\n```\n\n")
		default:
			fmt.Fprintf(&text, "- [ ] Step %d: change `file%d.go` and **its test**\n", i, i)
		}
	}
	full := text.String()[:size]
	var lines [][]byte
	for i := range updates {
		lines = append(lines, []byte(planUpdate("s", "p", full[:size*(i+1)/updates])+"\n"))
	}
	return lines
}

// BenchmarkStreamedDocument measures the last of 1,000 updates of a growing document.
func BenchmarkStreamedDocument(b *testing.B) {
	for _, size := range []int{1_000, 10_000, 100_000, 200_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			lines := streamed(size, 1000)
			b.SetBytes(int64(size))
			var dst []byte
			for b.Loop() {
				b.StopTimer()
				agent := old(options{Settings: settings{Prose: true}}).FromAgent()
				for _, line := range lines[len(lines)-20 : len(lines)-1] {
					dst, _ = agent.Rewrite(dst[:0], line)
					dst, _ = agent.Flush(dst, false)
				}
				b.StartTimer()
				dst, _ = agent.Rewrite(dst[:0], lines[len(lines)-1])
				dst, _ = agent.Flush(dst, false)
			}
		})
	}
}

// BenchmarkPeek measures a line that the adapter does not need.
func BenchmarkPeek(b *testing.B) {
	chunk := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + strings.Repeat("x", 4000) + `"}}}}`
	last := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"content":{"type":"text","text":"some words"},"sessionUpdate":"agent_message_chunk"}}}`
	other := `{"jsonrpc":"2.0","id":7,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/x"}}`
	for name, line := range map[string]string{"kind first": chunk, "kind last": last, "request": other} {
		b.Run(name, func(b *testing.B) {
			agent := old(options{}).FromAgent()
			head := []byte(line)
			b.ReportAllocs()
			for b.Loop() {
				if agent.Inspect(head, false) != wire.Pass {
					b.Fatal("held")
				}
			}
		})
	}
}

// BenchmarkTools measures the messages of tool calls while todo tools are on.
func BenchmarkTools(b *testing.B) {
	large := strings.Repeat("x", 1<<20)
	bash := toolLine("tool_call", "s", "bash", `"title":"Run","rawInput":{"command":"ls"}`)
	for _, test := range []struct{ name, line string }{
		{"call", bash},
		{"call with 1 MiB", toolLine("tool_call", "s", "write", `"title":"Write","rawInput":{"content":"`+large+`"}`)},
		{"update", toolLine("tool_call_update", "s", "bash", `"content":[]`)},
		{"update with 1 MiB", toolLine("tool_call_update", "s", "bash", `"content":"`+large+`"`)},
		{"todo call", toolLine("tool_call", "s", "todo", `"title":"todowrite","rawInput":{"todos":[`+strings.Repeat(`{"content":"one of the steps","status":"pending"},`, 19)+`{"content":"the last"}]}`)},
	} {
		b.Run(test.name, func(b *testing.B) {
			agent := capable(options{Settings: settings{Tools: shipped()}}).FromAgent()
			through(agent, bash)
			line := []byte(test.line + "\n")
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				if agent.Inspect(line, true) != wire.Pass {
					dst, _ = agent.Rewrite(dst[:0], line)
				}
			}
		})
	}
}
