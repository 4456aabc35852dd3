package clients

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/run/demo"
)

// An exam is what the agent asks the client in its first turns. Each step is done once; a step
// whose turn was cancelled is done again.
type exam struct {
	check *Check
	done  int
	asked *demo.Turn // the last one with a permission request of the exam
}

// step returns the next step; nil after the last one.
func (e *exam) step() func(*demo.Turn) {
	steps := []func(*demo.Turn){
		e.greet,
		e.ask,
		func(t *demo.Turn) { t.Notify(methodTell, []byte(`{"text":"no client knows this notification"}`)) },
		e.ask,
		func(t *demo.Turn) {
			update(t, `{"sessionUpdate":"agent_message_chunk","content":"this is not content"}`)
		},
		e.ask,
		func(t *demo.Turn) {
			update(t, `{"sessionUpdate":"`+unknownUpdate+`","text":"no client knows this update"}`)
		},
		e.ask,
		e.read,
		e.permission,
		e.write,
		e.terminal,
	}
	if e.done == len(steps) {
		return nil
	}
	return steps[e.done]
}

// play does the steps that are left.
func (e *exam) play(t *demo.Turn) {
	for step := e.step(); step != nil; step = e.step() {
		if step(t); t.IsOver() || e.check.isDead() {
			return
		}
		e.done++
	}
}

// after does what follows on a scene. A client may refuse the scene's permission request, so a turn
// that names it has another one.
func (e *exam) after(t *demo.Turn, scene string) {
	if scene == "permission" && e.asked != t {
		e.permission(t)
	}
	e.ask(t)
}

func update(t *demo.Turn, update string) {
	t.Notify(acp.SessionUpdate, []byte(`{"sessionId":`+quoted(t.Session)+`,"update":`+update+`}`))
}

func quoted(text string) string { return string(wire.Quote(nil, text)) }

func (*exam) greet(t *demo.Turn) {
	update(t, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"acpshim checks this client. Choose any option when you are asked.\n"}}`)
}

// ask sends a request that no client knows. After the first one, it shows whether the client lives.
func (e *exam) ask(t *demo.Turn) {
	if e.check.mayAsk() {
		t.Call(methodAsk, []byte(`{"sessionId":`+quoted(t.Session)+`}`), limit)
	}
}

// file returns the path of a file in the session's folder that is not there yet; "" if there is no
// such folder.
func file(t *demo.Turn) string {
	if info, err := os.Stat(t.Cwd); !filepath.IsAbs(t.Cwd) || err != nil || !info.IsDir() {
		return ""
	}
	return filepath.Join(t.Cwd, "acpshim-check-"+rand.Text()[:8]+".txt")
}

// read asks the client for a file that the agent makes for it.
func (e *exam) read(t *demo.Turn) {
	path := file(t)
	if !e.check.announces("fs", "readTextFile") || path == "" || os.WriteFile(path, []byte("ok\n"), 0o600) != nil {
		return
	}
	defer os.Remove(path)
	t.Call(acp.FSReadTextFile, []byte(`{"sessionId":`+quoted(t.Session)+`,"path":`+quoted(path)+`}`), limit)
}

// write has the client write a file, and removes it.
func (e *exam) write(t *demo.Turn) {
	path := file(t)
	if !e.check.announces("fs", "writeTextFile") || path == "" {
		return
	}
	defer os.Remove(path)
	t.Call(acp.FSWriteTextFile, []byte(`{"sessionId":`+quoted(t.Session)+`,"path":`+quoted(path)+`,"content":"ok\n"}`), limit)
}

// permission asks for a permission with options of all kinds.
func (e *exam) permission(t *demo.Turn) {
	e.asked = t
	call := `"toolCallId":"acpshim-check","title":"Continue the check","kind":"other"`
	update(t, `{"sessionUpdate":"tool_call",`+call+`,"status":"pending"}`)
	t.Call(acp.SessionRequestPermission, []byte(`{"sessionId":`+quoted(t.Session)+`,"toolCall":{`+call+`},"options":[`+
		`{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"always","name":"Always","kind":"allow_always"},`+
		`{"optionId":"no","name":"No","kind":"reject_once"},{"optionId":"never","name":"Never","kind":"reject_always"}]}`), 0)
	update(t, `{"sessionUpdate":"tool_call_update","toolCallId":"acpshim-check","status":"completed"}`)
}

// terminal has the client run a command: "acpshim version".
func (e *exam) terminal(t *demo.Turn) {
	self, err := os.Executable()
	if !e.check.announces("terminal") || file(t) == "" || err != nil {
		return
	}
	session := `{"sessionId":` + quoted(t.Session)
	line := t.Call(acp.TerminalCreate, []byte(session+`,"command":`+quoted(self)+`,"args":["version"],"cwd":`+quoted(t.Cwd)+`}`), limit)
	response, _ := wire.Parse(line, "result")
	id, ok := response.Open("result").Text("terminalId")
	if !ok {
		return
	}
	for _, method := range []string{acp.TerminalWaitForExit, acp.TerminalOutput, acp.TerminalKill, acp.TerminalRelease} {
		t.Call(method, []byte(session+`,"terminalId":`+quoted(id)+`}`), limit)
	}
}

// announces reports whether the client has announced a capability.
func (c *Check) announces(path ...string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, _ := wire.Parse(c.judge.initialization, "params", "params."+acp.ClientCapabilities, "params."+acp.ClientCapabilities+".fs")
	o = o.Open("params").Open(acp.ClientCapabilities)
	for _, name := range path[:len(path)-1] {
		o = o.Open(name)
	}
	return strings.TrimSpace(string(o.Raw(path[len(path)-1]))) == "true"
}
