package document

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"acpshim/translate/entry"

	"github.com/google/go-cmp/cmp"
)

// A line of want is a box, the priority unless it is medium, and the content.
func TestStructured(t *testing.T) {
	tests := []struct {
		name, document string
		convention     string // of every entry
		want           []string
		message        string // the text that is sent although the entries are shown
		problem        string // a part of it
	}{
		{"ACP entries", `{"entries":[{"content":"Read","priority":"high","status":"completed"},{"content":"Write *it*","priority":"low","status":"in_progress"},{"content":"Drop","priority":"medium","status":"cancelled"}]}`,
			"JSON entries", []string{"[x] high Read", "[~] low Write *it*", "[x] [cancelled] Drop"}, "", ""},
		{"a bare list of them", ` [{"content":"a","priority":"medium","status":"pending"}] `, "JSON entries", []string{"[ ] a"}, "", ""},
		{"entries that say nothing", `{"entries":[{"content":"a"},{"content":" "},7,"b"]}`, "JSON entries", []string{"[ ] a", "[ ] b"}, "",
			"JSON entries: element 2 has no content; element 3 has no content"},
		{"BOM, CRLF, escapes and lines in a text", "\ufeff\r\n{\"entries\":\r\n[{\"content\":\"a\\n\\u00e4\\ud800\"}]}\r\n", "JSON entries", []string{"[ ] a ä\ufffd"}, "", ""},
		{"an empty list is an empty plan", `{"entries":[]}`, "", nil, "", ""},
		{"so is a bare one", " [ ] ", "", nil, "", ""},
		{"an empty list gives way to one that is not", `{"entries":[],"todos":["a"]}`, "todo list", []string{"[ ] a"}, "", ""},

		{"update_plan", `{"explanation":"Reading *first*.","plan":[{"step":"Read","status":"completed"},{"step":"Write","status":"in_progress"},{"step":"Test","status":"inProgress"},{"step":"Ship","status":"pending"}]}`,
			"update_plan", []string{"[x] Read", "[~] Write", "[~] Test", "[ ] Ship"}, "Reading *first*.", ""},
		{"update_plan, null and last", `{"plan":[{"step":"Read","status":"pending"}],"explanation":null}`, "update_plan", []string{"[ ] Read"}, "", ""},
		{"update_plan without steps", `{"explanation":"Nothing to do.","plan":[]}`, "", nil, "Nothing to do.", ""},
		{"update_plan without steps, and an unknown field", `{"plan":[],"note":"x"}`, "", nil, "", `update_plan: unknown field "note": want explanation and plan`},
		{"unknown fields", `{"plan":[{"step":"a","status":"pending","priority":"high"}],"note":"x"}`, "update_plan", []string{"[ ] high a"}, "",
			`update_plan: step 1: unknown field "priority": want step and status; unknown field "note": want explanation and plan`},
		{"unknown status", `{"plan":[{"step":"a","status":"done"},{"step":"b","status":"bananas"},{"step":"c"}]}`, "update_plan", []string{"[x] a", "[ ] b", "[ ] c"}, "",
			`update_plan: step 1: unknown status "done": want pending, in_progress or completed; step 2: unknown status "bananas": want pending, in_progress or completed; step 3: status is not a string`},
		{"steps of another shape", `{"plan":["a",{"title":"b","status":"pending"},[]],"explanation":3}`, "update_plan", []string{"[ ] a", "[ ] b"}, "",
			`update_plan: step 1 is not an object; step 2: unknown field "title": want step and status; step 2: step is not a string; step 3 is not an object; explanation is not a string`},
		{"no steps at all", `{"plan":[1,"a"]}`, "JSON document", []string{"[ ] JSON document"}, "```json\n{\"plan\":[1,\"a\"]}\n```", ""},
		{"many problems", `{"plan":["a",2,3,4,5,6,7,8]}`, "update_plan", []string{"[ ] a"}, "", "step 5 is not an object; and 3 more"},
		{"equal names", `{"plan":[{"step":"a","step":"b","status":"completed","status":"pending"}],"plan":[{"step":"c","status":"pending"}],"explanation":"x","explanation":"y"}`,
			"update_plan", []string{"[x] a"}, "x", `update_plan: element 1: "step" is repeated; the first one counts; "plan" is repeated`},

		{"todos", `{"merge":false,"todos":[{"id":"1","content":"Run","activeForm":"Running","status":"in_progress"},{"title":"b","status":"done"},{"text":"c","priority":"P0"},{"task":"d","status":"TODO_STATUS_COMPLETED"},"e"]}`,
			"todo list", []string{"[~] Run", "[x] b", "[ ] high c", "[x] d", "[ ] e"}, "", ""},
		{"a bare list of them", `[{"id":1,"title":"a","status":"cancelled"},{"title":"b"}]`, "todo list", []string{"[x] [cancelled] a", "[ ] b"}, "", ""},
		{"in a fence", "\n```json\n[\n  {\"title\": \"a\", \"status\": \"pending\"}\n]\n```\n", "todo list", []string{"[ ] a"}, "", ""},

		{"tool calls", `{"calls":[{"_tool":"fetch","url":"https://a.example/x","_outputPath":"†state.page"},{"_tool":"say","text":"†state.page","n":2}]}`,
			"tool calls", []string{"[ ] fetch(url: https://a.example/x)", "[ ] say(text: †state.page, n: 2)"}, "", ""},
		{"a bare list of them", `[{"_tool":"a"},{"_tool":7},{"b":1}]`, "tool calls", []string{"[ ] a()"}, "", "tool calls: element 2: _tool does not name a tool; element 3: _tool does not name a tool"},

		{"no plan", `{"dependencies":[{"name":"a","version":"1"}],"items":[1,2]}`, "JSON document", []string{"[ ] JSON document"}, "```json\n{\"dependencies\":[{\"name\":\"a\",\"version\":\"1\"}],\"items\":[1,2]}\n```", ""},
		{"no plan, with a title", `{"name":"n","title":" A\ttitle","entries":{},"plan":"x"}`, "JSON document", []string{"[ ] A title"}, "```json\n{\"name\":\"n\",\"title\":\" A\\ttitle\",\"entries\":{},\"plan\":\"x\"}\n```", ""},
		{"no plan, in a fence", "```JSON\n{\"a\":1}\n```", "JSON document", []string{"[ ] JSON document"}, "```JSON\n{\"a\":1}\n```", ""},
		{"a list of things without status", `[{"name":"a"},{"name":"b"}]`, "JSON document", []string{"[ ] JSON document"}, "```json\n[{\"name\":\"a\"},{\"name\":\"b\"}]\n```", ""},
		{"a list of strings", "[\n\"a\",\n\"b\"]", "JSON document", []string{"[ ] JSON document"}, "```json\n[\n\"a\",\n\"b\"]\n```", ""},

		{"unfinished", `{"plan":[{"step":"a","status":"pending"},{"step":"b`, "update_plan", []string{"[ ] a"}, "", "unfinished JSON"},
		{"unfinished, nothing yet", `{"name":"x","pl`, "", nil, "", "unfinished JSON"},
		{"broken", `{"plan":[{"step":"a","status":"pending"},{"step":"b" "status":"pending"}]}`, "update_plan", []string{"[ ] a"}, "", "update_plan: jsontext: invalid character '\"' after object value"},
		{"broken before there is an entry", `{"plan":[{"step":'a'}]}`, "JSON document", []string{"[ ] JSON document"}, "```json\n{\"plan\":[{\"step\":'a'}]}\n```", "JSON document: jsontext: invalid character"},
		{"invalid after an empty list", `{"todos":[],x`, "JSON document", []string{"[ ] JSON document"}, "```json\n{\"todos\":[],x\n```", "JSON document: jsontext: invalid character 'x'"},
		{"unfinished in a closed fence", "```json\n{\"todos\":[\"a\"\n```", "todo list", []string{"[ ] a"}, "", "todo list: jsontext: unexpected EOF"},
		{"text after the JSON", `{"todos":["a"]} That is *all*.`, "todo list", []string{"[ ] a"}, "That is *all*.", "todo list: text after the JSON"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := Read(test.document)
			entries, prose := r.Plan(), r.Prose
			if diff := cmp.Diff(test.want, drawn(entries)); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
			for _, e := range r.Entries {
				if e.Convention != test.convention {
					t.Errorf("convention %q, want %q", e.Convention, test.convention)
				}
			}
			if message := Message(test.document, true); message != test.message || prose != (message != "") {
				t.Errorf("message %q with prose %v, want %q", message, prose, test.message)
			}
			problem := fmt.Sprint(r.Problem)
			if test.problem == "" && r.Problem != nil || !strings.Contains(problem, test.problem) {
				t.Errorf("problem %s, want %s", problem, test.problem)
			}
		})
	}
}

