package plans

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

const (
	promptS  = `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`
	answerS  = `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}`
	sessionS = `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w"}}`
	openedS  = `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`
)

func fileUpdate(session, id, uri string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":%q,"uri":%q}}}}`, session, id, uri)
}

// A disk has the texts of files by URI.
type disk map[string]string

func (d disk) read(uri string, _ []string) (string, error) {
	if text, ok := d[uri]; ok {
		return text, nil
	}
	return "", errors.New(uri + " is not there")
}

// live returns a conversation with an open session and a pending prompt, and the list of its
// events.
func live(d disk, opts options) (c *relay, told *[]string) {
	told = new([]string)
	if opts.ReadFile == nil {
		opts.ReadFile = d.read
	}
	opts.Events.Unreadable = func(_ string, err error) { *told = append(*told, err.Error()) }
	c = old(opts)
	through(c.FromClient(), sessionS)
	through(c.FromAgent(), openedS)
	through(c.FromClient(), promptS)
	return c, told
}

func (c *relay) readAll(d disk) string {
	var out []byte
	for _, f := range c.Files() {
		text, err := d.read(f.URI, f.Roots)
		out = c.FileRead(out, f, text, err)
	}
	return string(out)
}

// contents returns the contents of the entries in lines.
func contents(lines string) string {
	var all []string
	for _, part := range strings.Split(lines, `"content":"`)[1:] {
		all = append(all, part[:strings.IndexByte(part, '"')])
	}
	return strings.Join(all, ",")
}

func TestFilesAreLiveWhileAPromptRuns(t *testing.T) {
	d := disk{"file:///w/p": "- [ ] a"}
	changed := 0
	c, _ := live(d, options{FilesChanged: func() { changed++ }})
	step := func(what string, e end, line, want string) {
		t.Helper()
		before := fmt.Sprint(c.Files())
		changed = 0
		through(e, line)
		got := fmt.Sprint(c.Files())
		if got != want {
			t.Errorf("%s: live are %s, want %s", what, got, want)
		}
		if got != before && changed == 0 {
			t.Errorf("%s: nobody was told", what)
		}
	}
	p, q := "{s file:///w/p [/w] false}", "{s file:///w/q [/w] false}"
	step("a file plan", c.FromAgent(), fileUpdate("s", "1", "file:///w/p"), "["+p+"]")
	step("another", c.FromAgent(), fileUpdate("s", "2", "file:///w/q"), "["+p+" "+q+"]")
	step("the first file again", c.FromAgent(), fileUpdate("s", "3", "file:///w/p"), "["+p+" "+q+"]")
	step("another session's", c.FromAgent(), fileUpdate("other", "1", "file:///w/p"), "["+p+" "+q+"]")
	step("one moves", c.FromAgent(), fileUpdate("s", "3", "file:///w/q"), "["+p+" "+q+"]")
	step("one becomes a list", c.FromAgent(), planUpdate("s", "1", "- [ ] x"), "["+q+"]")
	step("the answer", c.FromAgent(), answerS, "[]")
	step("another prompt", c.FromClient(), promptS, "["+q+"]")
	step("one is taken back", c.FromAgent(), `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"2"}}}`, "["+q+"]")
	step("all are", c.FromAgent(), `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"3"}}}`, "[]")
	step("a file plan", c.FromAgent(), fileUpdate("s", "1", "file:///w/p"), "["+p+"]")
	step("the client closes the session", c.FromClient(), `{"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":"s"}}`, "["+p+"]")
	step("it is closed", c.FromAgent(), `{"jsonrpc":"2.0","id":9,"result":null}`, "[]")
}

func TestFilesOfACapableClientAreNotRead(t *testing.T) {
	c := newRelay(options{ReadFile: disk{"file:///w/p": "- [ ] a"}.read})
	through(c.FromClient(), strings.Replace(initialize, `{}`, `{"plan":{}}`, 1))
	through(c.FromAgent(), initialized)
	through(c.FromClient(), promptS)
	if got := through(c.FromAgent(), fileUpdate("s", "1", "file:///w/p")); !strings.Contains(got, `"file"`) || c.Files() != nil {
		t.Errorf("got %s, live are %v", got, c.Files())
	}
}

func TestWithoutReadFileAFilePlanIsItsName(t *testing.T) {
	if got := contents(through(old(options{}).FromAgent(), fileUpdate("s", "1", "file:///w/p"))); got != "Plan file: /w/p" {
		t.Errorf("got %q", got)
	}
}

