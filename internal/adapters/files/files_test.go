package files

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

// A bench is two peers with the adapter between them, and a disk.
type bench struct {
	*dispatchtest.Bench
	adapter *Adapter
	done    []string // the calls of Done
	todo    []func(text string, err error)
	asked   []Request
	full    error // the error of Start
}

func (b *bench) Start(r Request, done func(string, error)) error {
	if b.full == nil {
		b.todo, b.asked = append(b.todo, done), append(b.asked, r)
	}
	return b.full
}

// newBench has a client with these capabilities that opened the session s in /work.
func newBench(mode Mode, capabilities string) *bench {
	c := conversation.New(conversation.Options{})
	b := &bench{}
	a := New(Options{
		Conversation: c, Disk: b,
		Mode: func(_, agent conversation.Implementation) Mode {
			if agent.Name == "off" {
				return Off
			}
			return mode
		},
		Done: func(r Request, err error) { b.done = append(b.done, fmt.Sprintf("%s: %v", r.Path, err)) },
	})
	b.adapter, b.Bench = a, dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}})
	b.Says(dispatch.Client, `{"id":"i","method":"initialize","params":{"protocolVersion":1`+capabilities+`}}`)
	return b
}

func (b *bench) open() *bench {
	b.Says(dispatch.Agent, `{"id":"i","result":{"protocolVersion":1}}`)
	b.Says(dispatch.Client, `{"id":"n","method":"session/new","params":{"cwd":"/work"}}`)
	b.Says(dispatch.Agent, `{"id":"n","result":{"sessionId":"s"}}`)
	b.Sent()
	return b
}

// does finishes the first job of the disk.
func (b *bench) does(text string, err error) {
	do := b.todo[0]
	b.todo = b.todo[1:]
	do(text, err)
	b.Drain()
}

const both = `,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true}}`

func request(id, path string) string {
	return `{"id":` + id + `,"method":"fs/read_text_file","params":{"sessionId":"s","path":"` + path + `"}}`
}

func TestAnnounced(t *testing.T) {
	for name, test := range map[string]struct {
		mode     Mode
		is, want string
	}{
		"off":          {Off, ``, ``},
		"none":         {Missing, ``, both},
		"null":         {Missing, `,"clientCapabilities":null`, both},
		"empty":        {Refused, `,"clientCapabilities":{}`, both},
		"others":       {Missing, `,"clientCapabilities":{"fs":null, "x":1.0}`, `,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true}, "x":1.0}`},
		"read":         {Missing, `,"clientCapabilities":{"fs":{ "readTextFile":true }}`, `,"clientCapabilities":{"fs":{ "readTextFile":true,"writeTextFile":true }}`},
		"both":         {Refused, both, both},
		"no object":    {Missing, `,"clientCapabilities":{"fs":7}`, `,"clientCapabilities":{"fs":7}`},
		"ambiguous":    {Missing, `,"clientCapabilities":{"fs":{"readTextFile":false,"readTextFile":true}}`, `,"clientCapabilities":{"fs":{"readTextFile":false,"readTextFile":true}}`},
		"written out":  {Missing, `,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":null}}`, both},
		"text is none": {Missing, `,"clientCapabilities":{"fs":{"readTextFile":"true","writeTextFile":true}}`, both},
	} {
		b := newBench(test.mode, test.is)
		want := `{"id":"i","method":"initialize","params":{"protocolVersion":1` + test.want + `}}` + "\n"
		if got := strings.Join(b.ToAgent, ""); got != want {
			t.Errorf("%s: the agent gets %s", name, got)
		}
	}
}