// drawn draws entries like the lines of want.
func drawn(entries []entry.Entry) []string {
	lines := checklist(entries)
	for i, e := range entries {
		if e.Priority != entry.Medium {
			lines[i] = lines[i][:4] + string(e.Priority) + " " + e.Content
		}
	}
	return lines
}

func TestMarkdownIsNotReadAsJSON(t *testing.T) {
	for _, document := range []string{
		"[ ] a", "[] a", "[x] a", "[a](b)", "[1] a", "[[a]] b", "{{a}}", "{a: 1}", `{"a" is a name}`, `["a"](b)`, `[{"a"}]`, "{} and", "[{}] and", "# {", "7", `"a"`,
		"```json\n{\"todos\":[\"a\"]}", "```json\n{\"todos\":[\"a\"]}\n```\nMore.", "```json\n{\"a\":1}\n```\n\n```json\n{\"b\":1}\n```", "```\n{\"todos\":[\"a\"]}\n```",
	} {
		if s, ok := readJSON(document); ok {
			t.Errorf("%q is read as JSON: %+v", document, s)
		}
	}
}

func TestExplainNamesTheLineOfAnElement(t *testing.T) {
	var lines []int
	explained := Read("\n```json\n{\n \"x\": [\n],\n \"todos\": [\n  {\n  \"text\": \"a\"}, \"b\",\n\n {\"text\":\n\"c\"}\n]}\n```").Entries
	for _, e := range explained {
		lines = append(lines, e.Line)
	}
	if !slices.Equal(lines, []int{7, 8, 10}) {
		t.Errorf("lines %v, want 7, 8 and 10", lines)
	}
}

