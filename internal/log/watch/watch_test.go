package watch

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"acpshim/internal/log/query"
	"acpshim/internal/log/view"
	"acpshim/internal/record"
	"acpshim/internal/text/terminal"

	tea "charm.land/bubbletea/v2"
)

var begun = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)

const run1 = "20260304T100000.000Z-x-1-0a1b2c3d"

// opened is a model of a run of which nothing was read, on a terminal.
func opened(t *testing.T, width, height int, filter string) *model {
	t.Helper()
	q, err := query.Parse(filter)
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(Options{Files: []string{run1 + ".jsonl"}, Query: q})
	m.run.feed = &feed{stop: make(chan struct{})}
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	m.Update(tick(begun))
	return m
}

// line is a message of a record, a second after the one before, with more members of the record.
func line(seq int, dir, members, message string) string {
	return fmt.Sprintf(`{"kind":"message","seq":%d,"time":%q,"mono":%d,"dir":%q,"len":%d%s,"msg":%s}`,
		seq, begun.Add(time.Duration(seq)*time.Second).Format(time.RFC3339), seq*int(time.Second), dir, len(message), members, message)
}

func ask(seq int) string {
	return line(seq, "client", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"question %d"}]}}`, seq, seq))
}

func respond(seq, to int) string {
	return line(seq, "agent", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}`, to))
}

func fail(seq, to int) string {
	return line(seq, "agent", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"no login"}}`, to))
}

func say(seq int, text string) string {
	return line(seq, "agent", "", fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}}}`, text))
}

func batchOf(t *testing.T, f *feed, lines ...string) batch {
	t.Helper()
	b := batch{feed: f, isNewest: true, missing: record.Missing{Ended: true}}
	r := record.NewReader(strings.NewReader(strings.Join(lines, "\n") + "\n"))
	for range lines {
		rec, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		b.records = append(b.records, rec)
		b.bytes += len(r.Line())
	}
	return b
}

func (m *model) comes(t *testing.T, lines ...string) {
	t.Helper()
	m.Update(batchOf(t, m.run.feed, lines...))
}

func (m *model) types(keys ...string) (last tea.Cmd) {
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "pgup": tea.KeyPgUp,
		"pgdown": tea.KeyPgDown, "left": tea.KeyLeft, "right": tea.KeyRight, "backspace": tea.KeyBackspace}
	for _, key := range keys {
		press := tea.KeyPressMsg{Code: codes[key]}
		if press.Code == 0 {
			press = tea.KeyPressMsg{Text: key, Code: []rune(key)[0]}
		}
		_, last = m.Update(press)
	}
	return last
}

var colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// screen is what is on the terminal, without colours; it has as many lines and columns at most.
func (m *model) screen(t *testing.T) string {
	t.Helper()
	text := colours.ReplaceAllString(m.View().Content, "")
	lines := strings.Split(text, "\n")
	if len(lines) > m.height {
		t.Errorf("%d lines on %d:\n%s", len(lines), m.height, text)
	}
	for _, line := range lines {
		if n := terminal.Width(line); n > m.width && m.width >= 20 {
			t.Errorf("%d columns on %d: %q", n, m.width, line)
		}
		if terminal.Line(line) != line {
			t.Errorf("a terminal obeys %q", line)
		}
	}
	return text
}

// shows fails unless all texts are on the screen; one that begins with ! must not be.
func (m *model) shows(t *testing.T, texts ...string) {
	t.Helper()
	screen := m.screen(t)
	for _, text := range texts {
		if absent, not := strings.CutPrefix(text, "!"); not == strings.Contains(screen, absent) {
			t.Fatalf("want %q on\n%s", text, screen)
		}
	}
}

// at is the number of the row at the cursor.
func (m *model) at() int { return int(m.run.row(m.rows.at).Seq) }

