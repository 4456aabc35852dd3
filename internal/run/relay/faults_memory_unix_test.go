//go:build unix

package relay_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The updates of one moment are bounded. A command prints a byte, and many calls show it, each with
// other terminals.
func TestUpdatesForOnePrintedByteAreBounded(t *testing.T) {
	measures(t)
	var last *command
	l := startLive(t, "[services]\nterminal = true\n", []string{"s"}, commands(&last))
	var ids []string
	for i := range 16 {
		l.agentSays(createTerminal(fmt.Sprint("1", i), "s", ""))
		created := l.agentHears(`"terminalId"`)
		ids = append(ids, field(created[len(created)-1], "result", "terminalId"))
		last.printed = strings.Repeat("printed\n", 4<<10)
	}
	const calls = 24
	for i := range calls {
		l.agentSays(updateOf("s", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"t%d","title":"T","content":%s}`, i, showing(ids...))))
		l.clientHears(fmt.Sprintf(`"t%d"`, i))
	}
	l.client.mu.Lock()
	l.client.largest = 0
	l.client.mu.Unlock()
	last.printed += "the end"
	last.Grown()
	l.clientHears("the end")
	l.clientHearsAll(100 * time.Millisecond)
	l.client.mu.Lock()
	defer l.client.mu.Unlock()
	// A call with what its terminals printed is at most a MiB here.
	if most := 4 * mib; l.client.largest > most {
		t.Errorf("%d KiB are made at once, want at most %d KiB", l.client.largest>>10, most>>10)
	}
}
