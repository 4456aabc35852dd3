package agenttest

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"acpshim/internal/chain/acp"
)

func (a *scripted) newSession(l line) {
	switch {
	case a.has("needs login"), a.has("no way to log in"):
		a.fail(l.ID, -32000, "Authentication required")
		return
	case a.has("refuses root"):
		a.fail(l.ID, -32603, "cannot be used with root")
		return
	case l.Params.Cwd == "" && !a.has("needs no cwd"):
		a.fail(l.ID, -32603, "cwd is missing") // the protocol names no code
		return
	}
	id := fmt.Sprintf("session-%d-%d", os.Getpid(), time.Now().UnixNano())
	if a.has("one session") {
		id = "acp-e26d6691"
	}
	os.WriteFile(filepath.Join(a.folder, id), []byte(l.Params.Cwd), 0o600)
	if a.has("early update") {
		a.update(id, acp.AvailableCommandsUpdate, object{"availableCommands": []any{}})
	}
	result := object{"sessionId": id, "modes": a.modes(), "configOptions": a.options()}
	switch {
	case a.has("plain"):
		result = object{"sessionId": id}
	case a.has("models"):
		result["models"] = object{"currentModelId": "m", "availableModels": []any{object{"modelId": "m", "name": "M"}}}
	}
	a.result(l.ID, result)
	a.update(id, acp.AvailableCommandsUpdate, object{"availableCommands": []any{object{"name": "help", "description": "Help"}}})
	if a.has("old mode update") {
		a.update(id, acp.CurrentModeUpdate, object{"modeId": "ask"})
	}
	if a.has("quits after session") {
		os.Exit(0)
	}
}

func (a *scripted) exists(id string) bool {
	_, err := os.Stat(filepath.Join(a.folder, id))
	return err == nil && id != ""
}

// open loads or resumes a session.
func (a *scripted) open(l line) {
	id, isLoad := l.Params.SessionID, l.Method == acp.SessionLoad
	if !a.exists(id) && !(isLoad && a.has("loads anything")) {
		a.fail(l.ID, -32002, "Resource not found")
		return
	}
	replay := func() {
		a.update(id, acp.UserMessageChunk, text("hello"))
		a.update(id, acp.AgentMessageChunk, text("working"))
	}
	isKnown := a.exists(id)
	switch {
	case isLoad && isKnown && a.has("loads without user"):
		a.update(id, acp.AgentMessageChunk, text("working"))
	case isLoad && isKnown && !a.has("loads nothing") && !a.has("loads late"), !isLoad && a.has("resumes with history"):
		replay()
	}
	result := any(object{"modes": a.modes(), "configOptions": a.options()})
	if isLoad && a.has("load result null") {
		result = nil
	}
	a.result(l.ID, result)
	if isLoad && isKnown && a.has("loads late") {
		replay()
	}
}

func (a *scripted) list(l line) {
	if a.has("list unknown") {
		a.unknown(l)
		return
	}
	sessions := []any{}
	files, _ := os.ReadDir(a.folder)
	for _, f := range files {
		cwd, _ := os.ReadFile(filepath.Join(a.folder, f.Name()))
		if l.Params.Cwd == "" || l.Params.Cwd == string(cwd) || a.has("list all") {
			sessions = append(sessions, object{"sessionId": f.Name(), "cwd": string(cwd)})
		}
	}
	result := object{"sessions": sessions}
	if a.has("list null") {
		result["sessions"] = nil
	}
	if a.has("many pages") {
		result["nextCursor"] = "more"
	}
	a.result(l.ID, result)
}

func (a *scripted) delete(l line) {
	switch {
	case a.has("delete twice") && !a.exists(l.Params.SessionID):
		a.fail(l.ID, -32002, "Resource not found")
		return
	case !a.has("deletes nothing"):
		os.Remove(filepath.Join(a.folder, l.Params.SessionID))
	}
	a.result(l.ID, object{})
}

func (a *scripted) setMode(l line) {
	switch l.Params.ModeID {
	case "ask", "code":
		if a.has("mode fixed") {
			a.fail(l.ID, -32603, "fixed")
			return
		}
		a.mode = l.Params.ModeID
	default:
		if !a.has("any mode") {
			a.fail(l.ID, -32602, "no such mode")
			return
		}
	}
	a.result(l.ID, object{})
}

func (a *scripted) setOption(l line) {
	if l.Params.ConfigID == "speed" && !a.has("option stays") {
		a.option = l.Params.Value
	}
	options := a.options()
	switch {
	case a.has("option alone"):
		options = options[:1]
	case a.has("options change") && a.option == "slow":
		options = append(options[:1], object{"id": "new", "name": "New", "type": "select", "currentValue": "a", "options": []any{object{"value": "a", "name": "A"}}})
	}
	a.result(l.ID, object{"configOptions": options})
}
