package translate

import (
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/translate/entry"

	"github.com/google/go-cmp/cmp"
)

func TestAppendPlan(t *testing.T) {
	entries := []entry.Entry{{Content: "c", Priority: entry.Low, Status: entry.Completed}}
	want := `{"sessionUpdate":"plan","entries":[{"content":"c","priority":"low","status":"completed"}],"_meta":{"y":2}}`
	if got := string(AppendPlan([]byte("x"), entries, []byte(`{"y":2}`))); got != "x"+want {
		t.Errorf("got %s\nwant x%s", got, want)
	}
	if got, want := string(AppendPlan(nil, nil, nil)), `{"sessionUpdate":"plan","entries":[]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestUnreadableFile(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///a/b%20c.md":     "Plan file: /a/b c.md",
		"file://host/a.md":       "Plan file: file://host/a.md",
		"https://host/a.md":      "Plan file: https://host/a.md",
		"file:":                  "Plan file: file:",
		"/a\n b":                 "Plan file: /a b",
		strings.Repeat("x", 2e3): "Plan file: " + strings.Repeat("x", 1e3),
	} {
		if got := UnreadableFile(uri); got.Content != want || got.Priority != entry.Medium || got.Status != entry.Pending {
			t.Errorf("%q: %+v, want %q", uri, got, want)
		}
	}
}

func TestAPlanHasAtMostMaxItemsEntries(t *testing.T) {
	decode := func(n int, last string) []entry.Entry {
		done := `{"content":"a","status":"completed"}`
		entries := strings.Repeat(done+",", n-1) + last
		o, err := wire.Parse([]byte(`{"params":{"update":{"sessionUpdate":"plan","entries":[`+entries+`]}}}`), Paths...)
		if err != nil {
			t.Fatal(err)
		}
		u, err := Decode(o.Open("params").Open("update"))
		if err != nil {
			t.Fatal(err)
		}
		return u.Entries
	}
	done, open := `{"content":"z","status":"completed"}`, `{"content":"z"}`
	for _, test := range []struct {
		n      int
		last   string
		want   string
		status entry.Status
	}{
		{maxItems, done, "z", entry.Completed}, {maxItems + 1, done, "… and 2 more", entry.Completed},
		{maxItems + 1, open, "… and 2 more", entry.Pending}, {maxItems + 2, done, "… and 3 more", entry.Completed},
	} {
		entries := decode(test.n, test.last)
		if e := entries[len(entries)-1]; len(entries) != maxItems || e.Content != test.want || e.Status != test.status {
			t.Errorf("%d: %d entries, the last is %+v", test.n, len(entries), e)
		}
	}
}

func TestFilesAndChecklist(t *testing.T) {
	var s PlanSet
	if _, ok := s.Checklist(All, "s"); ok || s.Files() != nil || !s.OnlyLegacy() {
		t.Error("there is something in an empty set")
	}
	s.Apply(list(Legacy, "", "a", "x b"))
	if !s.OnlyLegacy() || !s.HasOwn() {
		t.Error("want the agent's own legacy plan")
	}
	s.Apply(Update{Kind: File, ID: "f", URI: "file:///f", Text: "- [/] c\n\nMore.\n"})
	if got := s.Files(); len(got) != 1 || *got[0] != (FilePlan{ID: "f", URI: "file:///f"}) || s.OnlyLegacy() {
		t.Errorf("files %v", got)
	}
	if f := s.Files()[0]; s.File("f", "file:///f") != f || s.File("g", "file:///f") != nil || s.File("f", "file:///g") != nil {
		t.Error("want the plan of that id and file, and no other")
	}
	first, ok := s.Checklist(All, "s")
	if want := "**Plan**\n\n- [ ] a\n- [x] b\n- [ ] c (in progress)\n"; first.Text != want || !ok {
		t.Errorf("got %q, want %q", first.Text, want)
	}
	if texts := s.Messages(All, "s", MessageOptions{DrawsPlans: true}); len(texts) != 1 || texts[0].Text != "- [/] c\n\nMore.\n" {
		t.Errorf("messages %v", texts)
	}
	second, _ := s.Checklist(All, "s") // without the document, as its text was sent
	if want := "**Plan**\n\n- [ ] a\n- [x] b\n"; second.Text != want || second.MessageID == first.MessageID {
		t.Errorf("got %q, want %q and another id", second.Text, want)
	}
	s.Apply(Update{Kind: File, ID: "f", URI: "file:///f", Text: "- [x] c\n\nMore.\n"})
	if third, _ := s.Checklist(All, "s"); !strings.HasSuffix(third.Text, "- [x] c\n") {
		t.Errorf("got %q, want a step that moved on", third.Text)
	}
}

func TestTheStateOfAFilePlanEndsWithThePlan(t *testing.T) {
	var s PlanSet
	file := Update{Kind: File, ID: "f", URI: "file:///f", Text: "- [ ] a"}
	s.Apply(file)
	s.Files()[0].Read = true
	file.Text = "- [ ] b"
	if s.Apply(file); !s.Files()[0].Read {
		t.Error("another text takes the note away")
	}
	file.URI = "file:///g"
	if s.Apply(file); *s.Files()[0] != (FilePlan{ID: "f", URI: "file:///g"}) {
		t.Errorf("another file is noted as %+v", *s.Files()[0])
	}
	if s.Apply(doc("f", "- [ ] c")); s.Files() != nil {
		t.Error("a document is a file")
	}
}

func TestAnEmptiedDocumentIsNotSent(t *testing.T) {
	var s PlanSet
	s.Apply(doc("d", "Mind this.\n\n- [ ] a"))
	s.Messages(All, "s", MessageOptions{DrawsPlans: true})
	s.Apply(doc("d", ""))
	if s.HasMessages(All) || s.Messages(All, "s", MessageOptions{DrawsPlans: true}) != nil {
		t.Error("it is sent")
	}
}

func TestAFileThatCannotBeRead(t *testing.T) {
	var s PlanSet
	u := Update{Kind: File, ID: "f", URI: "file:///f", Entries: []entry.Entry{UnreadableFile("file:///f")}}
	s.Apply(u)
	s.Apply(u)
	if got := drawn(s.Compose(All)); got != "- Plan file: /f" {
		t.Errorf("got %q", got)
	}
	s.Apply(Update{Kind: File, ID: "f", URI: "file:///f", Text: "- [ ] a"})
	if got := drawn(s.Compose(All)); got != "- a" {
		t.Errorf("got %q", got)
	}
}

func TestALongURIIsRefused(t *testing.T) {
	for n, ok := range map[int]bool{maxURI: true, maxURI + 1: false} {
		o, err := wire.Parse([]byte(`{"params":{"update":{"sessionUpdate":"plan_update","plan":{"type":"file","uri":"`+strings.Repeat("u", n)+`"}}}}`), Paths...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(o.Open("params").Open("update")); (err == nil) != ok {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestAPlanOfAnUnknownTypeIsReadByItsMembers(t *testing.T) {
	for plan, want := range map[string]Update{
		`"type":"kanban","content":"x"`:             {Kind: Markdown, Text: "x"},
		`"type":"kanban","uri":"u"`:                 {Kind: File, URI: "u"},
		`"type":"kanban","entries":[],"uri":"u"`:    {Kind: Items, Entries: []entry.Entry{}},
		`"type":"file","uri":"u","content":"x"`:     {Kind: File, URI: "u"},
		`"type":"markdown","content":"","uri":"u"`:  {Kind: Markdown},
		`"type":"markdown","content":"x","id":null`: {Kind: Markdown, Text: "x"},
		`"type":"items","content":"x"`:              {},
		`"type":"items","entries":{}`:               {},
		`"type":"markdown","uri":"u"`:               {},
		`"type":"markdown","entries":null`:          {},
		`"type":"file","content":"x"`:               {},
		`"type":"file","entries":[]`:                {},
	} {
		o, err := wire.Parse([]byte(`{"params":{"update":{"sessionUpdate":"plan_update","plan":{`+plan+`}}}}`), Paths...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(o.Open("params").Open("update"))
		if diff := cmp.Diff(want, got); (want.Kind == 0) != (err != nil) || err == nil && diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", plan, err, diff)
		}
	}
}

func TestAPlanWithOtherMembersIsFlawed(t *testing.T) {
	for update, want := range map[string]bool{`"entries":[]`: false, `"entries":[],"_meta":{}`: false, `"entries":[],"planId":"p"`: true} {
		o, err := wire.Parse([]byte(`{"params":{"update":{"sessionUpdate":"plan",`+update+`}}}`), Paths...)
		if err != nil {
			t.Fatal(err)
		}
		if u, err := Decode(o.Open("params").Open("update")); err != nil || u.Flawed != want {
			t.Errorf("%s: flawed is %v, %v", update, u.Flawed, err)
		}
	}
}

func TestWhatClearsTodos(t *testing.T) {
	for _, test := range []struct {
		update Update
		want   bool
	}{
		{Update{Kind: Legacy}, true}, {Update{Kind: Items}, true}, {Update{Kind: Markdown}, true},
		{Update{Kind: File}, false}, {Update{Kind: Removed}, false}, {Update{Kind: Todo}, false},
		{list(Items, "", "a"), false}, {doc("", "a"), false},
	} {
		if got := test.update.ClearsTodos(); got != test.want {
			t.Errorf("%+v: %v", test.update, got)
		}
	}
}

func TestALongTextEndsWithAWholeCharacter(t *testing.T) {
	var s PlanSet
	begin := strings.Repeat("a", maxText-1)
	s.Apply(doc("d", begin+"é"))
	s.Apply(Update{Kind: Markdown, ID: "d", Text: "b", Delta: true})
	if d := s.plans[0].doc; string(d.text) != begin || d.more != len("éb") {
		t.Errorf("%d bytes are kept and %d counted, want %d and %d", len(d.text), d.more, len(begin), len("éb"))
	}
	s.Apply(doc("d", begin+"e"))
	if d := s.plans[0].doc; len(d.text) != maxText || d.more != 0 {
		t.Errorf("%d bytes are kept and %d counted, want %d and none", len(d.text), d.more, maxText)
	}
	long := strings.Repeat("\x80", maxText+1) // without a beginning of a character
	s.Apply(doc("d", long))
	if d := s.plans[0].doc; len(d.text) != 0 || d.more != len(long) {
		t.Errorf("%d bytes are kept and %d counted, want none and %d", len(d.text), d.more, len(long))
	}
}
