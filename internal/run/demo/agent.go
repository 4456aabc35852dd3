package demo

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// A Checker judges the client of a test agent. Received and Sent get every line, in the order of
// the wire: lines that the agent received before it handles them, and its own before they are
// written.
type Checker interface {
	Received(line []byte)
	Sent(line []byte)

	// Overdue says that a request of the agent got no response in time.
	Overdue(id []byte)

	// Play plays a part of a turn: before the first scene, which is "", and after each scene.
	Play(t *Turn, scene string)
}

// TestAgent plays an agent for the tests of clients. In each turn it plays the scenes that the
// prompt names, or all of them. Without a checker it responds like agents that leave out what the
// protocol requires. With one, it announces little, refuses what it did not announce, and is wrong
// only in scenes. It ends when the client closes in. The error is that of in.
func TestAgent(in io.Reader, out io.Writer, checker Checker) error {
	dir, err := os.MkdirTemp("", "acpshim-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	planFile := filepath.Join(dir, "plan.md")
	if err := os.WriteFile(planFile, []byte(planFileText), 0o600); err != nil {
		return err
	}
	a := &agent{
		peer:     peer{checker: checker, out: out, calls: map[string]chan<- []byte{}},
		planFile: fileURI(filepath.ToSlash(planFile)), closed: make(chan struct{}), sessions: map[string]*testSession{},
	}
	if checker == nil {
		a.next = 1
	}
	err = a.read(in, a.handle)
	close(a.closed)
	a.playing.Wait()
	return err
}

// An agent is the agent of [TestAgent].
type agent struct {
	peer
	planFile string
	closed   chan struct{} // closed at the end of the input
	playing  sync.WaitGroup

	asks     bool                    // the client announces forms
	sessions map[string]*testSession // those that the agent made; only the reader uses them
	turns    []*Turn                 // that have no response; guarded by mu
}

// A testSession is what a client chose for a session.
type testSession struct{ cwd, mode, effort string }

// A refusal is an error response.
type refusal struct {
	code int
	text string
}

// handle responds to a request, or takes a notification.
func (a *agent) handle(id []byte, method string, message *wire.Object) {
	params := message.Open("params")
	if method == acp.SessionCancel {
		a.cancel(params)
	}
	switch {
	case wire.ID(id) == "":
		return
	case method == acp.SessionNew:
		a.create(id, params)
		return
	case method == acp.SessionPrompt:
		a.prompt(id, params)
		return
	}
	result, wrong := a.serve(method, params)
	if wrong != nil {
		a.send(wire.Refusal(id, wrong.code, wrong.text))
		return
	}
	a.send(wire.Result(id, []byte(result)))
}

// serve returns the result of a request that needs only one line.
func (a *agent) serve(method string, params *wire.Object) (result string, wrong *refusal) {
	isStrict := a.checker != nil
	switch method {
	case acp.Initialize:
		a.asks = wire.IsObject(params.Open(acp.ClientCapabilities).Open("elicitation").Raw("form"))
		capabilities := `{"loadSession":true}`
		if isStrict {
			capabilities = "{}"
		}
		return `{"protocolVersion":1,"agentInfo":{"name":"acpshim-test-agent","version":"1"},"agentCapabilities":` + capabilities + `,"authMethods":[]}`, nil
	case acp.SessionSetMode, acp.SessionSetConfigOption:
		if isStrict {
			return a.set(method, params)
		}
		if method == acp.SessionSetConfigOption {
			return "{}", nil
		}
		return "null", nil
	case acp.SessionLoad, acp.SessionClose, acp.SessionCancel:
		if !isStrict {
			return "null", nil
		}
	}
	return "", &refusal{codeNoMethod, fmt.Sprintf("the test agent does not have the method %q", method)}
}

// create opens a session. Without a checker, an update of it comes first, as from some agents.
func (a *agent) create(id []byte, params *wire.Object) {
	name := "demo"
	if n := len(a.sessions); n > 0 {
		name = fmt.Sprintf("demo-%d", n+1)
	}
	cwd, _ := params.Text("cwd")
	s := &testSession{cwd, "code", "low"}
	a.sessions[name] = s
	commands := wire.SessionUpdate(name, []byte(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"help","description":"Tell the scenes"}]}`))
	if a.checker == nil {
		a.send(commands)
	}
	a.send(wire.Result(id, []byte(`{"sessionId":`+quote(name)+`,"modes":{"currentModeId":"code","availableModes":[{"id":"code","name":"Code"},{"id":"plan","name":"Plan"}]},"configOptions":`+a.options(s)+`}`)))
	if a.checker != nil {
		a.send(commands)
	}
}

// options returns the configuration options of a session, in a group. Without a checker one lacks
// its name.
func (a *agent) options(s *testSession) string {
	name := ""
	if a.checker != nil {
		name = `,"name":"Low"`
	}
	return `[{"id":"effort","name":"Effort","type":"select","category":"thought_level","currentValue":"` + s.effort +
		`","options":[{"group":"all","name":"All","options":[{"value":"low"` + name + `},{"value":"high","name":"High"}]}]}]`
}

// set changes what a client can choose.
func (a *agent) set(method string, params *wire.Object) (result string, wrong *refusal) {
	s, wrong := a.session(params)
	if wrong != nil {
		return "", wrong
	}
	mode, _ := params.Text("modeId")
	option, _ := params.Text("configId")
	value, _ := params.Text("value")
	switch {
	case method == acp.SessionSetMode && (mode == "code" || mode == "plan"):
		s.mode = mode
		return "{}", nil
	case method == acp.SessionSetConfigOption && option == "effort" && (value == "low" || value == "high"):
		s.effort = value
		return `{"configOptions":` + a.options(s) + `}`, nil
	}
	return "", &refusal{codeParams, "the test agent offers no such value"}
}

// session returns the session that params name.
func (a *agent) session(params *wire.Object) (*testSession, *refusal) {
	name, _ := params.Text("sessionId")
	if s := a.sessions[name]; s != nil {
		return s, nil
	}
	return nil, &refusal{codeParams, fmt.Sprintf("the test agent has no session %q", name)}
}

// cancel cancels the turns of a session.
func (a *agent) cancel(params *wire.Object) {
	session, _ := params.Text("sessionId")
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.turns {
		if t.Session == session {
			t.cancel()
		}
	}
}

// prompt begins a turn.
func (a *agent) prompt(id []byte, params *wire.Object) {
	session, wrong := a.session(params)
	blocks, isList := wire.Elements(params.Raw("prompt"))
	if wrong == nil && !isList {
		wrong = &refusal{codeParams, "prompt is not a list of content"}
	}
	if wrong != nil && a.checker != nil {
		a.send(wire.Refusal(id, wrong.code, wrong.text))
		return
	}
	var text strings.Builder
	for _, block := range blocks {
		if o, err := wire.Parse(block); err == nil {
			part, _ := o.Text("text")
			text.WriteString(part)
		}
	}
	name, _ := params.Text("sessionId")
	t := &Turn{Session: name, agent: a, cancelled: make(chan struct{}), asks: a.asks}
	if session != nil {
		t.Cwd = session.cwd
	}
	a.mu.Lock()
	a.turns = append(a.turns, t)
	a.mu.Unlock()
	a.playing.Go(func() { t.play(id, text.String()) })
}

// end responds to a prompt. A later session/cancel no longer concerns it.
func (a *agent) end(t *Turn, response []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turns = slices.DeleteFunc(a.turns, func(other *Turn) bool { return other == t })
	a.write(response)
}