func TestRequests(t *testing.T) {
	long := strings.Repeat("/x", 1<<20)
	for _, test := range []struct{ params, want string }{ // what is asked of the disk, or the error
		{`"path":"/work/a"`, `/work/a false "" 1 -1 [/work]`},
		{`"path":"/work/./b//a","line":0,"limit":0`, `/work/b/a false "" 0 0 [/work]`},
		{`"path":"/work/a","line":2.0,"limit":4294967295`, `/work/a false "" 2 4294967295 [/work]`},
		{`"path":"/w\u006frk/\u00e4","line":null,"limit":null`, `/work/ä false "" 1 -1 [/work]`},
		{`"path":"/etc/passwd"`, `/etc/passwd false "" 1 -1 [/work]`}, // it is for the disk to say
		{`"path":"` + long + `"`, long + ` false "" 1 -1 [/work]`},
		{`"path":"a"`, "want an absolute path, and no URI"},
		{`"path":""`, "want an absolute path, and no URI"},
		{`"path":"~/a"`, "want an absolute path, and no URI"},
		{`"path":"file:///work/a"`, "want an absolute path, and no URI"},
		{`"path":"/work/a/"`, "is the name of a folder"},
		{`"path":"/work/.env/."`, "is the name of a folder"},
		{`"path":"/work/.env/x/.."`, "want a path without .."},
		{`"path":"/work/../etc/passwd"`, "want a path without .."},
		{`"path":"/work/..a/b..",` + `"line":1`, `/work/..a/b.. false "" 1 -1 [/work]`},
		{`"path":"/"`, "is the name of a folder"},
		{`"path":"/work/a\u0000"`, "want a path without a NUL"},
		{`"path":"/work/\udc00"`, "want a path, as a text"},
		{`"path":7`, "want a path, as a text"},
		{`"x":7`, "want a path, as a text"},
		{`"path":"/work/a","line":-1`, "want line and limit as whole numbers"},
		{`"path":"/work/a","line":"1"`, "want line and limit as whole numbers"},
		{`"path":"/work/a","limit":1.5`, "want line and limit as whole numbers"},
		{`"path":"/work/a","limit":4294967296`, "want line and limit as whole numbers"},
	} {
		b := newBench(Missing, "").open()
		b.Says(dispatch.Agent, `{"id":1,"method":"fs/read_text_file","params":{"sessionId":"s",`+test.params+`}}`)
		got := strings.Join(b.ToAgent, "")
		if len(b.asked) == 1 {
			r := b.asked[0]
			if got = fmt.Sprintf("%s %v %q %d %d %s", r.Path, r.IsWrite, r.Text, r.Line, r.Limit, r.Folders); got != test.want {
				t.Errorf("%.80s: asked for %.80s", test.params, got)
			}
		} else if !strings.Contains(got, test.want) || !strings.Contains(got, `"code":-32602`) {
			t.Errorf("%.80s: the agent gets %.200s", test.params, got)
		}
		if len(b.ToClient) > 0 {
			t.Errorf("%.80s: the client gets %.200s", test.params, b.ToClient)
		}
	}
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("x: %w", fs.ErrNotExist), `"code":-32002,"message":"\"/work/a\": x: file does not exist"`},
		{ErrOutside, `"code":-32602,"message":"\"/work/a\": outside the session's folders, which are \"/work\""`},
		{fmt.Errorf("%w: far", ErrRange), `"code":-32602,"message":"\"/work/a\": there is no such line: far"`},
		{errors.New("busy"), `"code":-32603,"message":"\"/work/a\": busy"`},
	} {
		for _, later := range []bool{false, true} {
			b := newBench(Missing, "").open()
			if !later {
				b.full = test.err
			}
			b.Says(dispatch.Agent, request("1", "/work/a"))
			if later {
				b.does("", test.err)
			}
			if got, want := strings.Join(b.ToAgent, ""), `{"jsonrpc":"2.0","id":1,"error":{`+test.want+"}}\n"; got != want {
				t.Errorf("the agent gets %s, want %s", got, want)
			}
		}
	}
}

// The configuration for an agent counts, although the agent was unknown when files were announced.
func TestModeOfTheAgentCounts(t *testing.T) {
	b := newBench(Missing, "")
	b.Says(dispatch.Agent, `{"id":"i","result":{"protocolVersion":1,"agentInfo":{"name":"off","version":"1"}}}`)
	b.ToClient = nil
	b.Says(dispatch.Agent, request("1", "/work/a"))
	if len(b.todo) > 0 || len(b.ToClient) != 1 {
		t.Errorf("asked for %v, the client gets %s", b.asked, b.ToClient)
	}
}

// Requests that the client handles itself are not wanted.
func TestWants(t *testing.T) {
	const read = `,"clientCapabilities":{"fs":{"readTextFile":true}}`
	for name, test := range map[string]struct {
		mode         Mode
		capabilities string
		asked        int // methods of the agent
		refusable    int // of these, those whose responses are wanted
	}{
		"off":                   {Off, "", 0, 0},
		"both are missing":      {Missing, "", 2, 0},
		"one is missing":        {Missing, read, 1, 0},
		"none is missing":       {Missing, both, 0, 0},
		"refused, none known":   {Refused, "", 2, 0},
		"refused, one is known": {Refused, read, 2, 1},
		"refused, both known":   {Refused, both, 2, 2},
	} {
		wants := newBench(test.mode, test.capabilities).open().adapter.Wants()
		if test.asked == 0 {
			if len(wants) != 0 {
				t.Errorf("%s: %+v", name, wants)
			}
			continue
		}
		if asked, refusable := wants[0].Methods, wants[1].Responses; len(asked) != test.asked || len(refusable) != test.refusable {
			t.Errorf("%s: wants %q, and responses to %q", name, asked, refusable)
		}
	}
}

