package translate

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/translate/entry"

	"github.com/google/go-cmp/cmp"
)

func list(kind Kind, id string, steps ...string) Update {
	u := Update{Kind: kind, ID: id}
	for _, s := range steps {
		e := entry.Entry{Content: strings.TrimPrefix(s, "x "), Priority: entry.Medium, Status: entry.Pending}
		if e.Content != s {
			e.Status = entry.Completed
		}
		u.Entries = append(u.Entries, e)
	}
	return u
}

func doc(id, text string) Update { return Update{Kind: Markdown, ID: id, Text: text} }
func unreadable(id, content string) Update {
	return Update{Kind: File, ID: id, URI: "file:///f", Entries: list(Items, "", content).Entries}
}
func removed(id string) Update { return Update{Kind: Removed, ID: id} }

func TestCompose(t *testing.T) {
	type composition struct {
		name    string
		updates []Update
		want    map[Policy]string
	}
	tests := []composition{
		{"nothing", nil, map[Policy]string{Checklists: "", All: "", Latest: ""}},
		{"checklists before documents", []Update{doc("d", "- [ ] d"), list(Items, "i", "i"), list(Legacy, "", "l")},
			map[Policy]string{Checklists: "i l", All: "d i l", Latest: "l"}},
		{"a changed plan keeps its place", []Update{list(Items, "a", "a1"), list(Items, "b", "b"), list(Items, "a", "a2")},
			map[Policy]string{Checklists: "a2 b", All: "a2 b", Latest: "a2"}},
		{"the same again is no change", []Update{list(Items, "a", "a"), list(Items, "b", "b"), list(Items, "a", "a")},
			map[Policy]string{Latest: "b"}},
		{"the same text in a file is one", []Update{doc("a", "- [ ] a"), list(Items, "b", "b"), {Kind: File, ID: "a", URI: "file:///a", Text: "- [ ] a"}},
			map[Policy]string{Latest: "a"}},
		{"a plan that comes back comes last", []Update{list(Items, "a", "a"), list(Items, "b", "b"), removed("a"), list(Items, "a", "a")},
			map[Policy]string{Checklists: "b a", All: "b a", Latest: "a"}},
		{"documents are concatenated", []Update{doc("d", "- [ ] d"), doc("e", "- [ ] e")},
			map[Policy]string{Checklists: "d e", All: "d e", Latest: "e"}},
		{"an empty checklist hides no document", []Update{doc("d", "- [ ] d"), list(Legacy, "")},
			map[Policy]string{Checklists: "d", All: "d", Latest: "d"}},
		{"a finished checklist stays over an older document", []Update{doc("d", "- [ ] d"), list(Items, "i", "x i")},
			map[Policy]string{Checklists: "i", All: "d i", Latest: "i"}},
		{"a newer document replaces a finished list", []Update{doc("d", "- [ ] d"), list(Items, "i", "x i"), doc("e", "- [ ] e")},
			map[Policy]string{Checklists: "e", All: "d i e", Latest: "e"}},
		{"an older document that changes replaces a finished list", []Update{doc("d", "- [ ] d"), list(Items, "i", "x i"), doc("d", "- [ ] e")},
			map[Policy]string{Checklists: "e", All: "e i", Latest: "e"}},
		{"a ticked box in an older document does not replace a finished list", []Update{doc("d", "- [ ] d"), list(Items, "i", "x i"), doc("d", "- [x] d")},
			map[Policy]string{Checklists: "i"}},
		{"a finished list returns next to an unfinished one", []Update{list(Items, "i", "x i"), doc("e", "- [ ] e"), list(Items, "j", "j")},
			map[Policy]string{Checklists: "i j"}},
		{"no document replaces an unfinished list", []Update{list(Items, "i", "x i", "j"), doc("e", "- [ ] e")},
			map[Policy]string{Checklists: "i j", All: "i j e", Latest: "e"}},
		{"a repeated plan is not a change", []Update{list(Items, "a", "a"), doc("d", "- [ ] d"), list(Items, "a", "a")},
			map[Policy]string{Latest: "d"}},
		{"a repeated document is not a change", []Update{doc("d", "- [ ] d"), list(Items, "a", "a"), doc("d", "- [ ] d")},
			map[Policy]string{Latest: "a"}},
		{"an empty delta is not a change", []Update{doc("d", "- [ ] d"), list(Items, "a", "a"), {Kind: Markdown, ID: "d", Delta: true}},
			map[Policy]string{Latest: "a"}},
		{"an empty document is a change", []Update{doc("d", "- [ ] d"), list(Items, "a", "a"), doc("d", "")},
			map[Policy]string{All: "a"}},
		{"a file that still cannot be read is not a change", []Update{unreadable("f", "f"), list(Items, "a", "a"), unreadable("f", "f")},
			map[Policy]string{Latest: "a"}},
		{"a file that cannot be read for another reason is a change", []Update{unreadable("f", "f"), list(Items, "a", "a"), unreadable("f", "g")},
			map[Policy]string{Latest: "g"}},
		{"a delta after a list begins a new document", []Update{list(Items, "p", "i"), {Kind: Markdown, ID: "p", Text: "- [ ] d", Delta: true}},
			map[Policy]string{All: "d"}},
		{"an empty plan removes the plan of todo tools", []Update{list(Todo, "", "t"), list(Legacy, "")},
			map[Policy]string{All: ""}},
		{"an empty plan is not a plan of the agent itself", []Update{list(Todo, "", "t"), list(Items, "i"), list(Todo, "", "u")},
			map[Policy]string{All: "u"}},
		{"an empty plan after a plan of the agent is one", []Update{list(Items, "i", "i"), list(Items, "i"), list(Todo, "", "t")},
			map[Policy]string{All: ""}},
		{"the legacy plan has an id of its own", []Update{list(Legacy, "", "l"), list(Items, "", "i"), removed("")},
			map[Policy]string{Checklists: "l", All: "l"}},
		{"a plan may change its kind", []Update{list(Items, "p", "i"), doc("p", "- [ ] d")},
			map[Policy]string{Checklists: "d", All: "d", Latest: "d"}},
	}
	turn := Update{} // stands for a new turn
	tests = append(tests, []composition{
		{"a document of a later turn replaces earlier ones", []Update{doc("d", "- [ ] d"), doc("e", "- [x] e"), turn, doc("f", "- [ ] f")},
			map[Policy]string{Checklists: "f", All: "d e f", Latest: "f"}},
		{"a document of a later turn does not replace one that changed since", []Update{doc("d", "- [ ] d"), doc("e", "- [ ] e"), turn, doc("d", "- [x] d"), turn, doc("d", "- [ ] d"), doc("f", "- [ ] f")},
			map[Policy]string{Checklists: "d f", All: "d e f"}},
		{"a document does not replace one that is repeated in the same turn", []Update{doc("d", "- [ ] d"), turn, doc("d", "- [ ] d"), doc("f", "- [ ] f")},
			map[Policy]string{Checklists: "d f"}},
		{"documents that change in later turns stay", []Update{doc("d", "- [ ] d"), doc("e", "- [ ] e"), turn, doc("d", "- [x] d"), turn, doc("e", "- [x] e")},
			map[Policy]string{Checklists: "d e"}},
		{"an earlier document that is repeated counts as new", []Update{doc("d", "- [ ] d"), turn, doc("e", "- [ ] e"), turn, doc("d", "- [ ] d")},
			map[Policy]string{Checklists: "d"}},
		{"changed or not", []Update{doc("d", "- [ ] d"), turn, doc("e", "- [ ] e"), turn, doc("d", "- [x] d")},
			map[Policy]string{Checklists: "d"}},
		{"nor does a document without entries take a place", []Update{doc("d", "- [ ] d"), turn, doc("e", "")},
			map[Policy]string{Checklists: "d"}},
		{"a checklist of an earlier turn stays", []Update{list(Items, "i", "i"), turn, list(Items, "j", "j"), doc("d", "- [ ] d")},
			map[Policy]string{Checklists: "i j"}},
		{"a finished document gives way", []Update{doc("d", "- [x] d"), doc("e", "- [ ] e")},
			map[Policy]string{Checklists: "e", All: "d e"}},
		{"not while it is the last to have changed", []Update{doc("d", "- [ ] d"), doc("e", "- [ ] e"), doc("d", "- [x] d")},
			map[Policy]string{Checklists: "d e"}},
	}...)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b PlanSet
			for _, u := range test.updates {
				if u.Kind == 0 {
					b.BeginTurn()
				} else if b.Apply(u) {
					t.Error("a plan was evicted")
				}
			}
			for policy, want := range test.want {
				var got []string
				for _, e := range b.Compose(policy) {
					got = append(got, e.Content)
				}
				if strings.Join(got, " ") != want {
					t.Errorf("%s: %q, want %q", policy, got, want)
				}
			}
		})
	}
}

