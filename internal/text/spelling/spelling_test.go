package spelling_test

import (
	"testing"

	"acpshim/internal/text/spelling"
)

func TestNearest(t *testing.T) {
	names := []string{"plan.policy", "plan.prose", "claude", "codex", "on"}
	for wrong, want := range map[string]string{
		"plan.polcy": "plan.policy", // a letter is missing
		"PLAN.PROSE": "plan.prose",  // case does not count
		"codxe":      "codex",       // two letters are swapped
		"no":         "on",
		"cladue":     "claude",
		"something":  "",
		"":           "",
	} {
		if got := spelling.Nearest(wrong, names); got != want {
			t.Errorf("%q: got %q, want %q", wrong, got, want)
		}
	}
	if got := spelling.DidYouMean("codxe", names); got != `did you mean "codex"?` {
		t.Errorf("got %s", got)
	}
	if got := spelling.DidYouMean("something", names); got != "" {
		t.Errorf("got %s for a name that is like no other", got)
	}
}
