package repair_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"acpshim/internal/adapters/repair"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

func optionIDs(c *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
	return repair.NewOptionIDs(c, isOn)
}

// A shownOption is an option as the client gets it.
type shownOption struct {
	OptionID string `json:"optionId"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
}

// asking returns a permission request with these options, as JSON.
func asking(options string) string {
	return `{"id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":` + options + `}}`
}

// listed returns options as JSON from texts such as "kind id".
func listed(options []string) string {
	var list []string
	for i, o := range options {
		kind, id, _ := strings.Cut(o, " ")
		list = append(list, fmt.Sprintf(`{"kind":%q, "name":"%d", "optionId":%q}`, kind, i, id))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// choosing returns a response that chooses an option.
func choosing(id string) string {
	return fmt.Sprintf(`{"id":7,"result":{"outcome":{"outcome":"selected","optionId":%q}}}`, id)
}

// Each option gets an id that says what it does, and the agent gets its own id back.
func TestOptionsAreNamedByTheirKinds(t *testing.T) {
	for _, test := range []struct{ name, options, want string }{
		{"claude's plan", "allow_always acceptEdits,allow_once default,reject_once plan", "allow_always allow_once reject_once"},
		{"right ones", "allow_always allow_always,reject_always reject_always", "allow_always reject_always"},
		{"avante's other word", "allow_once allow,allow_always x", "allow_once allow_always"},
		{"several of a kind", "allow_always a,allow_always b,allow_once c,allow_once d", "a allow_always c allow_once"},
		{"several of a kind, the first one named by it", "allow_always allow_always,allow_always b", "option-1 b"},
		{"several of a kind, the last one named by it", "allow_always a,allow_always allow_always", "a allow_always"},
		{"several of a kind, avante's other word", "allow_always allow,allow_always b", "option-1 allow_always"},
		{"kinds that are mixed up", "reject_once allow_once,allow_once reject_once", "option-1 option-2"},
		{"a word that is taken", "reject_once allow_once,allow_once yes", "reject_once yes"},
		{"unknown kinds", "ask what,later allow_always,allow allow", "what option-2 option-3"},
		{"unknown kinds, and an id that is taken", "ask option-2,later allow_always", "option-2 option-3"},
		{"ids of another case", "allow_once ALLOW_ONCE", "allow_once"},
	} {
		t.Run(test.name, func(t *testing.T) {
			options, want := strings.Split(test.options, ","), strings.Fields(test.want)
			for i, option := range options {
				b := newBench(optionIDs, true)
				var replaced []string
				for j, o := range options {
					kind, _, _ := strings.Cut(o, " ")
					replaced = append(replaced, kind+" "+want[j])
				}
				if got, want := apply(b.Agent, asking(listed(options))), asking(listed(replaced)); got != want {
					t.Fatalf(" got %s\nwant %s", got, want)
				}
				_, id, _ := strings.Cut(option, " ")
				if got := apply(b.Client, choosing(want[i])); got != choosing(id) {
					t.Errorf("%s became %s, want %s", choosing(want[i]), got, choosing(id))
				}
			}
		})
	}
}

// The agent gets its ids as it spelled them, however the client spells its own.
func TestIDsAreRestoredAsTheyWere(t *testing.T) {
	b := newBench(optionIDs, true)
	apply(b.Agent, asking(`[ {"kind":"allow_once","optionId":"\u0079\/é"} , {"kind":"reject_once","optionId":""} ]`))
	got := apply(b.Client, `[{"id":8,"result":{}}, {"id":7.0,"result": {"_meta":{"optionId":"allow_once"},"outcome" : {"optionId":"allow\u005fonce", "outcome":"selected"}}}]`)
	want := `[{"id":8,"result":{}}, {"id":7.0,"result": {"_meta":{"optionId":"allow_once"},"outcome" : {"optionId":"\u0079\/é", "outcome":"selected"}}}]`
	if got != want {
		t.Errorf(" got %s\nwant %s", got, want)
	}
}

// A request with unclear options passes unchanged, and so does its response.
func TestUnclearOptionsStay(t *testing.T) {
	const good = `{"kind":"allow_once","optionId":"y"}`
	for _, options := range []string{
		`null`, `{}`, `[]`, `["y"]`, `[` + good + `,null]`,
		`[` + good + `,{"kind":"reject_once"}]`,
		`[` + good + `,{"kind":"reject_once","optionId":7}]`,
		`[` + good + `,{"kind":"reject_once","optionId":null}]`,
		`[` + good + `,{"kind":"reject_once","optionId":"y"}]`,
		`[` + good + `,{"kind":"reject_once","optionId":"\u0079"}]`,
		`[` + good + `,{"kind":"reject_once","optionId":"n","optionId":"m"}]`,
		`[` + good + `,{"kind":"reject_once","optionId":"n","OptionId":"m"}]`,
		`[` + good + `,{"kind":"reject_once","optionId":"\ud800"}]`,
		`[{"optionId":"y"},{"kind":null,"optionId":"n"},{"kind":["allow_once"],"optionId":"o"},{"kind":"Allow_once","optionId":"p"}]`, // no kind that is known
		`[` + good + strings.Repeat(`,{"kind":"x","optionId":"z"}`, wire.MaxElements) + `]`,
	} {
		b := newBench(optionIDs, true)
		if got := apply(b.Agent, asking(options)); got != asking(options) {
			t.Errorf("%.200s became %.200s", asking(options), got)
		}
		if got := apply(b.Client, choosing("allow_once")); got != choosing("allow_once") {
			t.Errorf("%.200s: the response became %s", options, got)
		}
	}
	for _, line := range []string{
		`{"method":"session/request_permission","params":{"options":[` + good + `]}}`,
		`{"id":null,"method":"session/request_permission","params":{"options":[` + good + `]}}`,
		`{"id":1,"method":"session/request_permission","params":[` + good + `]}`,
		`{"id":1,"method":"session/request_permission"}`,
		`{"id":1,"method":"session/request_permission","params":{"options":[` + good + `],"options":[]}}`,
	} {
		if got := apply(newBench(optionIDs, true).Agent, line); got != line {
			t.Errorf("%s became %s", line, got)
		}
	}
	if got := apply(newBench(optionIDs, false).Agent, asking(`[`+good+`]`)); got != asking(`[`+good+`]`) {
		t.Errorf("switched off: got %s", got)
	}
}

// Other responses pass unchanged.
func TestOtherResponsesStay(t *testing.T) {
	for _, response := range []string{
		choosing("y"), choosing("allow_always"), choosing("reject_once"), choosing(""), choosing("n"),
		`{"id":7,"result":{"outcome":{"outcome":"cancelled"}}}`,
		`{"id":7,"result":{"outcome":{"outcome":"cancelled","optionId":"allow_once"}}}`,
		`{"id":7,"result":{"outcome":{"optionId":"allow_once"}}}`,
		`{"id":7,"result":{"outcome":{"outcome":"selected"}}}`,
		`{"id":7,"result":{"outcome":{"outcome":"selected","optionId":["allow_once"]}}}`,
		`{"id":7,"result":{"outcome":"selected","optionId":"allow_once"}}`,
		`{"id":7,"result":{"outcome":{"outcome":"selected","optionId":"allow_once","OptionId":"x"}}}`,
		`{"id":7,"result":{"optionId":"allow_once"},"result":{}}`,
		`{"id":7,"error":{"code":-32601,"message":"allow_once"}}`,
		`{"id":"7","result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}}`,
		`{"id":8,"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}}`,
	} {
		b := newBench(optionIDs, true)
		apply(b.Agent, asking(`[{"kind":"allow_once","optionId":"y"},{"kind":"x","optionId":"n"}]`))
		if got := apply(b.Client, response); got != response {
			t.Errorf("%s became %s", response, got)
		}
	}
}