func TestTheListHasLiveRunsFirst(t *testing.T) {
	m := newModel(Options{Folder: "/records"})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	m.Update(runList{})
	m.shows(t, "0 runs, 0 live", "There are no runs yet", "acpshim --record -- COMMAND", "/records")
	three := 3
	live := view.Run{Record: "b", Short: "b", Files: []string{"b.jsonl"}, State: "running", Agent: "live-agent"}
	ended := view.Run{Record: "a", Short: "a", Files: []string{"a.jsonl"}, State: "ended", Status: &three}
	m.Update(runList{runs: []view.Run{live, ended}, older: 7})
	m.shows(t, "9 runs, 1 live", "* b", "live-agent", "exit 3")
	m.types("j")
	m.Update(runList{runs: []view.Run{{Record: "c", Short: "c", State: "running"}, live, ended}})
	if list := m.pages[0].(*runsPage); list.at != 2 {
		t.Errorf("the cursor is at %d, no longer at the run that it was at", list.at)
	}
	m.types("?", "p")
	m.shows(t, "pause, and go on")
	m.types("esc", "p", "P", "x", "enter")
	if m.run == nil || m.run.name() != "a" {
		t.Fatalf("enter opens %+v", m.run)
	}
	m.types("esc")
	m.shows(t, "acpshim log watch")
	m.Update(runList{err: fmt.Errorf("no permission")})
	m.shows(t, "no permission")
}

// The list shows only runs whose row has the words of its filter, in any column.
func TestTheListIsFiltered(t *testing.T) {
	m := newModel(Options{})
	m.Update(runList{runs: []view.Run{{Short: "a", Record: "a", Wrong: "2 problems"}, {Short: "b", Record: "b", Agent: "Codex", Wrong: "-"}}})
	m.types("/")
	m.input.text = "PROBLEM"
	m.types("enter")
	m.shows(t, "2 runs", "filter: PROBLEM", "2 problems", "!Codex")
	m.Update(runList{runs: m.all})
	m.shows(t, "!Codex")
	m.choose("codex")
	m.shows(t, "!2 problems", "Codex")
	m.choose("nothing")
	m.shows(t, "No run matches the filter.")
}

// A run in which something went wrong is red, whatever its status.
func TestTheListShowsWhatWentWrong(t *testing.T) {
	m := newModel(Options{Colour: true})
	good := 0
	m.Update(runList{runs: []view.Run{{Short: "first"}, {Short: "a", Wrong: "client closed", Status: &good}, {Short: "b", Wrong: "-", Status: &good}, {Short: "c", Wrong: "?", Status: &good}}})
	for short, want := range map[string]bool{"a": true, "b": false, "c": false} {
		if got := strings.Contains(m.View().Content, "\x1b[31m  "+short+" "); got != want {
			t.Errorf("%s is red: %v\n%q", short, got, m.View().Content)
		}
	}
}

// n goes to what went wrong next, and s opens the summary.
func TestTheNextFailure(t *testing.T) {
	m := opened(t, 100, 24, "")
	m.comes(t, ask(1), say(2, "One"), fail(3, 1), ask(4), respond(5, 4), respond(6, 77))
	m.types("g", "n")
	if m.at() != 3 {
		t.Errorf("n goes to #%d", m.at())
	}
	m.types("n")
	if m.at() != 6 {
		t.Errorf("n goes to #%d", m.at())
	}
	m.Colour = true
	m.types("g")
	for text, want := range map[string]bool{"to #1 ": true, "to an unknown request": true, "to #4 ": false} {
		if got := regexp.MustCompile(`\x1b\[31m[^\x1b]*` + text).MatchString(m.View().Content); got != want {
			t.Errorf("%q is red: %v\n%q", text, got, m.View().Content)
		}
	}
	m.Colour = false
	m.types("n", "n")
	m.types("n")
	m.shows(t, "nothing went wrong after this row")
	m.shows(t, "running, 6 messages, the agent responded to session/prompt (#1) with an error")
	m.Update(m.types("s")())
	m.shows(t, "summary", "no such file", "esc back")
}

