package history

import (
	"fmt"
	"strings"
	"testing"
)

// A message that acpshim held and sent later as it was is known with the one that was sent. One
// that was dropped is not.
func TestHeldMessagesAreSentLater(t *testing.T) {
	line := func(seq int, stage, by, why, method string) string {
		return fmt.Sprintf(`{"kind":"message","seq":%d,"dir":"agent","stage":%q,"by":[%q],"why":[%q],"len":1,"msg":{"jsonrpc":"2.0","method":%q}}`, seq, stage, by, why, method)
	}
	h := readAll(t,
		line(1, "in", "opening", "acpshim holds it until the response that opens its session (opening.hold)", "a"),
		line(2, "in", "a rule", "a rule holds it until its session is open", "b"),
		line(3, "in", "other", "a rule drops it", "c"),
		line(4, "out", "opening", "acpshim held updates until this response (opening.hold)", "a"),
		line(5, "out", "opening", "acpshim held updates until this response (opening.hold)", "b"),
		line(6, "out", "other", "", "c"),
		line(7, "in", "a rule", "", "response"),
		line(8, "out", "a rule", "", "response"),
		strings.Replace(line(9, "out", "a rule", "", "b"), `"out"`, `"out","of":7`, 1), // a rule holds it until #7
		line(10, "in", "turns", "acpshim holds it", "d"),
		strings.Replace(line(11, "out", "turns", "", "d"), `"out"`, `"out","of":10`, 1))
	for i, want := range []uint64{4, 9, 0, 9: 0} {
		got := uint64(0)
		if m := h.Messages[i].Later; m != nil {
			got = m.Seq
		}
		if got != want {
			t.Errorf("#%d was sent later as #%d, want #%d", i+1, got, want)
		}
	}
}
