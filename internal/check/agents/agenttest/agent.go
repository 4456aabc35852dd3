// Package agenttest has an agent for the tests of checks.
package agenttest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"acpshim/internal/chain/acp"
)

// Folder is the environment variable that names the folder of the agent's sessions.
const Folder = "ACPSHIM_TEST_AGENT"

// Main runs an agent on the standard streams of this process. It keeps all rules, except for the
// faults that the arguments name. Its sessions are files in a folder, so that other processes find
// them.
func Main() { run(os.Getenv(Folder), os.Args[1:]) }

// A scripted agent is the agent of Main.
type scripted struct {
	folder string
	faults []string
	out    sync.Mutex

	mu       sync.Mutex
	turns    map[string]chan string // of the running turns: why each stops
	waiting  map[string]chan bool   // for responses, by the id
	requests int
	mode     string
	option   string
	started  int // turns
	cancels  int
	beside   string // the file that says that this is not the first process
	idle     string // the session that was cancelled last without a turn
	announce map[string]any
}

type object = map[string]any

func run(folder string, faults []string) {
	a := &scripted{folder: folder, faults: faults, turns: map[string]chan string{}, waiting: map[string]chan bool{}, mode: "ask", option: "fast"}
	a.begin()
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		a.handle(line)
	}
	a.finish()
}

// has reports whether a fault is on.
func (a *scripted) has(fault string) bool { return slices.Contains(a.faults, fault) }

func (a *scripted) begin() {
	if a.has("banner") {
		a.write("[agent] model loaded in 12 ms\n")
	}
	if a.has("slow starts") { // those after the first one are even slower
		wait := time.Second
		if os.Mkdir(filepath.Join(a.folder, "started"), 0o700) != nil {
			wait = 3500 * time.Millisecond
			a.beside = filepath.Join(a.folder, "beside")
			os.WriteFile(a.beside, nil, 0o600)
		}
		time.Sleep(wait)
	}
	if a.has("noisy") {
		fmt.Fprint(os.Stderr, strings.Repeat(strings.Repeat("log ", 25)+"\n", 4000))
	}
}

func (a *scripted) finish() {
	if a.has("stays") {
		select {}
	}
	if a.has("slow end") {
		time.Sleep(200 * time.Millisecond)
	}
	for range 40 { // the first process ends slowly beside others
		if !a.has("slow starts") || a.beside != "" || !a.exists("beside") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if a.beside != "" {
		os.Remove(a.beside)
	}
	for fault, seconds := range map[string]string{"child": "60", "short child": "0.2"} {
		if a.has(fault) {
			exec.Command("sleep", seconds).Start()
		}
	}
}

// write writes text in one piece.
func (a *scripted) write(text string) {
	a.out.Lock()
	defer a.out.Unlock()
	os.Stdout.WriteString(text)
}

// send sends a message.
func (a *scripted) send(m object) {
	if _, ok := m["jsonrpc"]; !ok && !a.has("no jsonrpc") {
		m["jsonrpc"] = "2.0"
	}
	text, err := json.Marshal(m)
	if a.has("pretty") {
		text, err = json.MarshalIndent(m, "", "  ")
	}
	if err != nil {
		panic(err)
	}
	line := string(text) + "\n"
	if a.has("lsp") {
		line = fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text)
	}
	if a.has("not utf8") {
		line = strings.ReplaceAll(line, "working", "work\xe2\x82")
	}
	a.write(line)
}

func (a *scripted) result(id json.RawMessage, result any) {
	if a.has("id as text") && id[0] != '"' {
		id = json.RawMessage(`"` + string(id) + `"`)
	}
	a.send(object{"id": id, "result": result})
}

func (a *scripted) fail(id json.RawMessage, code int, message string) {
	a.send(object{"id": id, "error": object{"code": code, "message": message}})
}

// update sends an update for a session.
func (a *scripted) update(session, kind string, members object) {
	update := object{"sessionUpdate": kind}
	for name, value := range members {
		update[name] = value
	}
	a.send(object{"method": acp.SessionUpdate, "params": object{"sessionId": session, "update": update}})
}

func text(text string) object { return object{"content": object{"type": "text", "text": text}} }

// A line is what the agent gets.
type line struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ProtocolVersion                                 int
		SessionID, Cwd, ModeID, ConfigID, Value, Cursor string
		ClientCapabilities                              object
		Prompt                                          []struct{ Type string }
	}
	Result, Error json.RawMessage
}

func (a *scripted) handle(raw []byte) {
	var l line
	if err := json.Unmarshal(raw, &l); err != nil {
		if a.has("dies of junk") {
			fmt.Fprintln(os.Stderr, "SyntaxError: unexpected end")
			os.Exit(1)
		}
		if a.has("says parse error") {
			a.fail(json.RawMessage("null"), -32700, "Parse error")
		}
		return
	}
	switch {
	case l.Method == "":
		a.mu.Lock()
		waiting := a.waiting[string(l.ID)]
		delete(a.waiting, string(l.ID))
		a.mu.Unlock()
		if waiting != nil {
			waiting <- strings.Contains(string(l.Result), "allow")
		}
	case l.ID == nil:
		a.notified(l)
	default:
		a.requested(l)
	}
}