func TestOnlyTheFirstProblemsAreNamed(t *testing.T) {
	step := func(n int) string { return fmt.Sprintf("step %d is not an object", n) }
	five := "update_plan: " + strings.Join([]string{step(1), step(2), step(3), step(4), step(5)}, "; ")
	for document, want := range map[string]string{
		`{"plan":["a"]}`: "update_plan: " + step(1), `{"plan":["a",2,3,4,5]}`: five, `{"plan":["a",2,3,4,5,6]}`: five + "; and 1 more",
	} {
		if got := fmt.Sprint(Read(document).Problem); got != want {
			t.Errorf("%s: got %q, want %q", document, got, want)
		}
	}
}

func TestStructuredIsBounded(t *testing.T) {
	long := strings.Repeat("word ", 60)
	list := `{"todos":["` + long + `"` + strings.Repeat(`,{"text":"a","status":"done"}`, 150) + `]}`
	entries, prose := Render(list)
	if last := entries[len(entries)-1]; len(entries) != maxEntries || !last.Equal(entry.Entry{Content: "… and 52 more", Priority: entry.Medium, Status: entry.Completed}) || !prose {
		t.Errorf("%d entries, the last one %+v, prose %v", len(entries), last, prose)
	}
	if n := len([]rune(entries[0].Content)); n > maxContent || !strings.HasSuffix(entries[0].Content, "word…") {
		t.Errorf("%d characters: %q", n, entries[0].Content)
	}
	running := `{"todos":[{"text":"` + long + `","status":"in_progress"}]}`
	for shown, want := range map[bool]string{true: "", false: " (in progress)"} {
		if message := Message(running, shown); message != "- [ ] "+strings.TrimSpace(long)+want {
			t.Errorf("a step that was cut is told as %q, want %q at its end", message, want)
		}
	}
	if message := Message(list, true); strings.Count(message, "\n- [x] a") != 150 || !strings.HasPrefix(message, "- [ ] "+strings.TrimSpace(long)+"\n") {
		t.Errorf("what was cut is not sent: %q", message)
	}

	huge := `{"todos":[` + strings.Repeat(`"a step to take",`, maxDocument/10)
	r := Read(huge + `"the last"]}`)
	entries = r.Plan()
	if len(entries) != maxEntries || r.Problem == nil || !strings.Contains(r.Problem.Error(), "longer than 262144 bytes") {
		t.Errorf("%d entries of a long document, problem %v", len(entries), r.Problem)
	}
}

