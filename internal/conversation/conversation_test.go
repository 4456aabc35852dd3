package conversation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/wire"
)

func parse(t *testing.T, line string) *wire.Object {
	t.Helper()
	o, err := wire.Parse([]byte(line), "params", "params.clientCapabilities", "result")
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// said has a conversation take in messages: requests of the client, and responses of the agent.
func said(t *testing.T, c *Conversation, lines ...string) {
	t.Helper()
	for _, line := range lines {
		o := parse(t, line)
		if method, ok := o.Text("method"); ok {
			c.Ask(Client, method, o)
		} else {
			c.Answer(Agent, o)
		}
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	if c.Size() != c.Recount() {
		t.Errorf("%d bytes are counted, there are %d", c.Size(), c.Recount())
	}
}

// The client knows a session when what opens it was answered, or what may have been.
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
		{"after it", func(t *testing.T, c *Conversation) { said(t, c, `{"id":1,"result":{"sessionId":"s"}}`) }, true},
		{"another's", func(t *testing.T, c *Conversation) { said(t, c, `{"id":2,"result":{"sessionId":"s"}}`) }, false},
		{"unread", func(t *testing.T, c *Conversation) { c.AnswerUnread(Agent, wire.Head{Response: true, ID: []byte("1")}) }, true},
		{"another's, unread", func(t *testing.T, c *Conversation) { c.AnswerUnread(Agent, wire.Head{Response: true, ID: []byte("2")}) }, false},
		{"unread, of no id", func(t *testing.T, c *Conversation) { c.AnswerUnread(Agent, wire.Head{}) }, true},
		{"replied here", func(t *testing.T, c *Conversation) { c.Forget(Client, []byte("1")) }, true},
		{"its id used again", func(t *testing.T, c *Conversation) { said(t, c, `{"id":1,"method":"session/prompt","params":{}}`) }, true},
	} {
		for _, method := range []string{"session/new", "session/fork", "session/load", "session/resume"} {
			c := New(Options{})
			said(t, c, ask(1, method))
			if test.after(t, c); c.IsReady("s") != test.ready {
				t.Errorf("%s, %s: ready is %v", method, test.name, !test.ready)
			}
		}
	}
}

// A request that those who correct made another one of keeps the method that was asked.
func TestAnAmendedRequestWasAskedOtherwise(t *testing.T) {
	c := New(Options{})
	said(t, c, `{"id":1,"method":"session/new","params":{"cwd":"/a"}}`)
	c.Amend(Client, "session/load", parse(t, `{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/b"}}`))
	r := c.Pending(Client, []byte("1.0"))
	if r == nil || r.Method != "session/load" || r.Asked != "session/new" || r.Session != "s" || !slices.Equal(r.Roots, []string{"/b"}) || c.Creating() || !c.Opening("s") {
		t.Errorf("pending is %+v", r)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

// Who the client is counts from its request on, who the agent is from its response; what is
// negotiated, when a response to it says so.
func TestPeersAreKnownInTime(t *testing.T) {
	c := New(Options{})
	var told []string
	c.Observe(func(e Event) {
		switch p := c.Peers(); e.Kind {
		case PeersChanged:
			told = append(told, fmt.Sprintf("%s %v %d", p.Client.Name, p.Agent != nil, p.Version))
		case Negotiated:
			told = append(told, fmt.Sprintf("%s with %s, announced %v", e.Request.Client.Name, e.Request.Agent.Name, e.Request.Announced))
		}
	})
	said(t, c, `{"id":0,"method":"initialize","params":{"clientInfo":{"name":"c"}}}`)
	c.Announce([]byte("0"))
	response := parse(t, `{"id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"a"}}}`)
	c.Negotiate(c.Answer(Agent, response), response.Open("result"))
	refusal := `{"id":1,"error":{"code":1}}`
	said(t, c, `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"d"}}}`, refusal)
	if got, want := strings.Join(told, "; "), "c false 0; c true 1; c with a, announced true; d false 0"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}

// What is too much goes, what was used longest ago first, and it is told once.
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
	c.Weigh(c.Session("19"), 5000)
	if _, kept := c.Find("19"); !kept || gone != 20-len(c.Sessions()) || gone < 15 || len(evicted) != 1 || c.Size() > 10_000 {
		t.Errorf("%d are gone, %d are kept, told %q, %d bytes are kept", gone, len(c.Sessions()), evicted, c.Size())
	}
}