// A request has a clock until its response comes. If none came before the run ended, it is red.
func TestPendingRequests(t *testing.T) {
	m := opened(t, 200, 24, "")
	m.comes(t, ask(1), ask(2))
	m.Update(tick(begun.Add(3500 * time.Millisecond)))
	m.shows(t, "running, 2 messages, waiting for the agent: #1 session/prompt, 2 s, 2 pending", "pending 2.5 s: question 1", "pending 1.5 s: question 2")
	m.comes(t, respond(3, 1))
	m.Update(tick(begun.Add(100 * time.Second)))
	m.shows(t, "waiting for the agent: #2 session/prompt, 1m38s", "pending 1m38s: question 2", "!: question 1", "to #1 after 2.000 s")
	m.Colour = true
	m.types("g")
	b := batchOf(t, m.run.feed, fail(4, 9), `{"kind":"end","seq":5,"mono":7000000000,"status":2}`)
	b.over = true
	m.Update(b)
	m.shows(t, "ended with status 2 after 7.0 s, 4 messages, 1 request without a response", "no response: question 2")
	for _, red := range []string{"no response: question 2", "no login", "ended with status 2"} {
		if !regexp.MustCompile(`\x1b\[31m[^\x1b]*` + red).MatchString(m.View().Content) {
			t.Errorf("%q is not red:\n%q", red, m.View().Content)
		}
	}
}

// The pieces of one message are one row while it grows.
func TestRowsAreFoldedWhileTheyGrow(t *testing.T) {
	m := opened(t, 100, 24, "")
	m.comes(t, ask(1), say(2, "One "))
	m.shows(t, "One")
	m.comes(t, say(3, "two "))
	m.comes(t, say(4, "three"))
	m.shows(t, "3 pieces in 2.000 s: One two three")
	if m.run.count() != 2 {
		t.Errorf("%d rows", m.run.count())
	}
	m.comes(t, respond(5, 1))
	m.shows(t, "3 pieces in 2.000 s: One two three", "----- question 1: end_turn after 4.000 s -----")
}

func TestKeysMoveTheCursor(t *testing.T) {
	m := opened(t, 100, 24, "")
	for i := range 50 {
		m.comes(t, ask(i+1))
	}
	for _, step := range []struct {
		key  string
		want int
	}{{"k", 49}, {"up", 48}, {"j", 49}, {"g", 1}, {"k", 1}, {"pgdown", 19}, {"down", 20}, {"pgup", 2}, {"pgup", 1}, {"G", 50}, {"j", 50}} {
		m.types(step.key)
		m.shows(t, fmt.Sprintf("question %d", step.want))
		if m.at() != step.want {
			t.Fatalf("after %s the cursor is at %d, want %d", step.key, m.at(), step.want)
		}
	}
	m.comes(t, ask(51))
	if m.shows(t, "question 51"); m.at() != 51 {
		t.Errorf("the cursor does not follow: it is at %d", m.at())
	}
	m.types("k")
	m.comes(t, ask(52))
	if m.shows(t, "!question 52"); m.at() != 50 {
		t.Errorf("the cursor moved to %d", m.at())
	}
	if quit := m.types("q"); quit == nil || quit() != (tea.QuitMsg{}) {
		t.Error("q does not quit")
	}
}

func TestXGoesToTheOtherMessage(t *testing.T) {
	m := opened(t, 100, 24, "")
	m.comes(t, ask(1), ask(2), say(3, "text"), fail(4, 1))
	m.types("g", "x")
	if m.at() != 4 {
		t.Errorf("x goes to %d, want the response 4", m.at())
	}
	m.types("x", "j", "x")
	m.shows(t, "this request is pending: it has no response yet")
	if m.at() != 2 {
		t.Errorf("x goes to %d from a request without a response", m.at())
	}
	m.types("j", "x")
	m.shows(t, "this is neither a request nor a response")
	m.types("k")
	m.types("k", "enter")
	m.shows(t, "#1 session/prompt", "response    #4, 3.000 s later")
	m.types("x")
	m.shows(t, "#4 session/prompt", "request     #1, 3.000 s earlier", `"message": "no login"`)
	m.types("h")
	m.shows(t, "#3 agent_message_chunk")
	m.types("l", "l")
	m.shows(t, "there is no other message")
	m.types("esc")
	m.shows(t, "running, 4 messages")
}

