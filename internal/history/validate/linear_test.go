package validate

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/dev/growth"
	"acpshim/internal/history"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
)

// The time to check or show a record is linear in its length, also with many methods and sessions.
func TestManyMethodsAndSessions(t *testing.T) {
	read := func(size int, message func(i int) string) *history.History {
		var b strings.Builder
		for i := range size {
			fmt.Fprintf(&b, `{"kind":"message","seq":%d,"dir":"agent","len":1,"msg":%s}`+"\n", i+1, message(i))
		}
		h, err := history.Read(record.NewReader(strings.NewReader(b.String())))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	growth.Linear(t, "methods", 2000, func(size int) func() {
		h := read(size, func(i int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","method":"_x/m%d","params":{}}`, i) })
		return func() { Check(h) }
	})
	growth.Linear(t, "sessions", 1000, func(size int) func() {
		h := read(size, func(i int) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s%d","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`, i)
		})
		return func() {
			v := view.New()
			for _, m := range h.Messages {
				v.Message(m)
			}
		}
	})
}
