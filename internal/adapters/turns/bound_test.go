package turns_test

import (
	"fmt"
	"runtime"
	"testing"

	"acpshim/internal/adapters/turns"
	"acpshim/internal/chain/dispatch"
)

// Each prompt that waits takes as much memory as the others: none lists all of them.
func TestTheCostOfAPromptDoesNotGrow(t *testing.T) {
	const n = 200
	run := func(n int) int {
		b := newBench(turns.Settings{Queue: n})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range n {
			b.Says(dispatch.Client, prompt(i, "s"))
		}
		for i := range n {
			b.Says(dispatch.Agent, fmt.Sprintf(`{"id":%d,"result":{"stopReason":"end_turn"}}`, i))
		}
		runtime.ReadMemStats(&after)
		if _, toAgent := b.Sent(); len(toAgent) != n {
			t.Errorf("the agent got %d prompts, want %d", len(toAgent), n)
		}
		return int(after.TotalAlloc - before.TotalAlloc)
	}
	if once, thrice := run(n), run(3*n); thrice > 4*once {
		t.Errorf("%d prompts take %d KiB, %d take %d KiB", n, once>>10, 3*n, thrice>>10)
	}
}