func TestNames(t *testing.T) {
	var b PlanSet
	for _, u := range []Update{list(Legacy, "", "l"), doc("d", "- [ ] d"), list(Items, "e"), list(Items, "i", "i")} {
		b.Apply(u)
	}
	for policy, want := range map[Policy]string{All: "[plan d i] []", Checklists: "[plan i] [d]", Latest: "[i] [plan d]"} {
		if shown, others := b.Names(policy); fmt.Sprint(shown, others) != want {
			t.Errorf("%s: %v, %v, want %s", policy, shown, others, want)
		}
	}
	for want, u := range map[string]Update{"todos": {Kind: Todo}, "plan": {Kind: Markdown}, "a": {Kind: Todo, ID: "a"}} {
		if got := u.Name(); got != want {
			t.Errorf("%+v: %q, want %q", u, got, want)
		}
	}
}

func TestSizeCountsLongTexts(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	withMeta := list(Items, "", "a")
	withMeta.Entries[0].Meta = []byte(long)
	many := Update{Kind: Items, Entries: make([]entry.Entry, 100)}
	for name, u := range map[string]Update{
		"id": list(Items, long, "a"), "content": list(Items, "", long), "_meta": withMeta, "entries": many,
		"text": doc("", long), "uri": {Kind: File, URI: long},
	} {
		var b PlanSet
		b.Apply(u)
		if size := b.Size(); size < 10_000 || size > 20_000 {
			t.Errorf("%s: %d bytes are counted", name, size)
		}
	}
}