// A second response has no effect, and another request with the same id has its own options.
func TestIDsAreThoseOfTheirRequest(t *testing.T) {
	b := newBench(optionIDs, true)
	for _, id := range []string{"first", "second"} {
		apply(b.Agent, asking(`[{"kind":"allow_once","optionId":"`+id+`"}]`))
		if got := apply(b.Client, choosing("allow_once")); got != choosing(id) {
			t.Errorf("got %s, want %s", got, choosing(id))
		}
		if got := apply(b.Client, choosing("allow_once")); got != choosing("allow_once") {
			t.Errorf("a second response became %s", got)
		}
	}
	b.Agent.TooLong([]byte(asking(`[{"kind":"allow_once","optionId":"long`)))
	if got := apply(b.Client, choosing("allow_once")); got != choosing("allow_once") {
		t.Errorf("the response to a request that nobody read became %s", got)
	}
}

// If the agent's ids cannot be recorded, the client gets them unchanged.
func TestIDsThatCannotBeKeptStay(t *testing.T) {
	c := conversation.New(conversation.Options{MaxBytes: 8000})
	a := optionIDs(c, func(_, _ conversation.Implementation) bool { return true })
	b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}}).Negotiate(1)
	for _, test := range []struct {
		length  int
		renamed bool
	}{{1000, true}, {8000, false}, {7500, false}} {
		line := asking(`[{"kind":"allow_once","optionId":"` + strings.Repeat("y", test.length) + `"}]`)
		if got := apply(b.Agent, line); (got != line) != test.renamed {
			t.Errorf("of %d bytes: got %.200s", test.length, got)
		}
		if err := c.Check(); err != nil || c.Size() != c.Recount() || c.Size() > 8000 {
			t.Errorf("%d bytes are counted, there are %d: %v", c.Size(), c.Recount(), err)
		}
	}
}