func (a *scripted) notified(l line) {
	switch {
	case l.Method == acp.SessionCancel:
		a.mu.Lock()
		isIdle := a.turns[l.Params.SessionID] == nil
		a.mu.Unlock()
		if isIdle {
			a.idle = l.Params.SessionID
		}
		if isIdle && a.has("cancel error") {
			a.fail(json.RawMessage("null"), -32601, "Method not found")
		}
		a.stop(l.Params.SessionID, "cancelled")
	case a.has("note error"):
		a.fail(json.RawMessage("null"), -32601, "Method not found")
	}
}

// stop stops a turn.
func (a *scripted) stop(session, why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if turn := a.turns[session]; turn != nil && !a.has("never cancels") {
		select {
		case turn <- why:
		default:
		}
	}
}

func (a *scripted) requested(l line) {
	switch l.Method {
	case "initialize":
		a.initialize(l)
	case acp.SessionNew:
		a.newSession(l)
	case acp.SessionLoad, acp.SessionResume:
		a.open(l)
	case acp.SessionList:
		a.list(l)
	case acp.SessionClose:
		if !a.has("close leaves turn") {
			a.stop(l.Params.SessionID, "cancelled")
		}
		a.result(l.ID, object{})
	case acp.SessionDelete:
		a.delete(l)
	case acp.SessionSetMode:
		a.setMode(l)
	case acp.SessionSetConfigOption:
		a.setOption(l)
	case acp.SessionPrompt:
		a.begins(l)
	default:
		a.unknown(l)
	}
}

func (a *scripted) unknown(l line) {
	switch {
	case a.has("unknown silence"):
	case a.has("unknown result"):
		a.result(l.ID, nil)
	case a.has("dies of unknown"):
		fmt.Fprintln(os.Stderr, "panic: no such method")
		os.Exit(3)
	case a.has("text id as number") && l.ID[0] == '"':
		a.fail(json.RawMessage(strings.Trim(string(l.ID), `"`)), -32601, "Method not found")
	default:
		a.fail(l.ID, -32601, "Method not found")
	}
}

func (a *scripted) initialize(l line) {
	a.announce = l.Params.ClientCapabilities
	if a.has("only version 2") && l.Params.ProtocolVersion != 2 {
		a.fail(l.ID, -32022, "Unsupported protocol version")
		return
	}
	result := object{
		"protocolVersion": 1, "agentInfo": object{"name": "scripted", "version": "1.0"},
		"authMethods": []any{object{"id": "browser", "name": "Browser"}},
		"agentCapabilities": object{
			"loadSession": true, "promptCapabilities": object{"image": false},
			"sessionCapabilities": object{"list": object{}, "resume": object{}, "close": object{}, "delete": object{}},
		},
		"_meta": object{"own": true},
	}
	capabilities := result["agentCapabilities"].(object)["sessionCapabilities"].(object)
	if a.has("plain") { // an agent without the optional methods
		result["agentCapabilities"] = object{}
	}
	if a.has("only version 2") {
		result = object{"protocolVersion": 2, "info": object{"name": "scripted", "version": "1.0"}, "capabilities": object{}}
	}
	switch {
	case a.has("version text"):
		result["protocolVersion"] = "1"
	case a.has("echo") && l.Params.ProtocolVersion > 2:
		result["protocolVersion"] = l.Params.ProtocolVersion
	case a.has("refuses version") && l.Params.ProtocolVersion > 2:
		a.fail(l.ID, -32600, "Unsupported ACP protocol version 9999")
		return
	case a.has("list is true"):
		capabilities["list"] = true
	case a.has("no info"):
		delete(result, "agentInfo")
	case a.has("terminal login"):
		result["authMethods"] = []any{object{"id": "tui", "name": "TUI", "type": "terminal"}}
	case a.has("no way to log in"):
		result["authMethods"] = []any{}
	case a.has("root field"):
		result["own"] = object{"a": 1}
	}
	a.result(l.ID, result)
}

func (a *scripted) options() []any {
	options := []any{
		object{"id": "speed", "name": "Speed", "type": "select", "currentValue": a.option, "options": []any{object{"value": "fast", "name": "Fast"}, object{"value": "slow", "name": "Slow"}}},
		object{"id": "thinking", "name": "Thinking", "type": "select", "category": "thought_level", "currentValue": "off",
			"options": []any{object{"group": "g", "name": "G", "options": []any{object{"value": "off", "name": "Off"}, object{"value": "high", "name": "High"}}}}},
	}
	switch {
	case a.has("boolean option"):
		options = append(options, object{"id": "web", "name": "Web", "type": "boolean", "currentValue": true})
	case a.has("wrong value"):
		options[1].(object)["currentValue"] = "hihg"
	}
	return options
}

func (a *scripted) modes() object {
	current := a.mode
	if a.has("wrong mode") {
		current = "aks"
	}
	return object{"currentModeId": current, "availableModes": []any{object{"id": "ask", "name": "Ask"}, object{"id": "code", "name": "Code"}}}
}

// ask sends a request, and waits for the response or until the turn stops. It returns whether the
// response allows something.
func (a *scripted) ask(turn <-chan string, method string, params object) (allowed bool, why string) {
	a.mu.Lock()
	id := fmt.Sprintf("%d", a.requests) // these are the ids of the client, too
	a.requests++
	came := make(chan bool, 1)
	a.waiting[id] = came
	a.mu.Unlock()
	a.send(object{"id": json.RawMessage(id), "method": method, "params": params})
	select {
	case allowed = <-came:
		select {
		case why = <-turn: // a cancel comes before the response, and both may have come
		default:
		}
		return allowed, why
	case why = <-turn:
		return false, why
	}
}