// At the end of a turn the files of its session are read. Before a question without a session id,
// the files with a pending text of all sessions are read.
func TestFilesAreReadForTheirSession(t *testing.T) {
	var reads []string
	late := error(nil)
	c, _ := live(nil, options{ReadFile: func(uri string, _ []string) (string, error) {
		reads = append(reads, uri)
		return "- [ ] a", late
	}})
	agent := c.FromAgent()
	through(c.FromClient(), call(4, "session/prompt", `{"sessionId":"t","prompt":[]}`))
	through(agent, fileUpdate("s", "1", "file:///w/s"))
	through(agent, fileUpdate("t", "1", "file:///w/t"))
	late = ErrLater
	through(agent, fileUpdate("t", "2", "file:///w/late"))
	for _, test := range []struct{ line, want string }{
		{call(9, "elicitation/create", `{}`), "[file:///w/late]"},
		{answerS, "[file:///w/s]"},
		{result(4, `{}`), "[file:///w/t file:///w/late]"},
	} {
		reads = nil
		if through(agent, test.line); fmt.Sprint(reads) != test.want {
			t.Errorf("before %s are read %v, want %s", test.line, reads, test.want)
		}
	}
}

// Only a readable text replaces the last one.
func TestFileReadShowsTheFile(t *testing.T) {
	d := disk{}
	c, told := live(d, options{})
	if got := contents(through(c.FromAgent(), fileUpdate("s", "1", "file:///w/p"))); got != "Plan file: /w/p" {
		t.Errorf("a file that is not there: %s", got)
	}
	step := func(what, text string, want string) {
		t.Helper()
		if d["file:///w/p"] = text; text == "gone" {
			delete(d, "file:///w/p")
		}
		if got := contents(c.readAll(d)); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	step("still gone", "gone", "")
	step("it comes", "- [ ] a", "a")
	step("as it was", "- [ ] a", "")
	step("it changes", "- [ ] b", "b")
	step("it is deleted", "gone", "")
	step("still", "gone", "")
	step("it comes again as it was", "- [ ] b", "")
	step("it is deleted again", "gone", "")
	step("it comes as another", "- [ ] c", "c")
	if want := 3; len(*told) != want {
		t.Errorf("told %q, want it %d times", *told, want)
	}
	d["file:///w/p"] = ""
	if got := contents(through(c.FromAgent(), fileUpdate("s", "1", "file:///w/p"))); got != "" {
		t.Errorf("a truncated file: %s", got)
	}
	if got := string(c.FileRead(nil, c.Files()[0], "", nil)); !strings.Contains(got, `"entries":[]`) {
		t.Errorf("a file that was emptied: %s", got)
	}
	d["file:///w/p"] = "- [ ] last"
	got := through(c.FromAgent(), answerS)
	if lines := strings.Split(got, "\n"); len(lines) != 3 || contents(lines[0]) != "last" || lines[1] != answerS {
		t.Errorf("the answer: %s", got)
	}
	f := File{Session: "s", URI: "file:///w/p"}
	for _, text := range []string{"- [ ] late", ""} {
		if got := string(c.FileRead(nil, f, text, nil)); got != "" {
			t.Errorf("after the answer: %s", got)
		}
	}
	if got := string(c.FileRead(nil, File{Session: "none", URI: "file:///w/p"}, "- [ ] x", nil)); got != "" {
		t.Errorf("for a session that is not there: %s", got)
	}
}

func TestAnUnreadableFileKeepsItsLastText(t *testing.T) {
	d := disk{"file:///w/p": "- [ ] a"}
	c, told := live(d, options{})
	through(c.FromAgent(), fileUpdate("s", "1", "file:///w/p"))
	delete(d, "file:///w/p")
	if got := through(c.FromAgent(), fileUpdate("s", "1", "file:///w/p")); got != "" {
		t.Errorf("named again: %s", got)
	}
	if got := through(c.FromAgent(), answerS); got != answerS+"\n" || len(*told) != 1 {
		t.Errorf("the answer: %s, told %q", got, *told)
	}
}

func TestAResponseWaitsOnceForADeadDisk(t *testing.T) {
	reads, dead := 0, error(nil)
	c, _ := live(nil, options{ReadFile: func(string, []string) (string, error) {
		reads++
		return "- [ ] a", dead
	}})
	for i := range 5 {
		through(c.FromAgent(), fileUpdate("s", fmt.Sprint(i), fmt.Sprintf("file:///w/%d", i)))
	}
	reads, dead = 0, fmt.Errorf("dead: %w", context.DeadlineExceeded)
	if through(c.FromAgent(), answerS) != answerS+"\n" || reads != 1 {
		t.Errorf("%d reads", reads)
	}
	if files := c.Files(); len(files) != 4 || !files[0].Later {
		t.Errorf("still to be read are %v, want all but the first", files)
	}
}

func TestAFileThatChangesBeforeItsSessionIsOpen(t *testing.T) {
	d := disk{"file:///w/p": "- [ ] a"}
	c := old(options{ReadFile: d.read})
	through(c.FromClient(), sessionS)
	through(c.FromClient(), promptS)
	if got := through(c.FromAgent(), fileUpdate("s", "1", "file:///w/p")); got != "" || len(c.Files()) != 0 {
		t.Errorf("too early: %s, live are %v", got, c.Files())
	}
	d["file:///w/p"] = "- [ ] b"
	f := File{Session: "s", URI: "file:///w/p"}
	for _, text := range []string{"- [ ] b", "- [ ] c"} {
		if got := string(c.FileRead(nil, f, text, nil)); got != "" {
			t.Errorf("too early: %s", got)
		}
	}
	if got := contents(through(c.FromAgent(), openedS)); got != "c" || len(c.Files()) != 1 {
		t.Errorf("then: %s, live are %v", got, c.Files())
	}
}

func TestAPendingTextIsShownWhenItComes(t *testing.T) {
	c, _ := live(nil, options{ReadFile: func(string, []string) (string, error) { return "", ErrLater }})
	through(c.FromAgent(), planUpdate("s", "0", "- [ ] other"))
	for range 2 {
		if got := through(c.FromAgent(), fileUpdate("s", "1", "file:///w/p")); got != "" {
			t.Errorf("before it came: %s", got)
		}
	}
	if got := through(c.FromAgent(), answerS); got != answerS+"\n" {
		t.Errorf("the answer: %s", got)
	}
	live := c.Files()
	if want := []File{{"s", "file:///w/p", []string{"/w"}, true}}; len(live) != 1 || fmt.Sprint(live) != fmt.Sprint(want) {
		t.Fatalf("live are %v, want %v", live, want)
	}
	if got := contents(string(c.FileRead(nil, live[0], "- [ ] a", nil))); got != "other,a" || c.Files() != nil {
		t.Errorf("when it came: %s, live are %v", got, c.Files())
	}
	through(c.FromClient(), promptS)
	if got := through(c.FromAgent(), fileUpdate("s", "1", "file:///w/p")); got != "" || c.Files()[0].Later {
		t.Errorf("named again: %s, live are %v", got, c.Files())
	}
}

// A file that is being written at the end of a turn stays live until its text is there. A question
// waits for a pending text.
func TestABusyFileAtTheEndOfATurn(t *testing.T) {
	const question = `{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s"}}`
	text, err := "", ErrBusy
	rested, changed := 0, 0
	c, told := live(nil, options{
		FilesChanged: func() { changed++ },
		Settings:     settings{Prose: true},
		ReadFile:     func(string, []string) (string, error) { return text, err },
		Rest:         func([]File) { rested++ },
	})
	e := c.FromAgent()
	if got := through(e, fileUpdate("s", "1", "file:///w/p")); got != "" || rested != 0 {
		t.Errorf("named: %s, waited %d times", got, rested)
	}
	if got := through(e, question); got != question+"\n" || rested != 1 {
		t.Errorf("a question: %s, waited %d times", got, rested)
	}
	text, err = "Mind this.\n\n- [ ] a", nil
	got := through(e, question)
	if lines := strings.Split(got, "\n"); len(lines) != 4 || contents(lines[0]) != "a" || !strings.Contains(lines[1], "Mind this.") || lines[2] != question {
		t.Errorf("another question: %s", got)
	}
	if e.Inspect([]byte(question), false); rested != 2 || len(c.Files()) != 1 || c.Files()[0].Later {
		t.Errorf("waited %d times, live are %v", rested, c.Files())
	}
	through(e, planUpdate("other", "1", "Prose.\n\n- [ ] z"))
	if through(e, question); rested != 2 {
		t.Errorf("a question waits for writes where no file is read for it")
	}
	text, err = "", ErrBusy
	if got := through(e, answerS); got != answerS+"\n" || len(c.Files()) != 1 {
		t.Errorf("the answer: %s, live are %v", got, c.Files())
	}
	changed = 0
	got = string(c.FileRead(nil, c.Files()[0], "Mind that.\n\n- [ ] b", nil))
	if lines := strings.Split(got, "\n"); len(lines) != 3 || contents(lines[0]) != "b" || !strings.Contains(lines[1], "Mind that.") || c.Files() != nil || changed == 0 {
		t.Errorf("after the answer: %s, live are %v, which was told %d times", got, c.Files(), changed)
	}
	if len(*told) > 0 {
		t.Errorf("told %q", *told)
	}
}

func TestTheMessageOfAFilePlanHasItsLastText(t *testing.T) {
	d := disk{"file:///w/p": "- [ ] a"}
	c, _ := live(d, options{Settings: settings{ShowAs: AsMessage}})
	through(c.FromAgent(), fileUpdate("s", "1", "file:///w/p"))
	d["file:///w/p"] = "- [x] b"
	if got := c.readAll(d); got != "" {
		t.Errorf("told while it runs: %s", got)
	}
	d["file:///w/p"] = "- [x] c"
	if got := through(c.FromAgent(), answerS); !strings.Contains(got, "[x] c") || strings.Contains(got, "[x] b") {
		t.Errorf("at the end: %s", got)
	}
}

func TestFilePlansAreBounded(t *testing.T) {
	c, _ := live(disk{}, options{})
	for i := range 1000 {
		through(c.FromAgent(), fileUpdate("s", fmt.Sprint(i), "file:///w/p"))
	}
	if n := len(c.find("s").now.set.Files()); n > 100 {
		t.Errorf("%d files are kept", n)
	}
}

// The id can be anywhere in the response.
func TestResponsesToOwnRequestsNeverReachTheAgent(t *testing.T) {
	long := strings.Repeat("x", wire.HeadSize)
	for _, sent := range []bool{true, false} {
		for _, test := range []struct{ line, want, answer string }{
			{`{"jsonrpc":"2.0","id":"ours-1","result":{"content":"a"}}`, "", `{"content|`},
			{`{"jsonrpc":"2.0","id":"ours-1","error":{"code":1}}`, "", `|{"code":1`},
			{`{"jsonrpc":"2.0","result":{},"id":"ours-1"}`, "", `{}|`},
			{`{"jsonrpc":"2.0","result":{"content":"` + long + `"},"id":"ours-1"}`, "", `{"content|`},
			{`{"id":"ours-1"}`, "", `|`},
			{`{"jsonrpc":"2.0","id":"ours-1","result":{},"result":{}}`, "", "|"},
			{`{"jsonrpc":"2.0","id":"ours-1","result":{}} trailing`, "", "|"},
			{`{"jsonrpc":"2.0","id":"\u006furs-1","result":{}}`, "", `{}|`},
			{`{"jsonrpc":"2.0","\u0069d":"ours-1","result":{}}`, "", `{}|`},
			{`[{"jsonrpc":"2.0","id":"ours-1","result":{}},{"jsonrpc":"2.0","id":1,"result":{}}]`, `[{"jsonrpc":"2.0","id":1,"result":{}}]`, `{}|`},
			{`{"jsonrpc":"2.0","id":1,"result":{}}`, "as it is", ""},
			{`{"jsonrpc":"2.0","id":"1","result":{}}`, "as it is", ""},
			{`{"jsonrpc":"2.0","result":{"content":"` + long + `"},"id":"mine"}`, "as it is", ""},
			{`{"jsonrpc":"2.0","result":{"ours-1":1},"id":null}`, "as it is", ""},
			{`{"jsonrpc":"2.0","id":"ours-1","method":"session/cancel"}`, "as it is", ""},
		} {
			late := strings.HasPrefix(test.line, `{"jsonrpc":"2.0","result"`) || strings.Contains(test.line, `"\u0069d"`)
			if late && !sent {
				continue // whose it is does not matter: nobody's is ours yet
			}
			var answers []string
			own := dispatch.NewOwnRequests("ours-")
			if sent {
				own.Begin("test", func(result, failure []byte) []byte {
					answers = append(answers, fmt.Sprintf("%.9s|%.9s", result, failure))
					return nil
				})
			} else {
				test.answer = ""
			}
			e := old(options{Requests: own}).FromClient()
			want := strings.ReplaceAll(test.want, "as it is", test.line)
			if want != "" {
				want += "\n"
			}
			if got := through(e, test.line); got != want || strings.Join(answers, "") != test.answer {
				t.Errorf("%.80s (sent: %v): %.80q, answered %q", test.line, sent, got, answers)
			}
		}
	}
}

func TestResponsesAreHeldOnlyAfterTheFirstOwnRequest(t *testing.T) {
	own := dispatch.NewOwnRequests("ours-")
	c := old(options{Requests: own})
	late := []byte(`{"jsonrpc":"2.0","result":{"content":"` + strings.Repeat("x", wire.HeadSize))[:wire.HeadSize]
	early := []byte(`{"jsonrpc":"2.0","id":7,"result":{"content":"`)
	e := c.FromClient()
	var got []wire.Verdict
	for range 2 {
		got = append(got, e.Inspect(late, false), e.Inspect(early, false), e.Inspect([]byte(`{"jsonrpc":"2.0","id":"ours-7","result":{`), false))
		own.Begin("test", func(_, _ []byte) []byte { return nil })
	}
	if want := []wire.Verdict{wire.Pass, wire.Pass, wire.Consume, wire.Hold, wire.Pass, wire.Consume}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
