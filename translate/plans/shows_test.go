package plans

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/translate"
)

// Records say which updates a line shows. Two texts that are sent together, and the plan next to
// them, each name their own update.
func TestEachLineNamesTheUpdateThatItShows(t *testing.T) {
	c := old(options{Settings: settings{Policy: translate.Checklists, Prose: true}})
	through(c.FromClient(), `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
	from := c.FromAgent()
	var got []string // the plan in a line, and the number of the update that it shows
	agent := func(line string) {
		out, change := wire.Apply(from, nil, []byte(line+"\n"))
		note := func(text []byte, by []wire.Cause) {
			for _, cause := range by {
				for _, of := range cause.Shows {
					got = append(got, fmt.Sprintf("%s of %d", titleOf(string(text)), of.Number))
				}
			}
		}
		note(out, change.By)
		for _, a := range change.Added {
			note(out[a.Start:a.End], a.By)
		}
	}
	agent(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Legacy","priority":"medium","status":"pending"}]}}}`)
	agent(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"w","entries":[{"content":"Work","priority":"medium","status":"pending"}]}}}}`)
	agent(planUpdate("s", "a", "# Alpha\n\nProse."))
	agent(planUpdate("s", "b", "# Beta\n\nProse."))
	agent(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`)
	if want := []string{"Legacy of 1", "Legacy of 2", "Alpha of 3", "Beta of 4"}; !slices.Equal(got, want) {
		t.Errorf("the lines show %q, want %q", got, want)
	}
}

// titleOf returns which of the plans a line shows.
func titleOf(line string) string {
	for _, title := range []string{"Alpha", "Beta", "Legacy"} {
		if strings.Contains(line, title) {
			return title
		}
	}
	return line
}
