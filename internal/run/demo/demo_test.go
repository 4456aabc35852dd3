package demo

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/proxy"
)

// A plan whose file the disk gives late is drawn beside its update, if it comes with the response.
// One that never comes is an error.
func TestAPlanFileThatComesLate(t *testing.T) {
	update := wire.SessionUpdate("s", []byte(`{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"next","uri":"file:///p"}}`))
	plan := wire.SessionUpdate("s", []byte(`{"sessionUpdate":"plan","entries":[{"content":"Rest","status":"pending"}]}`))
	response := []byte(`{"id":1,"result":{}}` + "\n")
	for name, test := range map[string]struct {
		got  [][]byte // of the update and of the response
		want bool
	}{
		"in time": {[][]byte{plan, response}, true},
		"late":    {[][]byte{nil, slices.Concat(plan, response)}, true},
		"never":   {[][]byte{nil, response}, false},
		"cut off": {[][]byte{nil}, false},
	} {
		var out bytes.Buffer
		s := &stage{out: &out, steps: []step{{oldGot: []string{"plan", "  [ ] Rest"}}}}
		for i, sent := range [][]byte{update, response}[:len(test.got)] {
			s.see(sent, test.got[i])
		}
		s.close(nil, proxy.Status{}, nil, s.got.String())
		drawn := strings.Contains(out.String(), "[ ] Rest")
		if ok := len(s.wrong) == 0; ok != test.want || drawn != test.want {
			t.Errorf("%s: %v, drawn:\n%s", name, s.wrong, &out)
		}
	}
}
