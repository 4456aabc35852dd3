package opening

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"acpshim/internal/chain/dispatch"
)

// An update takes as much memory as with one pending request, however many are pending.
func TestTheCostOfAnUpdateDoesNotGrow(t *testing.T) {
	run := func(requests int) (size uint64) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(64 << 20)
			for i := range requests {
				w.Says(dispatch.Client, create(i))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 200 {
				w.Says(dispatch.Agent, update("s", "x"))
			}
			runtime.ReadMemStats(&after)
			size = after.TotalAlloc - before.TotalAlloc
		})
		return size
	}
	if one, many := run(1), run(1000); many > 2*one {
		t.Errorf("200 updates take %d KiB, with 1000 requests %d KiB", one>>10, many>>10)
	}
}

// The ids of held updates count in the common budget.
func TestLongIDsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(64 << 20)
		w.Says(dispatch.Client, create(1))
		before, id := w.Conversation.Size(), strings.Repeat("s", 1000)
		w.Says(dispatch.Agent, update(id, "x"))
		if more := w.Conversation.Size() - before; more < 3*len(id) {
			t.Errorf("an update with an id of %d bytes counts as %d bytes", len(id), more)
		}
	})
}
