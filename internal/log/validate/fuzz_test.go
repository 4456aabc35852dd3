package validate

import (
	"testing"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// FuzzCheck checks any line after a prompt.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"_tired"}}`), true)
	f.Add([]byte(`{"jsonrpc":"2.0","id":2,"error":{"code":1e999}}`), false)
	f.Add([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"a"}]}}}`), true)
	f.Add([]byte(`[{"jsonrpc":"2.0","id":null,"method":"initialize","params":{"protocolVersion":2}},{}]`), false)
	f.Add([]byte("{\"method\":\"session/prompt\",\"params\":{\"prompt\":[{\"type\":\"\xff\"}]}}"), false)
	f.Fuzz(func(t *testing.T, line []byte, agent bool) {
		dir := record.Client
		if agent {
			dir = record.Agent
		}
		var book history.Conversation
		var messages []*history.Message
		for i, l := range [][]byte{[]byte(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`), line} {
			from := dir
			if i == 0 {
				from = record.Client
			}
			messages = append(messages, book.Add(record.Record{Seq: uint64(i + 1), Message: &record.Message{Dir: from, Line: l, Len: int64(len(l))}})...)
		}
		r := Check(&history.History{Messages: messages})
		notes := 0
		for _, found := range r.Findings {
			if found.Text == "" || found.Seq == 0 || found.Seq > 2 {
				t.Errorf("%+v", found)
			}
			if found.Note {
				notes++
			}
		}
		if r.Notes != notes || r.Errors != len(r.Findings)-notes {
			t.Errorf("%d errors and %d notes of %d", r.Errors, r.Notes, len(r.Findings))
		}
		if bound := (2*maxProblems + 4) * len(messages); len(r.Findings) > bound {
			t.Errorf("%d findings, more than %d", len(r.Findings), bound)
		}
	})
}