// clicked returns the id that avante.nvim (a933431) sends for a button, or "".
func clicked(options []shownOption, i int) string {
	last := map[string]string{}
	for _, o := range options {
		last[o.Kind] = o.OptionID
	}
	switch options[i].OptionID {
	case "allow_always":
		return last["allow_always"]
	case "allow", "allow_once":
		return last["allow_once"]
	}
	return last["reject_once"]
}

// A click in avante approves the clicked option or nothing, whatever the ids and kinds are. No id
// for the client means another option to the agent, even if it is not restored.
func TestNoClickApprovesAnotherOption(t *testing.T) {
	kinds := []string{"allow_once", "allow_always", "reject_once", "reject_always", "ask"}
	ids := append([]string{"a", "b", "allow", "option-1", "option-2", "option-3"}, kinds...)
	approved := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 9))
		var options []string
		chosen := r.Perm(len(ids))[:1+r.IntN(6)]
		for _, id := range chosen {
			options = append(options, kinds[r.IntN(len(kinds))]+" "+ids[id])
		}
		for i := range options {
			b := newBench(optionIDs, true)
			var request struct {
				Params struct{ Options []shownOption }
			}
			if err := json.Unmarshal([]byte(apply(b.Agent, asking(listed(options)))), &request); err != nil {
				t.Fatal(err)
			}
			shown := request.Params.Options
			for j, o := range shown {
				for k, id := range chosen {
					if j != k && (o.OptionID == ids[id] || o.OptionID == shown[k].OptionID) {
						t.Fatalf("%q are shown as %v", options, shown)
					}
				}
			}
			sent := clicked(shown, i)
			if sent == "" {
				continue
			}
			got := apply(b.Client, choosing(sent))
			for j, id := range chosen {
				if got != choosing(ids[id]) {
					continue
				}
				if j == i {
					approved++
				} else if shown[j].Kind != "reject_once" {
					t.Fatalf("%q are shown as %v; a click on %d chooses %d", options, shown, i, j)
				}
				sent = ""
			}
			if sent != "" {
				t.Fatalf("%q are shown as %v; a click on %d sends %s", options, shown, i, got)
			}
		}
	}
	if approved < 3000 {
		t.Errorf("%d clicks chose their option", approved)
	}
}

// hasOptions matches what may be a list of options.
var hasOptions = regexp.MustCompile(`"options"\s*:\s*\[`)

// Messages without options pass unchanged.
func FuzzNoOptions(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"session/request_permission","params":{"sessionId":"s","options":{"optionId":"y","kind":"allow_once"}}}`))
	f.Add([]byte(`{"id":1,"method":"session/request_permission","params":{"option":[{"optionId":"y","kind":"allow_once"}]}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\n\\") || hasOptions.Match(line) {
			return
		}
		b := newBench(optionIDs, true)
		b.Passes(t, dispatch.Agent, string(line))
		b.Passes(t, dispatch.Client, string(line))
	})
}
