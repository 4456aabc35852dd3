package repair_test

import (
	"regexp"
	"strings"
	"testing"

	"acpshim/internal/adapters/repair"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
)

// One option that rejects is left: the one that harms least. All others stay, byte for byte.
func TestOneReject(t *testing.T) {
	oneReject := func(_ *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
		return repair.NewOneReject(isOn)
	}
	for _, test := range []struct{ name, options, want string }{
		{"the ticket", "allow_once y,reject_once cancel,reject_once decline", "allow_once y,reject_once decline"},
		{"the other order", "reject_once decline,reject_once cancel,allow_once y", "reject_once decline,allow_once y"},
		{"only cancel", "allow_once y,reject_once cancel", ""},
		{"only an option that lasts", "allow_once y,reject_always never", ""},
		{"cancel lasts less", "reject_always never,reject_once cancel", "reject_once cancel"},
		{"decline lasts", "reject_always decline,reject_once cancel", "reject_once cancel"},
		{"none of the two", "reject_once a,reject_once b,allow_always y", "reject_once a,allow_always y"},
		{"abort and another", "reject_once abort,reject_once b", "reject_once b"},
		{"two that last", "reject_always a,reject_always b", "reject_always a"},
		{"a yes called decline", "allow_once decline,reject_once cancel,reject_once n", "allow_once decline,reject_once n"},
		{"unknown kinds", "ask a,reject b,reject_once n", ""},
		{"the same id twice", "allow_once n,reject_once n,reject_once m", ""},
		{"two that allow", "allow_once a,allow_once b,reject_once n", ""},
	} {
		b := newBench(oneReject, true)
		line := asking(listed(strings.Split(test.options, ",")))
		if test.want == "" {
			b.Passes(t, dispatch.Agent, line)
			continue
		}
		want := asking(listed(strings.Split(test.want, ",")))
		if got := apply(b.Agent, line); unnamed(got) != unnamed(want) {
			t.Errorf("%s: it becomes %s, want %s", test.name, got, want)
		}
	}
}

// unnamed removes the names of options, which are their positions.
func unnamed(line string) string {
	return regexp.MustCompile(`"name":"[0-9]", `).ReplaceAllString(line, "")
}