func TestMessages(t *testing.T) {
	const prose = "Mind this.\n\n- [ ] a\n- [ ] b\n"
	long := strings.Repeat("word\n", maxText/5+1)[:maxText]
	told := long + "\n\n… and 1 more bytes"
	type stage struct {
		apply []Update
		want  []string // the texts that are sent then
	}
	tests := []struct {
		name  string
		story []stage
	}{
		{"a checklist is not sent", []stage{{[]Update{doc("d", "## Steps\n- [ ] a")}, nil}}},
		{"prose is sent once", []stage{{[]Update{doc("d", "Mind"), doc("d", prose)}, []string{prose}}, {[]Update{doc("d", prose)}, nil}}},
		{"ticking is no change", []stage{{[]Update{doc("d", prose)}, []string{prose}}, {[]Update{doc("d", strings.Replace(prose, "[ ]", "[x]", 1))}, nil}}},
		{"new prose is", []stage{{[]Update{doc("d", prose)}, []string{prose}}, {[]Update{doc("d", prose+"\nAnd that.\n")}, []string{prose + "\nAnd that.\n"}}}},
		{"old prose that comes back is", []stage{{[]Update{doc("d", prose)}, []string{prose}}, {[]Update{doc("d", "Other.")}, nil},
			{[]Update{doc("d", "Other.\nMore.")}, []string{"Other.\nMore."}}, {[]Update{doc("d", prose)}, []string{prose}}}},
		{"steps that are not shown are sent", []stage{{[]Update{doc("d", "- [ ] a"), list(Items, "i", "i")}, []string{"- [ ] a"}}}},
		{"a removed document is not sent", []stage{{[]Update{doc("d", prose), removed("d")}, nil}}},
		{"a document without entries is sent", []stage{{[]Update{doc("d", "```\ncode\n```\n")}, []string{"```\ncode\n```\n"}}}},
		{"nor is another status word, or mark", []stage{{[]Update{doc("d", "Prose.\n\n## A \u2014 TODO\n**Status:** open\n## B (todo)\n")}, []string{"Prose.\n\n## A \u2014 TODO\n**Status:** open\n## B (todo)\n"}},
			{[]Update{doc("d", "Prose.\n\n## A \u2014 TODO\n**Status:** done\n## B (in progress)\n")}, nil},
			{[]Update{doc("d", "Prose!\n\n## A \u2014 TODO\n**Status:** done\n## B (in progress)\n")}, []string{"Prose!\n\n## A \u2014 TODO\n**Status:** done\n## B (in progress)\n"}}}},
		{"a ticked box that is not shown is not sent", []stage{{[]Update{list(Items, "i", "i"), doc("d", "- [ ] a")}, []string{"- [ ] a"}},
			{[]Update{doc("d", "- [x] a")}, nil}, {[]Update{doc("d", "- [x] a\n- [ ] b")}, []string{"- [x] a\n- [ ] b"}}}},
		{"a document that became a list is not", []stage{{[]Update{doc("d", prose), list(Items, "d", "i")}, nil}}},
		{"a document without text is not sent", []stage{{[]Update{doc("a", "<!-- draft -->"), doc("b", "---\n"), doc("c", " \n"), doc("d", "- [ ] ")}, nil}}},
		{"a change after the text that is kept is sent", []stage{{[]Update{doc("d", long+"a")}, []string{told}}, {[]Update{doc("d", long+"a")}, nil}, {[]Update{doc("d", long+"b")}, []string{told}}}},
		{"several are sent in order", []stage{{[]Update{doc("d", prose), doc("e", "E.\nE.")}, []string{prose, "E.\nE."}}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b PlanSet
			ids := map[string]bool{}
			for _, s := range test.story {
				for _, u := range s.apply {
					b.Apply(u)
				}
				pending := b.HasMessages(Checklists)
				var got []string
				for _, m := range b.Messages(Checklists, "s", MessageOptions{DrawsPlans: true}) {
					got = append(got, m.Text)
					if ids[m.MessageID] {
						t.Errorf("message id %q was used before", m.MessageID)
					}
					ids[m.MessageID] = true
				}
				if diff := cmp.Diff(s.want, got); diff != "" {
					t.Errorf("sent (-want +got):\n%s", diff)
				}
				if got != nil && !pending || b.HasMessages(Checklists) {
					t.Errorf("HasMessages was %v and is %v", pending, b.HasMessages(Checklists))
				}
			}
		})
	}
}

