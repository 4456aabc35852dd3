package versions

import (
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
)

// allocates returns the number of bytes that f allocates.
func allocates(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// many returns a format n times, with the numbers from 0 on and with commas between.
func many(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(all, ",")
}

// What is made of a line is charged before it is made, so a line takes memory in proportion to its
// length.
func TestWhatIsMadeOfALineIsBounded(t *testing.T) {
	long := strings.Repeat("x", 256<<10)
	callWith := func(members string) string {
		return `{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T",` + members + `}`
	}
	printed := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("line\n", 12<<10)))
	for name, c := range map[string]struct {
		shake   func(*world)
		updates []string
	}{
		"many changes of one file": {oldClient, []string{callWith(`"content":[{"type":"diff","changes":[` + many(1000, `{"operation":"modify","path":"/a","n":%d}`) +
			`],"patch":{"format":"git_patch","text":"--- /a\n+++ /a\n@@ -0,0 +1,1 @@\n+` + long + `\n"}}]`)}},
		"a terminal that a call shows often": {oldClient, []string{
			callWith(`"content":[` + many(3000, `{"type":"terminal","terminalId":"x","n":%d}`) + `]`),
			`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"` + printed + `"}`,
		}},
		"a message of many blocks next to a long member": {oldClient, []string{
			`{"sessionUpdate":"agent_message","messageId":"m","content":[` + many(2000, `{"type":"text","text":"%d"}`) + `]},"_meta":{"long":"` + long + `"}`,
		}},
		"many members of _meta": {oldClient, []string{callWith(`"_meta":{"long":"` + long + `",` + many(2000, `"m%d":1`) + `}`)}},
		"many members that _meta no longer has": {newClient, []string{
			callWith(`"_meta":{` + many(1000, `"m%d":1`) + `}`), callWith(`"_meta":{"long":"` + long + `"}`),
		}},
		"a long path of quotes":      {newClient, []string{callWith(`"content":[{"type":"diff","path":"/` + strings.Repeat(`\"`, 7<<20) + `","newText":"b"}]`)}},
		"many diffs with long paths": {newClient, []string{callWith(`"content":[` + many(9900, `{"type":"diff","path":"/`+strings.Repeat("p", 1500)+`%d","newText":"b"}`) + `]`)}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 0)
			c.shake(w)
			var lines [][]byte
			sent, written := 0, 0
			for _, update := range c.updates {
				line := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update
				line += strings.Repeat("}", strings.Count(line, "{")-strings.Count(line, "}")) + "\n"
				lines, sent = append(lines, []byte(line)), sent+len(line)
			}
			used := allocates(func() {
				for _, line := range lines {
					out, _ := wire.Apply(w.fromAgent, nil, line)
					written += len(out)
				}
				for out, _ := w.fromAgent.Flush(nil, false); len(out) > 0; out, _ = w.fromAgent.Flush(nil, false) {
					written += len(out)
				}
			})
			if most := 30*sent + 16<<20; used > most {
				t.Errorf("lines of %d KiB became %d KiB and took %d KiB of memory, want at most %d KiB", sent>>10, written>>10, used>>10, most>>10)
			}
			w.checkSize(t, name)
		})
	}
}

// Each prompt that waits takes as much memory as the others: none lists all of them.
func TestTheCostOfAPromptDoesNotGrow(t *testing.T) {
	const n = 200
	run := func(n int) int {
		w := newWorld(t, 0)
		newClient(w)
		return allocates(func() {
			for i := range n {
				w.says("client", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s","prompt":[],"idempotencyKey":"k%[1]d"}}`, i))
			}
			for i := range n {
				w.says("agent", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}`, i))
			}
			if last := w.agent[len(w.agent)-1]; read(last).Method != "session/prompt" || string(read(last).ID) != fmt.Sprint(n-1) {
				t.Errorf("the agent got %s last", last)
			}
		})
	}
	if once, thrice := run(n), run(3*n); thrice > 4*once {
		t.Errorf("%d prompts take %d KiB, %d take %d KiB", n, once>>10, 3*n, thrice>>10)
	}
}
