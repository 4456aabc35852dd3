//go:build unix

package planfile

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate/plans"
)

// A stage is a Live, for which the test plays the agent and the client.
type stage struct {
	t     *testing.T
	live  *Live
	c     *plans.Adapter
	relay *dispatch.Dispatcher
	dir   string

	mu       sync.Mutex
	out      []string // injected lines without requests
	requests []request
	events   []string
	stuck    chan struct{}
	slow     time.Duration // how long the client takes to read a request
}

// A request is a request to the client.
type request struct {
	ID     string
	Method string
	Params struct{ SessionID, Path string }
	at     time.Time
}

// play runs a stage with synctest, which fails if a goroutine is left.
func play(t *testing.T, askClient, offers bool, do func(*stage)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, dir: dir}
		own := dispatch.NewOwnRequests("")
		s.live = NewLive(LiveOptions{
			Own:    own,
			Inject: s.inject,
			GaveUp: func() { s.tell("gave up") },
		})
		talk := conversation.New(conversation.Options{})
		s.c = plans.New(talk, plans.Options{
			For:      func(_, _ conversation.Implementation) plans.Settings { return plans.Settings{} },
			ReadFile: s.live.ReadFile, AwaitWrites: s.live.AwaitWrites, FilesChanged: s.live.FilesChanged,
			Events: plans.Events{
				Negotiated: func(n plans.Negotiation) { s.live.Negotiated(n, Settings{AskClient: askClient}) },
				Unreadable: func(_ string, err error) { s.tell(err.Error()) },
			}})
		s.relay = dispatch.New(talk, dispatch.Options{Adapters: []dispatch.Adapter{s.c}, Own: own})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan struct{})
		go func() {
			s.live.Run(ctx, s.c)
			close(done)
		}()
		s.client(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":` + fmt.Sprint(offers) + `}}}}`)
		s.agent(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`)
		s.client(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":` + string(wire.Quote(nil, dir)) + `}}`)
		s.agent(`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`)
		s.prompt()
		do(s)
		cancel()
		<-done
	})
}

func (s *stage) prompt() {
	s.client(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
}

func (s *stage) answer() string { return s.agent(`{"jsonrpc":"2.0","id":2,"result":{}}`) }

func (s *stage) tell(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, what)
}

func (s *stage) inject(produce func([]byte) []byte) bool {
	s.mu.Lock()
	stuck := s.stuck
	s.mu.Unlock()
	if stuck != nil {
		<-stuck
	}
	var lines []byte
	s.relay.Do(func() { lines = produce(nil) })
	for line := range strings.Lines(string(lines)) {
		var r request
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			s.t.Errorf("%q: %v", line, err)
		}
		s.mu.Lock()
		slow := s.slow
		s.mu.Unlock()
		if r.Method != "session/update" {
			time.Sleep(slow)
		}
		s.mu.Lock()
		if r.at = time.Now(); r.Method == "session/update" {
			s.out = append(s.out, line)
		} else {
			s.requests = append(s.requests, r)
		}
		s.mu.Unlock()
	}
	return true
}

// agent and client pass a line of a peer, and return what is forwarded.
func (s *stage) agent(line string) string  { return through(s.relay.FromAgent(), line) }
func (s *stage) client(line string) string { return through(s.relay.FromClient(), line) }

func through(e wire.Interceptor, line string) string {
	b := []byte(line + "\n")
	b, _ = wire.Apply(e, nil, b)
	return string(b)
}

func (s *stage) plan(id string) string {
	return s.agent(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"` + id +
		`","uri":"file://` + filepath.ToSlash(s.path(id)) + `"}}}}`)
}

func (s *stage) path(id string) string { return filepath.Join(s.dir, id) }