// For all beginnings of a document in JSON, an entry that was shown stays and keeps its content.
func TestJSONDoesNotFlicker(t *testing.T) {
	for _, document := range []string{
		"\ufeff {\n \"explanation\": \"Why {[\\\"\",\n \"plan\": [\n  {\"step\": \"a ]\\\"}\", \"status\": \"completed\"},\n  {\"status\": \"pending\", \"step\": \"b\\u00e4\"}\n ]\n}\n",
		`{"title":"x","todos":[{"content":"a","priority":"high","status":"done"},"b",{"x":[{"content":"no"}]},{"content":"c","content":"d"}],"plan":["no"],"todos":["no"]}`,
		`[{"content":"a","priority":"low","status":"pending"},{"content":"b","priority":"low","status":"pending"}] and more text`,
		`[{"_tool":"a","in":"†state.x"},{"_tool":"b","in":{"y":["from †state.y"]},"_outputPath":"†state.x"},{"_tool":"c","_outputPath":"†state.y"},{"_tool":"d","in":"†state.z"}]`,
		`{"a":{"entries":[{"content":"no"}]},"name":"the name"}`,
	} {
		final, _ := Render(document)
		if len(final) == 0 {
			t.Fatalf("%s has no entries", document)
		}
		var before []entry.Entry
		for end := range len(document) + 1 {
			if !utf8.ValidString(document[:end]) {
				continue
			}
			entries, _ := Render(document[:end])
			for _, e := range before {
				if !slices.ContainsFunc(entries, e.Equal) {
					t.Fatalf("%q: %+v is gone, there is %+v", document[:end], e, entries)
				}
			}
			for _, e := range entries {
				if !slices.ContainsFunc(final, e.Equal) {
					t.Fatalf("%q: %+v, which is not in the whole document", document[:end], e)
				}
			}
			before = entries
		}
	}
}

// hostileJSON returns documents that might take more than linear time.
func hostileJSON(size int) map[string]string {
	fill := func(begin, unit, end string) string {
		return begin + strings.Repeat(unit, (size-len(begin)-len(end))/len(unit)) + end
	}
	var chain, late, written, states, parts strings.Builder
	for i := 0; chain.Len() < size-100; i++ {
		fmt.Fprintf(&chain, `{"_tool":"a","b":"†state.x%d","_outputPath":"†state.x%d"},`, i+1, i)
	}
	for i := 0; late.Len()+written.Len() < size-100; i++ {
		fmt.Fprintf(&late, `{"_tool":"a","b":"†state.x%d"},`, i)
		fmt.Fprintf(&written, `{"_tool":"b","_outputPath":"†state.x%d"},`, i)
	}
	for i := 0; states.Len() < size-100; i++ {
		fmt.Fprintf(&states, `{"_tool":"a","b":"†state.x"},{"_tool":"b","_outputPath":"†state.x.y%d"},`, i)
	}
	for i := 0; parts.Len() < size-100; i++ {
		fmt.Fprintf(&parts, `{"_tool":"a","b":"†state.x || †state.z","_outputPath":"†state.x.y%d"},`, i)
	}
	return map[string]string{
		"todos":         fill(`{"todos":[`, `{"content":"a step to take","status":"pending"},`, `""]}`),
		"steps":         fill(`{"plan":[`, `{"step":"a step to take","status":"x"},`, `""]}`),
		"strings":       fill(`{"todos":[`, `"a",`, `"b"]}`),
		"calls":         fill(`[`, `{"_tool":"a"},`, `{}]`),
		"chain":         "[" + chain.String() + `{"_tool":"b"}]`,
		"late writers":  "[" + late.String() + written.String() + `{"_tool":"b"}]`,
		"whole states":  "[" + states.String() + `{"_tool":"b"}]`,
		"own parts":     "[" + parts.String() + `{"_tool":"b"}]`,
		"cycle":         "[" + chain.String() + `{"_tool":"b","_outputPath":"†state.x9","a":"†state.x1"}]`,
		"same state":    fill(`[`, `{"_tool":"a","b":"†state.x","_outputPath":"†state.x"},`, `{}]`),
		"daggers":       fill(`[{"_tool":"a","b":"`, `†`, `"}]`),
		"references":    fill(`[{"_tool":"a","b":"`, `†state.x `, `"}]`),
		"alternatives":  fill(`[{"_tool":"a","b":"`, `†state.x || `, `"}]`),
		"deep path":     fill(`[{"_tool":"a","_outputPath":"†state`, `.x`, `"}]`),
		"deep":          strings.Repeat(`{"a":`, size/5),
		"deep lists":    strings.Repeat(`[{"a":[`, size/7),
		"deep argument": `[{"_tool":"a","b":` + strings.Repeat("[", size/30) + `"†state.x"` + strings.Repeat("]", size/30) + `}]`,
		"members":       fill(`{"plan":["a"],`, `"a":1,`, `"b":2}`),
		"arguments":     fill(`[{"_tool":"a",`, `"a":1,`, `"b":2}]`),
		"a string":      fill(`[{"_tool":"a","b":"`, `\"`, `"}]`),
		"a name":        fill(`{"`, `a\n`, `":1}`),
		"spaces":        fill(`[`, " \n", `{"_tool":"a"}]`),
		"fence":         fill("```json\n[", "\n", `{"_tool":"a"}]`+"\n```"),
		"fences":        fill("```json\n[", "\n`", "\n```"),
		"open":          fill(`{"todos":["a`, "a", ""),
	}
}