// Without a disk, nothing is announced.
func TestWithoutADisk(t *testing.T) {
	c := conversation.New(conversation.Options{})
	a := New(Options{Conversation: c, Mode: func(_, _ conversation.Implementation) Mode { return Refused }})
	d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}, Events: dispatch.Events{Panicked: func(reason any, _ []byte) { panic(reason) }}})
	const line = `{"id":1,"method":"initialize","params":{"protocolVersion":1}}`
	if out, _ := wire.Apply(d.FromClient(), nil, []byte(line)); string(out) != line {
		t.Errorf("the agent gets %s", out)
	}
}

// Done gets each request and its error.
func TestDone(t *testing.T) {
	b := newBench(Missing, "").open()
	b.Says(dispatch.Agent, request("1", "/work/a"))
	b.does("text", nil)
	b.Says(dispatch.Agent, request("2", "/work/b"))
	b.does("", fs.ErrNotExist)
	b.full = errors.New("busy")
	b.Says(dispatch.Agent, request("3", "/work/c"))
	if got, want := strings.Join(b.done, "; "), "/work/a: <nil>; /work/b: file does not exist; /work/c: busy"; got != want {
		t.Errorf("it is told %s, want %s", got, want)
	}
}

// A request with a response is not pending. A request without an id passes unchanged.
func TestRequestIsNotPendingAfterItsResponse(t *testing.T) {
	b := newBench(Missing, "").open()
	b.Says(dispatch.Agent, request("1", "/work/a"))
	b.does("text", nil)
	if len(b.ToClient) != 0 || b.Conversation.Pending(dispatch.Agent, []byte("1")) != nil {
		t.Errorf("the client gets %q, or the request is pending", b.ToClient)
	}
	for _, line := range []string{request("null", "/work/a"), strings.Replace(request("1", "/work/a"), `"id":1,`, "", 1)} {
		if b.Says(dispatch.Agent, line); len(b.ToClient) != 1 || b.ToClient[0] != line+"\n" {
			t.Errorf("of %s the client gets %q", line, b.ToClient)
		}
		b.ToClient = nil
	}
	line := `{"method":"initialize","params":{"protocolVersion":1}}`
	if b.Says(dispatch.Client, line); b.ToAgent[len(b.ToAgent)-1] != line+"\n" {
		t.Errorf("%s became %q", line, b.ToAgent)
	}
}

// A refusal stays if the request is invalid, also while a session is being created.
func TestRefusalOfInvalidRequestStays(t *testing.T) {
	b := newBench(Refused, both).open()
	b.Says(dispatch.Client, `{"id":"n","method":"session/new","params":{"cwd":"/else"}}`)
	b.ToAgent = nil
	b.Says(dispatch.Agent, request("1", "relative"))
	refusal := `{"id":1,"error":{"code":-32603,"message":"no"}}`
	if b.Says(dispatch.Client, refusal); len(b.asked) != 0 || len(b.ToAgent) != 1 || b.ToAgent[0] != refusal+"\n" {
		t.Errorf("the disk is asked for %v, the agent gets %q", b.asked, b.ToAgent)
	}
}

// The disk's work and unread responses are bounded. Requests beyond that are refused, and finished
// work makes room.
func TestWorkIsBounded(t *testing.T) {
	b := newBench(Missing, "").open()
	half := strings.Repeat("x", maxBusy/2)
	write := func(id int) {
		b.Says(dispatch.Agent, fmt.Sprintf(`{"id":%d,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/work/a","content":"%s"}}`, id, half))
	}
	write(1)
	write(2)
	if got := strings.Join(b.ToAgent, ""); len(b.todo) != 1 || !strings.Contains(got, `"id":2,"error":{"code":-32603`) {
		t.Errorf("%d are under way, the agent gets %.200s", len(b.todo), got)
	}
	b.does("", nil)
	if write(3); len(b.todo) != 1 {
		t.Errorf("then %d are under way", len(b.todo))
	}
	b.does("", nil)
	for id := range 3 {
		b.Says(dispatch.Agent, request(fmt.Sprint(10+id), "/work/a"))
	}
	b.ToAgent = nil
	for _, do := range b.todo {
		do(half, nil) // the agent reads none of them
	}
	b.Drain()
	if n := strings.Count(strings.Join(b.ToAgent, ""), `"error"`); len(b.ToAgent) != 3 || n != 2 {
		t.Errorf("%d responses, %d of which are errors", len(b.ToAgent), n)
	}
}