// write writes a file with the time of the test.
func (s *stage) write(id, text string) {
	if err := os.WriteFile(s.path(id), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	os.Chtimes(s.path(id), time.Now(), time.Now())
}

// take waits, and returns what the client got since the last call.
func (s *stage) take(wait time.Duration) (shown string, asked []request) {
	time.Sleep(wait)
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	shown, asked = strings.Join(s.out, ""), s.requests
	s.out, s.requests = nil, nil
	return contents(shown), asked
}

func contents(lines string) string {
	var all []string
	for _, part := range strings.Split(lines, `"content":"`)[1:] {
		all = append(all, part[:strings.IndexByte(part, '"')])
	}
	return strings.Join(all, ",")
}

func (s *stage) shows(wait time.Duration, want string) {
	s.t.Helper()
	if got, _ := s.take(wait); got != want {
		s.t.Errorf("shown is %q, want %q", got, want)
	}
}

func (s *stage) result(r request, text string) {
	s.t.Helper()
	if got := s.client(`{"jsonrpc":"2.0","id":"` + r.ID + `","result":{"content":` + string(wire.Quote(nil, text)) + `}}`); got != "" {
		s.t.Errorf("the agent got %s", got)
	}
}

func TestAFileIsShownAsItChanges(t *testing.T) {
	play(t, false, true, func(s *stage) {
		s.write("p", "- [ ] a")
		if got := s.plan("p"); got != "" {
			t.Errorf("while it may be half written: %q", got)
		}
		s.shows(time.Second, "a")
		s.shows(time.Second, "")
		s.write("p", "- [ ] b")
		s.shows(time.Second, "b")
		os.Remove(s.path("p"))
		s.shows(time.Second, "")
		s.write("p", "- [ ] c")
		s.shows(time.Second, "c")
		s.write("p", "- [ ] last")
		if got := contents(s.answer()); got != "last" {
			t.Errorf("before the answer %q", got)
		}
		s.write("p", "- [ ] late")
		s.shows(time.Minute, "")
		s.prompt()
		s.shows(time.Second, "late")
		if len(s.events) != 1 { // the deleted file
			t.Errorf("the events are %q", s.events)
		}
	})
}

func TestTheClientIsAskedOnceASecond(t *testing.T) {
	play(t, true, true, func(s *stage) {
		s.write("p", "- [ ] not saved")
		if got := s.plan("p"); got != "" {
			t.Errorf("before the client was asked: %s", got)
		}
		var last time.Time
		ids := map[string]bool{}
		for i := range 5 {
			_, asked := s.take(time.Second)
			if len(asked) != 1 {
				t.Fatalf("asked %d times in a second: %v", len(asked), asked)
			}
			r := asked[0]
			if r.Method != "fs/read_text_file" || r.Params.SessionID != "s" || r.Params.Path != s.path("p") || ids[r.ID] || len(r.ID) < 40 {
				t.Errorf("asked %+v", r)
			}
			if i > 0 && r.at.Sub(last) < askEvery {
				t.Errorf("asked again after %v", r.at.Sub(last))
			}
			last, ids[r.ID] = r.at, true
			s.result(r, "- [ ] "+strings.Repeat("a", i+1))
			s.shows(0, strings.Repeat("a", i+1))
			s.result(r, "- [ ] twice")
			s.shows(0, "")
		}
		s.answer()
		if shown, asked := s.take(time.Minute); shown != "" || len(asked) > 1 {
			t.Errorf("after the answer: %q, asked %v", shown, asked)
		}
	})
}

func TestAClientThatNeverRespondsIsAskedNoMore(t *testing.T) {
	play(t, true, true, func(s *stage) {
		s.write("p", "- [ ] on disk")
		s.plan("p")
		s.shows(askTimeout-time.Millisecond, "")
		shown, asked := s.take(2 * time.Millisecond)
		if shown != "on disk" || len(asked) != 0 {
			t.Errorf("after its time: %q, asked %v", shown, asked)
		}
		s.write("p", "- [ ] newer")
		_, first := s.take(5 * time.Second) // two requests of two seconds, with one between
		s.shows(2*time.Second, "newer")     // from the disk
		s.write("p", "- [ ] newest")
		shown, asked = s.take(time.Minute)
		if shown != "newest" || len(first) != 2 || len(asked) != 0 || len(s.events) == 0 || s.events[len(s.events)-1] != "gave up" {
			t.Errorf("then: %q, asked %v and %v, events %q", shown, first, asked, s.events)
		}
		s.result(first[0], "- [ ] late")
		s.shows(time.Minute, "")
	})
}

func TestAClientThatDoesNotOfferToReadIsNotAsked(t *testing.T) {
	play(t, true, false, func(s *stage) {
		s.write("p", "- [ ] a")
		time.Sleep(time.Second)
		if got := contents(s.plan("p")); got != "a" {
			t.Errorf("at first %q", got)
		}
		s.write("p", "- [ ] b")
		if shown, asked := s.take(time.Second); shown != "b" || len(asked) != 0 {
			t.Errorf("then %q, asked %v", shown, asked)
		}
	})
}

func TestResponsesWithoutText(t *testing.T) {
	for name, answer := range map[string]string{
		"an error":          `"error":{"code":-32002,"message":"no such file"}`,
		"a malformed error": `"error":"no"`,
		"no content":        `"result":{}`,
		"null":              `"result":null`,
		"another type":      `"result":{"content":7}`,
		"neither":           `"x":1`,
		"too large":         `"result":{"content":"` + strings.Repeat("x", MaxSize+1) + `"}`,
		"far too large":     `"result":{"content":"` + strings.Repeat("x", 10*MaxSize) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			play(t, true, true, func(s *stage) {
				s.write("p", "- [ ] on disk")
				time.Sleep(time.Second)
				s.plan("p")
				_, asked := s.take(0)
				if got := s.client(`{"jsonrpc":"2.0","id":"` + asked[0].ID + `",` + answer + `}`); got != "" {
					t.Errorf("the agent got %.100s", got)
				}
				s.shows(0, "on disk")
				_, asked = s.take(askEvery)
				s.result(asked[0], "- [ ] a")
				s.shows(0, "a")
				_, asked = s.take(askEvery)
				s.client(`{"jsonrpc":"2.0","id":"` + asked[0].ID + `",` + answer + `}`)
				s.shows(0, "") // the last good one stays
				if len(s.events) != 1 || !strings.Contains(s.events[0], s.path("p")) {
					t.Errorf("the events are %q", s.events)
				}
			})
		})
	}
}