func TestDecode(t *testing.T) {
	tests := []struct {
		update string
		want   Update
		err    string
	}{
		{`{"sessionUpdate":"plan","entries":[{"content":"a","priority":"low","status":"completed"}],"_meta":{"x":1}}`,
			Update{Kind: Legacy, Entries: []entry.Entry{{Content: "a", Priority: entry.Low, Status: entry.Completed}}, Meta: []byte(`{"x":1}`)}, ""},
		{`{"sessionUpdate":"plan_removed","planId":"p"}`, Update{Kind: Removed, ID: "p"}, ""},
		{`{"sessionUpdate":"plan_removed","id":"p"}`, Update{Kind: Removed, ID: "p"}, ""},
		{`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","id":"q","content":"# x"}}`, Update{Kind: Markdown, ID: "p", Text: "# x"}, ""},
		{`{"sessionUpdate":"plan_update","plan":{"type":"file","planId":7,"uri":"file:///p","_meta":{"y":2}}}`, Update{Kind: File, URI: "file:///p", Meta: []byte(`{"y":2}`)}, ""},
		{`{"sessionUpdate":"plan_update","_meta":{"x":1},"plan":{"type":"items","id":"p","entries":null,"_meta":{"y":2}}}`, Update{Kind: Items, ID: "p", Meta: []byte(`{"x":1}`)}, ""},
		{`{"sessionUpdate":"plan_update","plan":{"id":"p","entries":[]}}`, Update{Kind: Items, ID: "p", Entries: []entry.Entry{}}, ""},
		{`{"sessionUpdate":"plan_update","plan":{"type":"kanban","id":"p"}}`, Update{}, `a plan of type "kanban" without`},
		{`{"sessionUpdate":"plan_update","plan":{"type":"markdown","id":"p","entries":[]}}`, Update{}, `a plan of type "markdown" without`},
		{`{"sessionUpdate":"plan_update","plan":[]}`, Update{}, "plan is not an object"},
		{`{"sessionUpdate":"plan","entries":null}`, Update{Kind: Legacy, Flawed: true}, ""},
		{`{"sessionUpdate":"plan"}`, Update{}, "plan: no entries"},
		{`{"sessionUpdate":"plan","entries":[{"content":"a","Content":"b"}]}`, Update{Kind: Legacy, Entries: []entry.Entry{{Content: "a", Priority: entry.Medium, Status: entry.Pending}}, Flawed: true}, ""},
		{`{"sessionUpdate":"plan_update","plan":{"type":"markdown","id":"p","content":""},"_meta":{"jetbrains":{"air":{"contentDelta":"more"}}}}`,
			Update{Kind: Markdown, ID: "p", Text: "more", Delta: true, Meta: []byte(`{"jetbrains":{"air":{"contentDelta":"more"}}}`)}, ""},
		{`{"sessionUpdate":"tool_call"}`, Update{}, "not a plan update"},
	}
	for _, test := range tests {
		o, err := wire.Parse([]byte(`{"params":{"update":`+test.update+`}}`), Paths...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(o.Open("params").Open("update"))
		switch {
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s: error %v, want %q", test.update, err, test.err)
		case test.err == "" && err != nil:
			t.Errorf("%s: %v", test.update, err)
		case test.err == "":
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.update, diff)
			}
		}
	}
}

