package conversation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

func parse(t *testing.T, line string) *wire.Object {
	t.Helper()
	o, err := wire.Parse([]byte(line), "params", "params.clientCapabilities", "result")
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// send passes messages to a conversation: requests of the client, and responses of the agent.
func send(t *testing.T, c *Conversation, lines ...string) {
	t.Helper()
	for _, line := range lines {
		o := parse(t, line)
		if method, ok := o.Text("method"); ok {
			c.Ask(Client, method, o)
		} else {
			c.End(c.Answer(Agent, o))
		}
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	if c.Size() != c.Recount() {
		t.Errorf("%d bytes are counted, there are %d", c.Size(), c.Recount())
	}
}

// A session is ready after the response to the request that opens it, or that may open it.
func TestSessionsAreReadyWhenTheyAreOpen(t *testing.T) {
	ask := func(id int, method string) string {
		return fmt.Sprintf(`{"id":%d,"method":%q,"params":{"sessionId":"s","cwd":"/w"}}`, id, method)
	}
	for _, test := range []struct {
		name  string
		after func(*testing.T, *Conversation)
		ready bool
	}{
		{"not before the response", func(*testing.T, *Conversation) {}, false},
		{"after it", func(t *testing.T, c *Conversation) { send(t, c, `{"id":1,"result":{"sessionId":"s"}}`) }, true},
		{"another's", func(t *testing.T, c *Conversation) { send(t, c, `{"id":2,"result":{"sessionId":"s"}}`) }, false},
		{"unread", func(t *testing.T, c *Conversation) { c.AnswerUnread(Agent, wire.Head{Response: true, ID: []byte("1")}) }, true},
		{"another's, unread", func(t *testing.T, c *Conversation) { c.AnswerUnread(Agent, wire.Head{Response: true, ID: []byte("2")}) }, false},
		{"a prompt's, unread", func(t *testing.T, c *Conversation) {
			send(t, c, `{"id":2,"method":"session/prompt","params":{"sessionId":"s"}}`)
			c.Session("s")
			c.AnswerUnread(Agent, wire.Head{Response: true, ID: []byte("2")})
		}, false},
		{"that of another session, unread", func(t *testing.T, c *Conversation) {
			send(t, c, `{"id":2,"method":"session/load","params":{"sessionId":"t"}}`)
			c.Session("s")
			c.AnswerUnread(Agent, wire.Head{Response: true, ID: []byte("2")})
		}, false},
		{"unread, of no id", func(t *testing.T, c *Conversation) { c.AnswerUnread(Agent, wire.Head{}) }, true},
		{"replied here", func(t *testing.T, c *Conversation) { c.Forget(Client, []byte("1")) }, true},
		{"its id used again", func(t *testing.T, c *Conversation) { send(t, c, `{"id":1,"method":"session/prompt","params":{}}`) }, true},
	} {
		for _, method := range []string{"session/new", "session/fork", "session/load", "session/resume"} {
			c := New(Options{})
			send(t, c, ask(1, method))
			if test.after(t, c); c.IsOpen("s") != test.ready {
				t.Errorf("%s, %s: ready is %v", method, test.name, !test.ready)
			}
		}
	}
}

// The folders of a new session can evict the request that opens it. It still counts once as opened,
// and its response marks nothing as loaded.
func TestARequestIsEvictedByItsOwnResponse(t *testing.T) {
	for name, answer := range map[string]func(*Conversation){
		"read": func(c *Conversation) { c.End(c.Answer(Agent, parse(t, `{"id":1,"result":{}}`))) },
		"unread": func(c *Conversation) {
			c.End(c.AnswerUnread(Agent, wire.Head{Response: true, ID: []byte("1")}))
		},
	} {
		c := New(Options{MaxBytes: 12_000})
		send(t, c, fmt.Sprintf(`{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":%q}}`, strings.Repeat("r", 4000)))
		for i := 2; c.Size() < 10_000; i++ {
			send(t, c, fmt.Sprintf(`{"id":%d,"method":"x","params":{}}`, i))
		}
		answer(c)
		if s, ok := c.Find("s"); c.Pending(Client, []byte("1")) != nil || !ok || s.Loaded || c.Opening("s") {
			t.Errorf("%s: kept is %v, %+v", name, ok, s)
		}
		if err := c.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A request that was amended to another method keeps the method that was asked.
func TestAnAmendedRequestWasAskedOtherwise(t *testing.T) {
	c := New(Options{})
	send(t, c, `{"id":1,"method":"session/new","params":{"cwd":"/a"}}`)
	c.Amend(Client, "session/load", parse(t, `{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/b"}}`))
	r := c.Pending(Client, []byte("1.0"))
	if r == nil || r.Method != "session/load" || r.Asked != "session/new" || r.Session != "s" || !slices.Equal(r.Roots, []string{"/b"}) || c.Creating() || !c.Opening("s") {
		t.Errorf("pending is %+v", r)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

// The client is known from its request on, and the agent and the version from the response.
func TestPeersAreKnownInTime(t *testing.T) {
	c := New(Options{})
	var events []string
	c.Observe(func(e Event) {
		switch p := c.Peers(); e.Kind {
		case PeersChanged:
			events = append(events, fmt.Sprintf("%s %v %d", p.Client.Name, p.Agent != nil, p.Version))
		case Negotiated:
			events = append(events, fmt.Sprintf("%s with %s, announced %v", e.Request.Client.Name, e.Request.Agent.Name, e.Request.Announced))
		}
	})
	send(t, c, `{"id":0,"method":"initialize","params":{"clientInfo":{"name":"c"}}}`)
	c.Announce([]byte("0"))
	response := parse(t, `{"id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"a"}}}`)
	c.Negotiate(c.Answer(Agent, response), response.Open("result"))
	refusal := `{"id":1,"error":{"code":1}}`
	send(t, c, `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"d"}}}`, refusal, `{"id":2,"method":"initialize","params":{"clientInfo":{"name":"e"}}}`)
	c.Amend(Client, "begin", parse(t, `{"id":2,"method":"begin","params":{}}`))
	send(t, c, `{"id":2,"result":{"protocolVersion":1}}`)
	if got, want := strings.Join(events, "; "), "c false 0; c true 1; c with a, announced true; d false 0; e false 0; e true 1"; got != want {
		t.Errorf("the events are %q, want %q", got, want)
	}
}

// Over the bound the least recently used is evicted first, and only the first eviction is reported.
func TestEvictionTellsObserversAndOnce(t *testing.T) {
	var evicted []string
	c := New(Options{MaxBytes: 10_000, Evicted: func(what string) { evicted = append(evicted, what) }})
	gone := 0
	c.Observe(func(e Event) {
		if e.Kind == SessionRemoved && e.Session.Evicted {
			gone++
		}
	})
	for i := range 20 {
		c.Session(fmt.Sprint(i))
	}
	c.weigh(c.Session("19"), 5000)
	if _, kept := c.Find("19"); !kept || gone != 20-len(c.Sessions()) || gone < 15 || len(evicted) != 1 || c.Size() > 10_000 {
		t.Errorf("%d are evicted, %d are kept, the events are %q, %d bytes are kept", gone, len(c.Sessions()), evicted, c.Size())
	}
}

// The least recently used is evicted first, whether it is a session or a request of either side.
func TestEvictionGoesByUse(t *testing.T) {
	var gone, events []string
	c := New(Options{MaxBytes: 8000, Evicted: func(what string) { events = append(events, what) }})
	c.Observe(func(e Event) {
		switch e.Kind {
		case SessionRemoved:
			gone = append(gone, e.Session.ID)
		case RequestEnded:
			gone = append(gone, string(e.Request.From))
		}
	})
	c.Session("a")
	c.Note([]byte("1"), Request{From: Agent, Method: "m"})
	c.Note([]byte("1"), Request{From: Client, Method: "m"})
	c.Session("b")
	c.Use("a")
	last := c.Session("c")
	if c.weigh(last, 8000-c.Size()); gone != nil {
		t.Errorf("what fits goes: %q", gone)
	}
	for _, want := range []string{"agent", "agent client", "agent client b", "agent client b a"} {
		c.weigh(last, 8001-c.Size())
		if got := strings.Join(gone, " "); got != want {
			t.Errorf("gone are %s, want %s", got, want)
		}
	}
	if !slices.Equal(events, []string{"a request"}) {
		t.Errorf("the events are %q", events)
	}
}

// RequestBegan does not come after RequestEnded, even if a request is evicted at once.
func TestARequestDoesNotBeginAfterItEnds(t *testing.T) {
	for length, want := range map[int][]EventKind{1: {RequestBegan}, maxMethod: {RequestEnded}} {
		var events []EventKind
		c := New(Options{MaxBytes: 600})
		c.Observe(func(e Event) { events = append(events, e.Kind) })
		c.Note([]byte("1"), Request{From: Agent, Method: strings.Repeat("m", length)})
		if !slices.Equal(events, want) {
			t.Errorf("of a method of %d bytes the events are %v, want %v", length, events, want)
		}
	}
}

// The number of small requests is bounded, too. The report of the eviction names the number.
func TestTheNumberIsBounded(t *testing.T) {
	for want, add := range map[string]func(*Conversation, int){
		"a session: at most 1024 are kept":           func(c *Conversation, i int) { c.Session(fmt.Sprint(i)) },
		"a request: at most 8192 of a peer are kept": func(c *Conversation, i int) { c.Note(fmt.Append(nil, i), Request{From: Agent, Method: "m"}) },
	} {
		var events []string
		c := New(Options{Evicted: func(what string) { events = append(events, what) }})
		for i := range MaxRequests + 1 {
			add(c, i)
		}
		if requests, _ := c.Waiting(Agent); len(c.Sessions())+requests != MaxSessions && requests != MaxRequests || !slices.Equal(events, []string{want}) {
			t.Errorf("%d sessions and %d requests are kept, events %q, want %q", len(c.Sessions()), requests, events, want)
		}
	}
}

// A second initialize removes all sessions.
func TestAnotherStartRemovesSessions(t *testing.T) {
	c := New(Options{})
	for _, kept := range []int{1, 0, 0} {
		send(t, c, `{"id":0,"method":"initialize","params":{}}`)
		response := parse(t, `{"id":0,"result":{"protocolVersion":1}}`)
		if c.Negotiate(c.Answer(Agent, response), response.Open("result")); kept == 1 {
			c.Session("s")
		}
		if got := len(c.Sessions()); got != kept {
			t.Errorf("%d sessions are kept, want %d", got, kept)
		}
	}
}

// A session is Loaded from the first accepted session/load to the end of the last request that
// opens it.
func TestASessionIsLoadedUntilAllRequestsEnd(t *testing.T) {
	c := New(Options{})
	send(t, c, `{"id":1,"method":"session/load","params":{"sessionId":"s"}}`, `{"id":2,"method":"session/resume","params":{"sessionId":"s"}}`,
		`{"id":3,"method":"session/load","params":{"sessionId":"s"}}`, `{"id":4,"method":"session/prompt","params":{"sessionId":"s"}}`)
	for _, step := range []struct {
		line   string
		loaded bool
	}{
		{`{"id":2,"result":{}}`, false}, {`{"id":1,"result":{}}`, true}, {`{"id":4,"result":{}}`, true}, {`{"id":3,"error":{}}`, false},
	} {
		send(t, c, step.line)
		if s, ok := c.Find("s"); !ok || s.Loaded != step.loaded {
			t.Errorf("after %s: loaded is %v", step.line, !step.loaded)
		}
	}
	send(t, c, `{"id":5,"method":"session/load","params":{"sessionId":"s"}}`)
	c.Remove(c.Session("s"))
	if send(t, c, `{"id":5,"error":{}}`); c.Opening("s") || len(c.Sessions()) > 0 {
		t.Error("a session that was removed is loaded")
	}
}

// A response without a readable id ends all requests that open a session, and no other requests.
func TestAResponseWithoutAnIDEndsNoPrompt(t *testing.T) {
	c := New(Options{})
	send(t, c, `{"id":1,"method":"session/load","params":{"sessionId":"s"}}`, `{"id":2,"method":"session/prompt","params":{"sessionId":"s"}}`)
	if r := c.AnswerUnread(Agent, wire.Head{}); r == nil || r.Method != "session/load" || c.Opening("s") || !c.Busy() {
		t.Errorf("it answers %+v", r)
	}
}

// Amend makes a request pending that was not.
func TestAnAmendedRequestIsPending(t *testing.T) {
	c := New(Options{})
	c.Amend(Client, "session/new", parse(t, `{"id":1,"method":"session/new","params":{}}`))
	if r := c.Pending(Client, []byte("1")); r == nil || r.Asked != "session/new" || !c.Creating() {
		t.Errorf("pending is %+v", r)
	}
}

// FindNew finds an unknown session only while a request that creates one is pending.
func TestASessionIsNewOnlyWhileOneIsMade(t *testing.T) {
	c := New(Options{})
	find := func(id string) bool { _, ok := c.FindNew(id); return ok }
	if find("s") {
		t.Error("a session is known that nothing makes")
	}
	send(t, c, `{"id":1,"method":"session/new","params":{}}`)
	if find(strings.Repeat("s", MaxSessionID+1)) || !find("s") || !find(strings.Repeat("s", MaxSessionID)) || len(c.Sessions()) != 2 {
		t.Errorf("%d sessions are kept", len(c.Sessions()))
	}
}

// RootsOf returns the folders of a session. While it is being opened, it returns those of all
// requests that may open it. Number and length are bounded.
func TestRootsOfASession(t *testing.T) {
	c := New(Options{})
	send(t, c, `{"id":1,"method":"session/new","params":{"cwd":"/a","additionalDirectories":["/b",7,"/`+strings.Repeat("l", maxRoot)+`","/`+strings.Repeat("l", maxRoot-1)+`"]}}`,
		`{"id":2,"method":"session/load","params":{"cwd":"/c","sessionId":"t"}}`,
		`{"id":3,"method":"session/fork","params":{"cwd":"/`+strings.Repeat("l", maxRoot)+`"}}`,
		`{"id":4,"method":"session/new","params":{"additionalDirectories":["/d"`+strings.Repeat(`,"/e"`, maxRoots)+`]}}`)
	s := c.Session("s")
	if got := c.RootsOf(s); !slices.Equal([]string{got[0], got[1], got[3]}, []string{"/a", "/b", "/d"}) || len(got[2]) != maxRoot || len(got) != 3+maxRoots {
		t.Errorf("the folders may be %d: %q", len(got), got)
	}
	send(t, c, `{"id":1,"result":{"sessionId":"s"}}`)
	if got := c.RootsOf(s); !slices.Equal(got[:2], []string{"/a", "/b"}) || len(got) != 3 {
		t.Errorf("the folders are %q", got)
	}
	send(t, c, `{"id":5,"method":"session/load","params":{"cwd":"/f","sessionId":"s"}}`)
	if got := c.RootsOf(s); len(got) != 4 || got[3] != "/f" {
		t.Errorf("the folders while it is loaded are %q", got)
	}
}

// An ambiguous capability counts as absent.
func TestCapability(t *testing.T) {
	long := `{"clientCapabilities":{"a":"` + strings.Repeat("a", maxCapabilities) + `"}}`
	if ReadClient(parse(t, long)).Capabilities != nil {
		t.Error("capabilities of any length are kept")
	}
	p := Peer{Capabilities: []byte(`{"a":{"b":{}},"c":{"d":1,"d":2}}`)}
	for path, want := range map[string]string{"a b": "{}", "a": `{"b":{}}`, "a x y": "", "c d": "", "a b c d": ""} {
		if got := string(p.Capability(strings.Fields(path)...)); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

// The questions of the agent are known by their sessions, the first one first, until they end.
func TestQuestionsOfASession(t *testing.T) {
	c := New(Options{})
	for id, session := range []string{"s", "t", "s", ""} {
		c.Note(fmt.Append(nil, id), Request{From: Agent, Method: acp.SessionRequestPermission, Session: session})
	}
	c.Note([]byte("0"), Request{From: Client, Method: acp.SessionPrompt, Session: "s"})
	ids := func(session string) (all string) {
		for _, r := range c.Questions(session) {
			all += string(r.ID)
		}
		return all
	}
	if ids("s") != "02" || ids("t") != "1" || ids("") != "3" || ids("u") != "" {
		t.Errorf("they are %q, %q and %q", ids("s"), ids("t"), ids(""))
	}
	c.Forget(Agent, []byte("0"))
	c.Note([]byte("1"), Request{From: Agent, Method: acp.SessionRequestPermission, Session: "s"})
	if ids("s") != "21" || ids("t") != "" {
		t.Errorf("they are %q and %q", ids("s"), ids("t"))
	}
	checked(t, c)
}
