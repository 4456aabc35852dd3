package demo

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"acpshim/proxy"
)

// A plan whose file the disk gives late is drawn beside its update, if it comes with the response.
// One that never comes is an error.
func TestAPlanFileThatComesLate(t *testing.T) {
	update, _ := json.Marshal(map[string]any{"method": "session/update", "params": map[string]any{
		"sessionId": "s", "update": update("file", "next", "uri", "file:///p")}})
	plan, _ := json.Marshal(map[string]any{"method": "session/update", "params": map[string]any{
		"sessionId": "s", "update": legacy("pending", "Rest")}})
	response := []byte(`{"id":1,"result":{}}` + "\n")
	update, plan = append(update, '\n'), append(plan, '\n')
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
		s := &stage{out: &out, steps: []step{{oldGot: "\n\t\t\tplan\n\t\t\t  [ ] Rest"}}}
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
