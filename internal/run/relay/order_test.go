package relay

import (
	"fmt"
	"testing"

	"acpshim/internal/setup/config"
)

// If an adapter must be nearer to the agent than another one, the test says why.
func TestTheOrderOfAdapters(t *testing.T) {
	c := config.Default()
	places := placesOf(c)
	place := func(name string) int {
		i, ok := places[name]
		if !ok {
			t.Fatalf("there is no %s among %v", name, places)
		}
		return i
	}
	for _, c := range []struct{ agentward, clientward, because string }{
		{"*instructions.Adapter", "*turns.Adapter", "a prompt that the agent never gets has not given the text"},
		{"*turns.Adapter", "*login.Adapter", "a prompt that login sends again waits for its turn"},
		{"*repair.LoginCode", "*login.Adapter", "login knows a refusal by its right code"},
		{"*repair.Diffs", "*paths.Adapter", "what is completed has the agent's paths, and is mapped once"},
		{"*paths.Adapter", "*terminals.Adapter", "commands run in folders of the client's machine"},
		{"*paths.Adapter", "*images.Adapter", "images become files of the client's machine"},
		{"*paths.Adapter", "*files.Adapter", "files are read on the client's machine"},
		{"*terminals.Adapter", "*repair.Terminals", "what acpshim runs is shown as text, not taken out"},
		{"*permission.Adapter", "*repair.OptionIDs", "permission rules name the agent's ids"},
		{"*permission.Adapter", "*shape.Adapter", "permission rules name the agent's own kinds"},
		{"*shape.Adapter", "*repair.Outcome", "an option that rejects is known by its kind"},
		{"*repair.Outcome", "*repair.OptionIDs", "what the client chose has the agent's id"},
		{"*shape.Adapter", "*choices.Adapter", "choices read complete lists"},
		{"*repair.OptionIDs", "*questions.Adapter", "acpshim's own requests keep their ids"},
		{"*plans.Adapter", "*repair.MessageBreaks", "texts of acpshim need no more blank lines"},
		{"*turns.Late", "*repair.MessageBreaks", "messages are separated in the order in which the client gets them"},
		{"*plans.Adapter", "*dialect.Adapter", "plan updates that a client gets are spelled for it"},
	} {
		if place(c.agentward) > place(c.clientward) {
			t.Errorf("%s stands behind %s: %s", c.agentward, c.clientward, c.because)
		}
	}
	last := len(places) - 1
	for name, want := range map[string]int{
		"*versions.Agent":  0,        // all others speak version 1 with the agent
		"*repair.Version":  last - 3, // all read the version that the agent is asked for
		"*versions.Client": last - 2, // all others speak version 1 with the client
		"*versions.Early":  last - 1, // nobody sees a request that waits
		"*rule.Chain":      last,     // rules match what the client sends and gets
	} {
		if place(name) != want {
			t.Errorf("%s stands at %d, want %d", name, place(name), want)
		}
	}
}

// With rules.place = "agent", rules are first, and the other adapters keep their order.
func TestTheOrderOfAdaptersWithRulesBesideTheAgent(t *testing.T) {
	c := config.Default()
	before := placesOf(c)
	c.RulesPlace = "agent"
	for name, place := range placesOf(c) {
		want := before[name] + 1
		if name == "*rule.Chain" {
			want = 0
		}
		if place != want {
			t.Errorf("%s stands at %d, want %d", name, place, want)
		}
	}
}

// placesOf returns the positions of the adapters by their types, from the agent on.
func placesOf(c config.Config) map[string]int {
	places := map[string]int{}
	for i, a := range New(c, Options{}).adapters() {
		places[fmt.Sprintf("%T", a)] = i
	}
	return places
}
