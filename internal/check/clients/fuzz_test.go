package clients

import (
	"bytes"
	"testing"

	"acpshim/internal/check/conformance"
)

// FuzzJudge judges any lines, of the agent if they begin with "<". Each rule has a finding that
// says something.
func FuzzJudge(f *testing.F) {
	const ask = "\n<" + `{"jsonrpc":"2.0","id":0,"method":"_acpshim.dev/ask","params":{}}` + "\n"
	f.Add([]byte(hello + "<" + `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"demo"}}` + ask + `{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}`))
	f.Add([]byte("{\n}\n" + `[{"jsonrpc":"2.0","id":null,"method":"session/prompt","params":[]}]` + ask + ask))
	f.Add([]byte("\xef\xbb\xbf{}\n\xff\n" + `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"demo","prompt":[{"type":"image"},7]}}`))
	f.Add([]byte("<" + `{"id":1,"method":"session/request_permission","params":{"sessionId":"s","options":[{"optionId":"a","kind":"allow_once"}]}}` + "\n" +
		`{"method":"session/cancel","params":{"sessionId":"s"}}` + "\n" + `{"id":"1","result":{"outcome":[]},"error":null}`))
	f.Fuzz(func(t *testing.T, lines []byte) {
		j := newJudge()
		for line := range bytes.Lines(lines) {
			if own, ok := bytes.CutPrefix(line, []byte("<")); ok {
				j.sent(own)
			} else {
				j.received(line)
			}
		}
		for _, r := range j.asked {
			j.overdue(r.id)
		}
		j.now = j.now.Add(limit)
		j.closed()
		r := j.report(nil)
		for _, f := range r.Rules {
			if f.Text == "" || f.Status == conformance.Failed && f.Got == "" {
				t.Errorf("%+v", f)
			}
		}
		if len(r.Rules) != 17 || len(j.faults) > maxFaults {
			t.Errorf("%d rules, %d faults", len(r.Rules), len(j.faults))
		}
	})
}