func TestHostileJSONIsLinear(t *testing.T) {
	t.Parallel()
	var documents []generator
	for name, document := range hostileJSON(maxDocument) {
		documents = append(documents, generator{name, 0, func(size int) string { return hostileJSON(size)[name] }})
		if problem := Read(document).Problem; problem != nil && len(problem.Error()) > 2000 {
			t.Errorf("%s: a problem of %d bytes", name, len(problem.Error()))
		}
	}
	checkLinear(t, documents, 4<<10, func(document string) { Message(document, false) })
}

func BenchmarkRenderJSON(b *testing.B) {
	for name, document := range hostileJSON(maxDocument) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(document)))
			for b.Loop() {
				Render(document)
			}
		})
	}
}

// FuzzStructured: a document in JSON is within its limits, and each of its beginnings shows a
// beginning of its entries, or is not JSON yet.
func FuzzStructured(f *testing.F) {
	f.Add(`{"explanation":"x","plan":[{"step":"a","status":"pending"},{"step":"b","status":"inProgress"}]}`, 60)
	f.Add(`{"todos":[{"content":"a","status":"done"},"b"]} text`, 45)
	f.Add(`[{"_tool":"a","b":"†state.x.y || †input.z","_outputPath":"†state.y[0]"},{"_tool":"b","c":["†state.y"],"_outputPath":"†state.x"}]`, 90)
	f.Add("```json\n[{\"_tool\":\"a\",\"b\":\"†state.x\",\"_outputPath\":\"†state.x\"}]\n```", 20)
	f.Add(`{"entries":[],"name":"\u2020\ud800","a":{"b":[[1e9,true]]}}`, 30)
	f.Fuzz(func(t *testing.T, document string, at int) {
		r := Read(document)
		whole := r.Plan()
		if _, ok := readJSON(document); !ok {
			return
		}
		for _, e := range whole {
			if n := len([]rune(strings.TrimPrefix(e.Content, entry.CancelledPrefix))); n > maxContent || n == 0 {
				t.Fatalf("%d characters: %q", n, e.Content)
			}
		}
		if len(whole) > maxEntries {
			t.Fatalf("%d entries", len(whole))
		}
		if problem := r.Problem; problem != nil && len(problem.Error()) > 2000 {
			t.Fatalf("a problem of %d bytes", len(problem.Error()))
		}
		head := document[:max(0, min(at, len(document)))]
		r = Read(head)
		if !errors.Is(r.Problem, ErrUnfinished) || len(whole) == maxEntries {
			return
		}
		for _, e := range r.Plan() {
			if !slices.ContainsFunc(whole, e.Equal) {
				t.Fatalf("%q shows %+v, the whole %q does not", head, e, document)
			}
		}
	})
}