// An empty text is shown if it stays empty.
func TestAnEmptyTextIsShownLater(t *testing.T) {
	play(t, true, true, func(s *stage) {
		s.plan("p")
		for _, step := range []struct{ text, want string }{{"- [ ] a", "a"}, {"", ""}, {"- [ ] b", "b"}, {"", ""}} {
			_, asked := s.take(askEvery)
			s.result(asked[0], step.text)
			s.shows(0, step.want)
		}
		_, asked := s.take(askEvery)
		s.result(asked[0], "")
		synctest.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		if got := strings.Join(s.out, ""); !strings.Contains(got, `"entries":[]`) {
			t.Errorf("still empty: %q", got)
		}
	})
}

// The client is asked only for files that may be read.
func TestTheClientIsAskedForAllowedFilesOnly(t *testing.T) {
	play(t, true, true, func(s *stage) {
		got := s.agent(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"p","uri":"file:///etc/passwd"}}}}`)
		if shown, asked := s.take(10 * time.Second); contents(got) != "Plan file: /etc/passwd" || shown != "" || len(asked) != 0 {
			t.Errorf("got %s, then %q, asked %v", got, shown, asked)
		}
	})
}

// A client that does not read for a long time is slow, which is not a timeout.
func TestASlowClientIsAskedAgain(t *testing.T) {
	play(t, true, true, func(s *stage) {
		stuck := make(chan struct{})
		s.stuck = stuck
		s.plan("p")
		s.take(time.Minute)
		s.mu.Lock()
		s.stuck = nil
		s.mu.Unlock()
		close(stuck)
		s.mu.Lock()
		s.slow = 2 * askTimeout
		s.mu.Unlock()
		_, asked := s.take(time.Minute)
		if len(asked) < 10 {
			t.Errorf("asked %d times in a minute", len(asked))
		}
		s.mu.Lock()
		s.slow = 0
		s.mu.Unlock()
		if _, asked = s.take(6 * time.Second); len(asked) == 0 {
			t.Fatal("not asked any more")
		}
		s.result(asked[len(asked)-1], "- [ ] a")
		s.shows(0, "a")
	})
}

// A response resets the count of timeouts.
func TestAClientThatRespondsSometimesIsAskedAgain(t *testing.T) {
	play(t, true, true, func(s *stage) {
		s.plan("p")
		for range 3 {
			var asked []request
			for begun := time.Now(); len(asked) < maxTimeouts; {
				_, more := s.take(askEvery / 2)
				if asked = append(asked, more...); time.Since(begun) > time.Minute {
					t.Fatalf("not asked any more after %v", asked)
				}
			}
			s.result(asked[maxTimeouts-1], "- [ ] a") // before the third timeout in a row
		}
	})
}

// A response that comes too late, or twice, is dropped.
func TestLateResponsesAreDropped(t *testing.T) {
	play(t, true, true, func(s *stage) {
		s.plan("p")
		_, asked := s.take(askTimeout + askEvery + time.Millisecond)
		if len(asked) != 2 {
			t.Fatalf("asked %v", asked)
		}
		s.result(asked[0], "- [ ] late")
		s.shows(0, "")
		s.result(asked[1], "- [ ] a")
		s.shows(0, "a")
		s.result(asked[1], "- [ ] b")
		s.shows(askEvery/2, "")
	})
}

// Several files can have a pending request, but each only one.
func TestEachFileHasOneRequest(t *testing.T) {
	play(t, true, true, func(s *stage) {
		for i := range 2 {
			s.plan(fmt.Sprint("p", i))
			s.plan(fmt.Sprint("p", i))
		}
		s.answer()
		s.prompt() // the files are live all the time
		_, asked := s.take(askTimeout - time.Millisecond)
		if len(asked) != 2 || asked[0].Params.Path == asked[1].Params.Path {
			t.Errorf("asked %v", asked)
		}
	})
}

// A file that is being written does not hold the agent's lines. It is shown when it has settled, if
// possible before a question and the end of the turn.
func TestAFileThatIsBeingWrittenHoldsNoLine(t *testing.T) {
	const question = `{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s"}}`
	play(t, false, false, func(s *stage) {
		rest := make(chan struct{})
		write := func(text string) {
			s.write("p", text)
			synctest.Wait()
		}
		keep := func() { // writes again and again
			for i := 0; ; i++ {
				s.write("p", fmt.Sprint("- [ ] ", i))
				select {
				case <-rest:
					return
				case <-time.After(30 * time.Millisecond):
				}
			}
		}
		go keep()
		synctest.Wait()
		begun := time.Now()
		for range 20 {
			if got := s.plan("p"); got != "" {
				t.Errorf("while it is being written: %s", got)
			}
		}
		if held := time.Since(begun); held > 0 {
			t.Errorf("the lines were held for %v", held)
		}
		s.shows(10*time.Second, "")
		begun = time.Now()
		if got := s.agent(question); got != question+"\n" || time.Since(begun) > 50*time.Millisecond {
			t.Errorf("the question after %v: %s", time.Since(begun), got)
		}
		begun = time.Now()
		if got := s.answer(); strings.Contains(got, "session/update") || time.Since(begun) > 50*time.Millisecond {
			t.Errorf("the answer after %v: %s", time.Since(begun), got)
		}
		close(rest)
		write("- [ ] at last")
		s.shows(time.Second, "at last")

		s.prompt()
		write("- [ ] asked")
		s.plan("p")
		begun = time.Now()
		got, held := contents(s.agent(question)), time.Since(begun)
		if injected, _ := s.take(0); got+injected != "asked" || held > 50*time.Millisecond { // either may be first
			t.Errorf("with the question after %v: %q and %q", held, got, injected)
		}
		s.shows(time.Second, "")
		write("- [ ] ended")
		if got := contents(s.answer()); got != "ended" {
			t.Errorf("with the answer: %s", got)
		}
		s.shows(time.Minute, "")
		if len(s.events) != 0 {
			t.Errorf("the events are %q", s.events)
		}
	})
}