func TestFlawed(t *testing.T) {
	for entries, want := range map[string]bool{
		`[]`: false, `[{"content":"a","priority":"low","status":"pending","_meta":{}}]`: false,
		`null`: true, `{}`: true, `[3]`: true, `[{}]`: true,
		`[{"content":"","priority":"low","status":"pending"}]`:             true,
		`[{"content":"a","status":"pending"}]`:                             true,
		`[{"content":"a","priority":"low"}]`:                               true,
		`[{"content":"a","priority":"urgent","status":"pending"}]`:         true,
		`[{"content":"a","priority":"low","status":"cancelled"}]`:          true,
		`[{"content":"a","priority":"low","status":"pending","id":"1"}]`:   true,
		`[{"content":"a","priority":"low","status":"pending","_meta":[]}]`: true,
	} {
		o, err := wire.Parse([]byte(`{"params":{"update":{"sessionUpdate":"plan","entries":`+entries+`}}}`), Paths...)
		if err != nil {
			t.Fatal(err)
		}
		if u, err := Decode(o.Open("params").Open("update")); err != nil || u.Flawed != want {
			t.Errorf("%s: flawed is %v, %v", entries, u.Flawed, err)
		}
	}
}

func TestADeltaIsAppendedToTheText(t *testing.T) {
	var b PlanSet
	for _, text := range []string{"- [ ] a\n", "- [ ] b\n- [", " ] c\n"} {
		u := doc("d", text)
		u.Delta = true
		b.Apply(u)
		b.Messages(Checklists, "s", MessageOptions{DrawsPlans: true})
	}
	if got := drawn(b.Compose(Checklists)); got != "- a, - b, - c" {
		t.Errorf("got %q", got)
	}
}