// An invalid filter shows its error, and the last filter stays. A new filter keeps the cursor at
// its place.
func TestFilters(t *testing.T) {
	m := opened(t, 100, 24, "method:session/*")
	m.comes(t, ask(1), say(2, "One"), fail(3, 1))
	m.types("/", " failed:", "maybe", "enter")
	m.shows(t, "failed: want yes or no", "filter: method:session/* failed:maybe▏", "filter: method:session/*\n", "question 1")
	m.types("esc")
	m.shows(t, "!want yes", "filter: method:session/*")
	m.types("k", "k", "/", "backspace", "x", "esc", "/")
	m.shows(t, "filter: method:session/*▏")
	m.types("/")
	m.Update(tea.PasteMsg{Content: "a\nb\x1b[2J"})
	m.shows(t, "filter: method:session/*/a b�[2J▏")
	m.types("esc")
	m.types("/")
	m.input.text = "dir:client"
	again := m.types("enter")
	if again == nil || m.run.count() != 0 || m.Query.String() != "dir:client" || len(m.pages) != 2 {
		t.Fatalf("the run is not read again: %+v", m.run)
	}
	m.comes(t, ask(1), say(2, "One"), ask(3), ask(4))
	m.shows(t, "question 3", "!One")
	if m.at() != 1 {
		t.Errorf("the cursor is at %d, want 1 as before", m.at())
	}
	m.leave()
}

// Messages during a pause are counted and shown later in order. Reading ahead is bounded.
func TestPause(t *testing.T) {
	m := opened(t, 100, 24, "")
	m.comes(t, ask(1))
	m.types("p")
	m.Update(tick(begun.Add(time.Hour)))
	m.comes(t, ask(2))
	m.comes(t, ask(3))
	m.shows(t, "paused, 2 messages came since", "pending 0.0 s", "!question 2")
	b := batchOf(t, m.run.feed, ask(4))
	b.bytes = maxHeld
	if _, next := m.Update(b); next != nil {
		t.Error("more is read ahead than is allowed")
	}
	m.shows(t, "paused, more than 3 messages came since")
	if next := m.types("p"); next == nil {
		t.Error("reading does not go on")
	}
	m.shows(t, "running, 4 messages", "question 4")
	if m.run.count() != 4 || len(m.run.held) != 0 {
		t.Errorf("%d rows, %d batches held", m.run.count(), len(m.run.held))
	}
	m.types("p")
	if next := m.types("p"); next != nil {
		t.Error("a batch is asked for twice")
	}
}

