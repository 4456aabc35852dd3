package history

import (
	"testing"

	"acpshim/internal/record"
)

// The codes of a message's reasons say its fate. A rule takes precedence.
func TestFates(t *testing.T) {
	for _, test := range []struct {
		want  Fate
		codes []string
	}{
		{Unknown, nil},
		{Unknown, []string{"plans.invalid"}},
		{Merged, []string{"plans.unchanged"}},
		{Held, []string{"plans.waits-for-file"}},
		{NotShown, []string{"plans.other-shown"}},
		{ByRule, []string{"plans.other-shown", "rule.dropped"}},
	} {
		m := &Message{Record: record.Record{Message: &record.Message{Why: []string{"a rule drops it"}}}}
		for _, code := range test.codes {
			m.Message.Reasons = append(m.Message.Reasons, record.Reason{Code: code})
		}
		if got := m.Fate(); got != test.want {
			t.Errorf("%q: %q, want %q", test.codes, got, test.want)
		}
	}
}