func TestDocumentsAreReadLazily(t *testing.T) {
	var s PlanSet
	s.Apply(doc("d", strings.Repeat("- [ ] a step of it\n", 90)))
	before := s.Size()
	s.Compose(All)
	if more := s.Size() - before; more < 90*len("a step of it") {
		t.Errorf("its entries take %d bytes more", more)
	}
	u := doc("d", "x")
	u.Delta = true
	for name, f := range map[string]func(){"a question": func() { s.Compose(All) }, "a delta": func() { s.Apply(u) }} {
		if n := testing.AllocsPerRun(20, f); n > 20 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestAStreamedTextIsBounded(t *testing.T) {
	var s PlanSet
	u := doc("d", strings.Repeat("words ", maxText/8))
	for range 3 {
		u.Delta = true
		s.Apply(u)
	}
	if n := len(s.plans[0].doc.text); n != maxText || s.plans[0].doc.more != 3*len(u.Text)-maxText {
		t.Errorf("%d bytes are kept, %d are counted besides", n, s.plans[0].doc.more)
	}
}

func TestAPlanSetIsBounded(t *testing.T) {
	var b PlanSet
	for i := range 3 * MaxPlans {
		b.Apply(list(Items, fmt.Sprint("p", i), fmt.Sprint("step", i)))
	}
	if got := b.Compose(All); len(got) != MaxPlans || got[0].Content != fmt.Sprint("step", 2*MaxPlans) {
		t.Errorf("%d plans are kept, the first is %q", len(got), got[0].Content)
	}
	text := strings.Repeat("words ", 1<<20)
	for i := range 12 {
		b.Apply(doc(fmt.Sprint("d", i), text))
		b.Apply(Update{Kind: Markdown, ID: fmt.Sprint("d", i), Text: text, Delta: true})
	}
	if size := b.Size(); size > 13*maxText {
		t.Errorf("%d bytes are kept", size)
	}
	sent := b.Messages(All, "s", MessageOptions{DrawsPlans: true})
	if want := fmt.Sprintf("\n\n… and %d more bytes", 2*len(text)-maxText); len(sent) == 0 || !strings.HasSuffix(sent[len(sent)-1].Text, want) {
		t.Errorf("%d documents were sent, want the last one to end with %q", len(sent), want)
	}
	for n := b.Size(); n > 0; n = b.Size() {
		if b.EvictOldest(); b.Size() >= n {
			t.Fatalf("%d bytes are counted, %d before one plan less", b.Size(), n)
		}
	}
	if b.Compose(All) != nil {
		t.Error("a plan is left that takes no bytes")
	}
}

// Clients without support for message ids join a message with the agent's text.
func TestBlankLinesSurroundAMessage(t *testing.T) {
	for text, want := range map[string]string{
		"# Release":       `"\n\n# Release\n\n"`,
		"\n\n- [ ] a\n\n": `"\n\n- [ ] a\n\n"`,
	} {
		if got := string(AppendMessage(nil, "agent_message_chunk", Message{MessageID: "m", Text: text})); !strings.Contains(got, `"text":`+want+`}`) {
			t.Errorf("%q became %s", text, got)
		}
	}
}

func TestMessagesOfJSON(t *testing.T) {
	var b PlanSet
	send := func(text string) (sent []string) {
		t.Helper()
		b.Apply(doc("d", text))
		for _, m := range b.Messages(Checklists, "s", MessageOptions{DrawsPlans: true}) {
			sent = append(sent, m.Text)
		}
		return sent
	}
	for _, step := range []struct {
		text string
		want []string
	}{
		{`{"plan":[{"step":"a","status":"pending"}`, nil},
		{`{"plan":[{"step":"a","status":"pending"}],"explanation":"Why."}`, []string{"Why."}},
		{`{"plan":[{"step":"a","status":"completed"}],"explanation":"Why."}`, nil},
		{`{"plan":[{"step":"a","status":"completed"}],"explanation":"Now."}`, []string{"Now."}},
	} {
		if diff := cmp.Diff(step.want, send(step.text)); diff != "" {
			t.Errorf("%s: sent (-want +got):\n%s", step.text, diff)
		}
	}
	b.Apply(list(Items, "i", "over it"))
	want := []string{"Then.\n\n- [x] a\n- [ ] b (in progress)\n- [x] [cancelled] c"}
	if diff := cmp.Diff(want, send(`{"plan":[{"step":"a","status":"completed"},{"step":"b","status":"in_progress"},{"step":"c","status":"cancelled"}],"explanation":"Then."}`)); diff != "" {
		t.Errorf("not shown: sent (-want +got):\n%s", diff)
	}
	if sent := send(`{"pl`); sent != nil {
		t.Errorf("sent %q of a beginning", sent)
	}
}

func TestAProblemIsReturnedOnce(t *testing.T) {
	var b PlanSet
	for _, step := range []struct {
		text, want string
	}{
		{`{"plan":[{"step":"a","stat`, "<nil>"},
		{`{"plan":[{"step":"a","status":"wip"}]}`, `update_plan: step 1: unknown status "wip": want pending, in_progress or completed`},
		{`{"plan":[{"step":"b","status":"wip"}]}`, "<nil>"},
		{`{"plan":["b"]}`, "update_plan: step 1 is not an object"},
		{"- [ ] a", "<nil>"},
	} {
		b.Apply(doc("d", step.text))
		if got := fmt.Sprint(b.Problem()); got != step.want {
			t.Errorf("%s: problem %s, want %s", step.text, got, step.want)
		}
	}
}

func TestThePlanOfTheAgentReplacesItsTodos(t *testing.T) {
	todo := list(Todo, "", "t")
	for _, own := range []Update{list(Legacy, "", "own"), list(Items, "i", "own"), list(Items, "", "own"), doc("d", "- [ ] own")} {
		for _, policy := range []Policy{Checklists, All, Latest} {
			var b PlanSet
			b.Apply(todo)
			b.Apply(removed(""))
			if got := drawn(b.Compose(policy)); got != "- t" || b.OnlyLegacy() || b.HasOwn() {
				t.Errorf("%s: before its own %q", policy, got)
			}
			b.Apply(own)
			b.Apply(todo)
			b.Apply(removed(own.ID))
			b.Apply(todo)
			want := ""
			if own.Kind == Legacy {
				want = "- own"
			}
			if got := drawn(b.Compose(policy)); got != want {
				t.Errorf("%s: after its own %q, want %q", policy, got, want)
			}
		}
	}
}

// drawn draws entries like "- a, ~ b, x c".
func drawn(entries []entry.Entry) string {
	var steps []string
	for _, e := range entries {
		box := map[entry.Status]string{entry.Pending: "- ", entry.InProgress: "~ ", entry.Completed: "x "}[e.Status]
		steps = append(steps, box+e.Content)
	}
	return strings.Join(steps, ", ")
}

// A document that has only a title so far is the newest plan, so it is not the one that is evicted.
func TestADraftIsNotEvictedFirst(t *testing.T) {
	var s PlanSet
	for i := range MaxPlans {
		s.Apply(list(Items, fmt.Sprint("i", i), fmt.Sprint(i)))
	}
	if !s.Apply(doc("d", "# T\n")) {
		t.Error("no plan was evicted")
	}
	s.CompleteDocuments()
	if got := drawn(s.Compose(Latest)); got != "- T" {
		t.Errorf("the newest plan is %s", got)
	}
}