// Lines wait only once for a disk that blocks, and the number of goroutines is bounded.
func TestADiskThatBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, dead, begun := NewLive(LiveOptions{}), make(chan struct{}), time.Now()
		var waiting atomic.Int32
		for i := range 100 {
			for range 10 {
				if l.disk.inTime(fmt.Sprint(i), readTime, func() func() { waiting.Add(1); <-dead; return func() { t.Error("too late") } }) {
					t.Error("it was in time")
				}
			}
		}
		if held := time.Since(begun); waiting.Load() != maxReading || held > 50*time.Millisecond {
			t.Errorf("%d reads were begun, the lines were held for %v", waiting.Load(), held)
		}
		close(dead)
		synctest.Wait()
		read := false
		if !l.disk.inTime("0", readTime, func() func() { return func() { read = true } }) || !read {
			t.Error("not read when it answers again")
		}
	})
}

// A dead mount blocks one goroutine, but neither lines nor files in other folders. When it responds
// again, its files are shown.
func TestADeadMountHoldsOneGoroutine(t *testing.T) {
	play(t, false, true, func(s *stage) {
		dead := make(chan struct{})
		os.Mkdir(s.path("mount"), 0o700)
		s.write("mount/p", "- [ ] there")
		s.write("q", "- [ ] here")
		time.Sleep(time.Second)
		if s.live.disk.inTime(s.path("mount"), readTime, func() func() { <-dead; return func() {} }) {
			t.Error("the mount is not dead")
		}
		s.plan("q") // its watcher runs
		s.take(time.Second)
		synctest.Wait()
		before, begun := runtime.NumGoroutine(), time.Now()
		for range 20 {
			if got := s.plan("mount/p"); got != "" {
				t.Errorf("of a dead mount: %s", got)
			}
		}
		if held := time.Since(begun); held > 50*time.Millisecond {
			t.Errorf("the lines were held for %v", held)
		}
		s.take(10 * time.Second)
		synctest.Wait()
		if n := runtime.NumGoroutine(); n > before+10 { // other tests may have some, and 20 would be ours
			t.Errorf("%d goroutines more wait for it", n-before)
		}
		if len(s.events) != 1 || !strings.Contains(s.events[0], "not read within 1s") {
			t.Errorf("the events are %q", s.events)
		}
		s.write("q", "- [x] here")
		if shown, _ := s.take(time.Second); !strings.Contains(shown, "here") {
			t.Errorf("the other file: %q", shown)
		}
		close(dead)
		if shown, _ := s.take(time.Second); !strings.Contains(shown, "there") {
			t.Errorf("when it answers again: %q", shown)
		}
	})
}