// The oldest rows and messages are dropped, and the cursor stays at its row until that is dropped.
func TestMemoryIsBounded(t *testing.T) {
	m := opened(t, 120, 24, "")
	m.run.kept.mostRows, m.run.kept.mostMessages = 100<<10, 200<<10
	m.comes(t, ask(1), ask(2))
	m.types("g", "enter")
	first := m.run.kept.messages[0]
	long := strings.Repeat("x", 2000)
	for i := 3; i < 1000; i += 2 {
		m.comes(t, line(i, "client", "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x/y","params":{"text":%q}}`, i, long)), respond(i+1, i))
		if i == 21 {
			m.types("esc", "g", "j", "j", "j")
			if m.at() != 4 {
				t.Fatalf("the cursor is at %d", m.at())
			}
		}
		m.View()
		if k := m.run.kept; k.rowBytes > k.mostRows || k.messageBytes > k.mostMessages || len(k.rows) > 100 || len(k.messages) > 200 {
			t.Fatalf("%d rows with %d bytes and %d messages with %d bytes are kept", len(k.rows), k.rowBytes, len(k.messages), k.messageBytes)
		}
	}
	if first.JSON != nil || first.Message.Line != nil {
		t.Error("a message that is not kept has its text")
	}
	if m.run.sent != 1000 || m.run.count()+m.run.kept.dropped != 1000 {
		t.Errorf("%d messages, %d rows and %d that are not kept", m.run.sent, m.run.count(), m.run.kept.dropped)
	}
	m.shows(t, fmt.Sprintf("%d older rows are not kept", m.run.kept.dropped))
	m.comes(t, respond(1001, 1))
	m.types("G", "k", "x")
	m.shows(t, "#1 is not in the list")
	m.types("enter")
	m.shows(t, "#1001", "stopReason")
	sum := 0
	for _, one := range m.run.kept.messages {
		sum += weightOf(one)
	}
	if sum != m.run.kept.messageBytes {
		t.Errorf("the messages weigh %d, counted are %d", sum, m.run.kept.messageBytes)
	}
}

// A JSON-RPC batch is kept or dropped as a whole, because its messages share a line.
func TestABatchIsKeptWhole(t *testing.T) {
	k := memory{mostRows: 1 << 20, mostMessages: 20 * messageCost}
	r := opened(t, 80, 24, "").run
	r.kept = k
	for i := range 10 {
		one := `{"jsonrpc":"2.0","method":"a"}`
		for _, rec := range batchOf(t, nil, line(i+1, "client", "", "["+strings.Repeat(one+",", 4)+one+"]")).records {
			r.add(rec)
		}
		for _, m := range r.kept.messages {
			if m.JSON == nil || m.Message.Line == nil {
				t.Fatalf("#%d is kept without its text", m.Seq)
			}
		}
		if n := len(r.kept.messages); n%5 != 0 || n > 20 || n == 0 {
			t.Fatalf("%d messages are kept", n)
		}
	}
}

// The plans of both sides are next to each other, also after later updates.
func TestPlans(t *testing.T) {
	m := opened(t, 80, 24, "")
	m.types("P")
	m.shows(t, "There is no plan yet.")
	m.types("esc")
	update := func(members string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{` + members + `}}}`
	}
	m.comes(t,
		line(1, "agent", `,"stage":"in","by":["plan"]`, update(`"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"# Plan\n\n- [x] Read"}`)),
		line(2, "agent", `,"stage":"out","of":1,"by":["plan"]`, update(`"sessionUpdate":"plan","entries":[{"content":"Read","status":"completed","priority":"high"}]`)))
	m.types("P")
	m.shows(t, "plans of session 1", `"p", #1`, "the plan, #2")
	m.comes(t,
		line(3, "agent", `,"stage":"in","by":["plan"]`, update(`"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"\n- [ ] `+strings.Repeat("Write ", 20)+`","delta":true}`)),
		line(4, "agent", `,"stage":"in","by":["plan"]`, update(`"sessionUpdate":"plan_update","plan":{"type":"file","planId":"f","uri":"file:///plan.md"}`)),
		line(5, "agent", `,"stage":"out","by":["plan"]`, update(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"The file says so."}`)),
		line(6, "agent", "", update(`"sessionUpdate":"plan_removed","planId":"q"`)))
	m.shows(t, `"p", #3`, "[x] Read", "in the file file:///plan.md", "plans as a text, #5", "The file says so.", `"q", #6`, "removed")
	for i := range 2 * maxPlans {
		m.comes(t, line(10+i, "agent", "", update(fmt.Sprintf(`"sessionUpdate":"plan_update","plan":{"type":"items","planId":"%d","entries":[]}`, i))))
	}
	if len(m.run.plans) != maxPlans {
		t.Errorf("%d plans are kept", len(m.run.plans))
	}
}

// At any size the screen has at most its lines and columns, and the cursor is visible.
func TestSizes(t *testing.T) {
	m := opened(t, 80, 24, `"question"`)
	m.input = nil
	hostile := `"\u001b[31m\u202e日本語 👍🏽\n\u0007evil"`
	for i := range 40 {
		m.comes(t, ask(i+1))
	}
	m.comes(t, line(41, "client", `,"stage":"in","by":[`+hostile+`],"why":[`+hostile+`]`, `{"jsonrpc":"2.0","id":`+hostile+`,"method":"question","params":{"sessionId":`+hostile+`,`+hostile+`:[`+hostile+`]}}`))
	m.comes(t, line(42, "agent", "", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","question":1,"update":{"sessionUpdate":"plan","entries":[{"content":`+hostile+`,"status":"pending","priority":"low"}]}}}`))
	for _, keys := range [][]string{{}, {"enter"}, {"esc", "P"}, {"esc", "?"}, {"esc", "g", "/"}, {"x:y", "enter"}} {
		m.types(keys...)
		for _, size := range [][2]int{{200, 60}, {80, 24}, {40, 10}, {20, 5}, {3, 3}, {1, 1}, {0, 0}} {
			m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			screen := m.screen(t)
			if page, isRows := m.pages[len(m.pages)-1].(*rowsPage); isRows && m.input == nil && size[1] >= 5 && !strings.Contains(screen, fmt.Sprintf("%5d ", m.run.row(page.at).Seq)) {
				t.Errorf("%v: the cursor is not seen:\n%s", size, screen)
			}
		}
	}
}

// A batch of a run that was left is ignored.
func TestALeftRunIsNotRead(t *testing.T) {
	m := opened(t, 80, 24, "")
	old := m.run.feed
	m.types("esc")
	m.Update(runList{runs: []view.Run{{Record: "a", Files: []string{"a.jsonl"}}}})
	m.types("enter")
	defer m.leave()
	m.Update(batchOf(t, old, ask(1)))
	if m.run.sent != 0 {
		t.Error("a message of another run was taken in")
	}
	select {
	case <-old.stop:
	default:
		t.Error("the run that was left is still read")
	}
}

// A window contains the cursor, and has no empty lines while there are more items.
func TestWindow(t *testing.T) {
	sizes := []int{1, 3, 1, 1, 7, 2, 1, 1, 1, 4, 1}
	draw := func(i int) []string { return slices.Repeat([]string{fmt.Sprint(i)}, min(sizes[i], 5)) }
	for height := 1; height < 40; height++ {
		c := cursor{}
		for _, key := range []string{"j", "j", "j", "j", "pgdown", "j", "k", "G", "k", "k", "k", "g", "pgdown", "pgup", "G"} {
			c.key(key, len(sizes), 4)
			lines := c.window(len(sizes), height, draw)
			all := 0
			for i := range sizes {
				all += len(draw(i))
			}
			if !slices.Contains(lines, fmt.Sprint(c.at)) || len(lines) > height || len(lines) < min(height, all)-4 {
				t.Errorf("%d lines, at %d: %q", height, c.at, lines)
			}
		}
	}
}

// A plan with many entries fills half the screen, and costs no more than that.
func TestALargePlanIsShortened(t *testing.T) {
	m := opened(t, 100, 24, "")
	entries := strings.Repeat(`{"content":"step","priority":"medium","status":"pending"},`, 10_000)
	plan := line(2, "agent", "", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[`+strings.TrimSuffix(entries, ",")+`]}}}`)
	m.comes(t, ask(1), plan)
	most := 10
	lines := m.row(m.run.row(1), false, most)
	if last := lines[len(lines)-1]; len(lines) != most || !strings.Contains(last, "… 9992 more lines") {
		t.Errorf("%d lines, the last is %q", len(lines), last)
	}
	m.shows(t, "0 of 10000 done", "more lines")
	if n := testing.AllocsPerRun(10, func() { m.row(m.run.row(1), false, most) }); n > 500 {
		t.Errorf("drawing it takes %v allocations", n)
	}
}