// A request that the agent cancels while the disk works has ended.
func TestCancelledRequestHasEnded(t *testing.T) {
	for name, client := range map[string]string{"the agent's": "", "the client's refusal": both} {
		b := newBench(Refused, client).open()
		b.Says(dispatch.Agent, request("1", "/work/a"))
		if client != "" {
			b.Says(dispatch.Client, `{"id":1,"error":{"code":1,"message":"no"}}`)
		}
		b.ToClient = nil
		b.Says(dispatch.Agent, `{"method":"$/cancel_request","params":{"requestId":1}}`)
		b.does("text", nil)
		if got := strings.Join(b.ToAgent, ""); len(b.ToClient) > 0 || len(b.ToAgent) != 1 || !strings.Contains(got, "-32800") {
			t.Errorf("%s is held: the agent gets %q, the client %q", name, b.ToAgent, b.ToClient)
		}
	}
}

// In any order of client and disk, each request gets one response. It is the client's error only if
// the disk has failed, too.
func TestEachRequestHasOneResponse(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 2))
		b := newBench([]Mode{Missing, Refused}[seed%2], []string{"", both, `,"clientCapabilities":{"fs":{"readTextFile":true}}`}[seed%3]).open()
		sent, answered := 0, map[string]int{}
		var client []string
		step := func(begin bool) {
			switch {
			case begin:
				sent++
				method := []string{"read", "write"}[random.IntN(2)]
				b.full = []error{nil, nil, errors.New("busy")}[random.IntN(3)]
				b.Says(dispatch.Agent, fmt.Sprintf(`{"id":%d,"method":"fs/%s_text_file","params":{"sessionId":"s","path":"/work/a","content":""}}`, sent, method))
			case len(b.todo) > 0 && (len(client) == 0 || random.IntN(2) == 0):
				b.does("text", []error{nil, fs.ErrNotExist}[random.IntN(2)])
			case len(client) > 0:
				b.Says(dispatch.Client, `{"id":`+client[0]+[]string{`,"result":{"content":""}}`, `,"error":{"code":-32603,"message":"no"}}`}[random.IntN(2)])
				client = client[1:]
			}
			for _, line := range b.ToClient {
				o, _ := wire.Parse([]byte(line))
				client = append(client, string(o.Raw("id")))
			}
			for _, line := range b.ToAgent {
				o, _ := wire.Parse([]byte(line))
				answered[string(o.Raw("id"))]++
			}
			b.ToClient, b.ToAgent = nil, nil
		}
		for range 40 {
			step(random.IntN(2) == 0)
		}
		for len(client)+len(b.todo) > 0 {
			step(false)
		}
		for n := range sent {
			if got := answered[fmt.Sprint(n+1)]; got != 1 {
				t.Fatalf("seed %d: request %d is answered %d times", seed, n+1, got)
			}
		}
	}
}

// If it is off, and for other messages, no byte changes.
func FuzzNothingToDo(f *testing.F) {
	f.Add([]byte(request("1", "/work/a")), []byte(`{"id":1,"error":{"code":-32603}}`), false)
	f.Add([]byte(`[{"id":1,"method":"fs/read_text_files"}]`), []byte(`[{"id":1,"result":{"sessionId":"\u0073"}}]`), true)
	f.Fuzz(func(t *testing.T, agent, client []byte, on bool) {
		if bytes.ContainsAny(agent, "\n") || bytes.ContainsAny(client, "\n") || bytes.Contains(client, []byte("initialize")) || bytes.Contains(client, []byte(`\u`)) ||
			on && (bytes.Contains(agent, []byte("text_file")) || bytes.Contains(agent, []byte(`\u`))) {
			return
		}
		b := newBench(map[bool]Mode{true: Refused}[on], "").open()
		b.Passes(t, dispatch.Agent, string(agent))
		b.Passes(t, dispatch.Client, string(client))
	})
}

// In a response, control characters take six times as many bytes as in the file. A response for
// which there is no room until the agent reads is not made.
func TestResponsesAreCountedAsTheyAreWritten(t *testing.T) {
	b := newBench(Missing, "").open()
	for i := range 8 {
		b.Says(dispatch.Agent, request(fmt.Sprint(i), "/work/a"))
	}
	b.done = nil
	text := strings.Repeat("\x01", 4<<20)
	for _, do := range b.todo {
		do(text, nil) // the agent reads nothing meanwhile
	}
	if read := strings.Count(strings.Join(b.done, "\n"), "<nil>"); read != 1 {
		t.Errorf("%d responses of 24 MiB wait for the agent, want 1", read)
	}
	if b.Drain(); len(b.ToAgent) != 8 {
		t.Errorf("the agent gets %d responses, want 8", len(b.ToAgent))
	}
}
