package relay

import (
	"fmt"
	"testing"

	"acpshim"
	"acpshim/internal/config"
)

// Where one adapter has to stand nearer to the agent than another, that has a reason.
func TestTheOrderOfAdapters(t *testing.T) {
	places := map[string]int{}
	for i, a := range New(config.Default(acpshim.DefaultConfig), Options{}).adapters() {
		places[fmt.Sprintf("%T", a)] = i
	}
	place := func(name string) int {
		i, ok := places[name]
		if !ok {
			t.Fatalf("there is no %s among %v", name, places)
		}
		return i
	}
	for _, c := range []struct{ agentward, clientward, because string }{
		{"*repair.LoginCode", "*login.Adapter", "login knows a refusal by its right code"},
		{"*repair.Diffs", "*paths.Adapter", "what is completed has the agent's paths, and is mapped once"},
		{"*paths.Adapter", "*terminals.Adapter", "commands run in folders of the client's machine"},
		{"*paths.Adapter", "*images.Adapter", "images become files of the client's machine"},
		{"*paths.Adapter", "*files.Adapter", "files are read on the client's machine"},
		{"*terminals.Adapter", "*repair.Terminals", "what acpshim runs is shown as text, not taken out"},
		{"*permission.Adapter", "*repair.OptionIDs", "permission rules name the agent's ids"},
		{"*repair.OptionIDs", "*questions.Adapter", "acpshim's own requests keep their ids"},
		{"*plans.Adapter", "*dialect.Adapter", "plan updates that a client gets are spelled for it"},
	} {
		if place(c.agentward) > place(c.clientward) {
			t.Errorf("%s stands behind %s: %s", c.agentward, c.clientward, c.because)
		}
	}
	last := len(places) - 1
	for name, want := range map[string]int{
		"*repair.Fallback": 0,        // nobody takes the refusal of version 2 for the agent's answer
		"*repair.Version":  last - 1, // all read the version that the agent is asked for
		"*rule.Chain":      last,     // rules match what the client sends and gets
	} {
		if place(name) != want {
			t.Errorf("%s stands at %d, want %d", name, place(name), want)
		}
	}
}
