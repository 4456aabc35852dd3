package agenttest

import (
	"os"
	"path/filepath"
	"time"

	"acpshim/internal/chain/acp"
)

// begins begins a turn.
func (a *scripted) begins(l line) {
	session := l.Params.SessionID
	isText := len(l.Params.Prompt) == 1
	switch {
	case a.has("text only") && !isText:
		a.fail(l.ID, -32602, "unknown content")
		return
	case a.has("no model"):
		a.fail(l.ID, -32603, "no model is configured")
		return
	case a.has("unusable after cancel") && a.cancels > 0:
		a.fail(l.ID, -32603, "the session is broken")
		return
	case a.has("stays cancelled") && a.cancels > 0, a.has("cancels itself"), a.has("idle cancel stays") && a.idle == session:
		a.result(l.ID, object{"stopReason": acp.StopCancelled})
		return
	case a.has("idle cancel breaks") && a.idle == session:
		a.fail(l.ID, -32603, "interrupted")
		return
	}
	turn := make(chan string, 1)
	a.mu.Lock()
	a.turns[session] = turn
	a.started++
	number := a.started
	a.mu.Unlock()
	go func() {
		why := a.play(session, turn, number)
		a.mu.Lock()
		delete(a.turns, session)
		if why == "cancelled" {
			a.cancels++
		}
		a.mu.Unlock()
		a.ends(l, session, why)
	}()
}

// play plays a turn, and returns why it stops.
func (a *scripted) play(session string, turn <-chan string, number int) string {
	if a.has("silent turns") {
		return acp.StopEndTurn
	}
	if a.has("slow model") {
		return <-turn
	}
	if a.has("hangs") {
		select {}
	}
	cwd, _ := os.Getwd()
	path := filepath.Join(cwd, "check.txt")
	kind, status, where := "edit", "pending", path
	switch {
	case a.has("wrong kind"):
		kind = "edti"
	case a.has("relative path"):
		where = "check.txt"
	}
	for fault, send := range map[string]func(){
		"wrong update":  func() { a.update(session, "agent_mesage_chunk", text("working")) },
		"wrong session": func() { a.update("another", acp.AgentMessageChunk, text("working")) },
		"plan update": func() {
			a.update(session, acp.PlanUpdate, object{"plan": object{"type": "items", "planId": "p", "entries": []any{}}})
		},
		"own notification":   func() { a.send(object{"method": "scripted/notify", "params": object{}}) },
		"own extension":      func() { a.send(object{"method": "_scripted/notify", "params": object{}}) },
		"reads file":         func() { go a.ask(nil, acp.FSReadTextFile, object{"sessionId": session, "path": path}) },
		"unannounced update": func() { a.update(session, acp.ToolCallUpdate, object{"toolCallId": "never", "status": "completed"}) },
		"second response":    func() { a.send(object{"id": 0, "result": object{"protocolVersion": 1}}) },
		"stray response":     func() { a.send(object{"id": 4711, "result": object{}}) },
		"raw relative": func() {
			a.update(session, acp.ToolCall, object{"toolCallId": "raw", "title": "Raw", "rawInput": object{"path": "a", "own": 1}, "_meta": object{"path": "b"}})
		},
		"usage": func() { a.update(session, acp.UsageUpdate, object{"used": 1, "size": 2}) },
	} {
		if a.has(fault) {
			send()
		}
	}
	a.update(session, acp.AgentMessageChunk, text("working"))
	priority := "high"
	if a.has("wrong plan") {
		priority = "hgih"
	}
	a.update(session, "plan", object{"entries": []any{object{"content": "Write", "priority": priority, "status": acp.StatusInProgress}}})
	if a.has("no tools") {
		return a.works(turn, number)
	}
	a.update(session, acp.ToolCall, object{"toolCallId": "call", "title": "Write check.txt", "kind": kind, "status": status, "locations": []any{object{"path": where}}})
	if a.has("dies in turn") && number == 1 {
		os.Exit(1)
	}
	option := "reject_once"
	if a.has("wrong permission") {
		option = "reject_onec"
	}
	if a.has("asks for nothing") {
		if why := a.works(turn, number); why == "cancelled" {
			return why
		}
	} else if _, why := a.ask(turn, acp.SessionRequestPermission, object{"sessionId": session, "toolCall": object{"toolCallId": "call"},
		"options": []any{object{"optionId": "yes", "name": "Yes", "kind": "allow_once"}, object{"optionId": "no", "name": "No", "kind": option}}}); why != "" {
		return why
	}
	if a.has("refusal cancels") {
		return acp.StopCancelled
	}
	a.update(session, acp.ToolCallUpdate, object{"toolCallId": "call", "status": "failed"})
	if a.has("status back") {
		a.update(session, acp.ToolCallUpdate, object{"toolCallId": "call", "status": acp.StatusInProgress})
	}
	return acp.StopEndTurn
}

// works takes some time, unless the turn stops.
func (a *scripted) works(turn <-chan string, number int) string {
	wait := 300 * time.Millisecond
	switch {
	case a.has("quick turns"):
		return acp.StopEndTurn
	case a.has("slow work") && number > 1:
		wait = 3 * time.Second
	}
	select {
	case why := <-turn:
		return why
	case <-time.After(wait):
		return acp.StopEndTurn
	}
}

// ends responds to a prompt.
func (a *scripted) ends(l line, session, why string) {
	isCancelled := why == "cancelled"
	switch {
	case isCancelled && a.has("cancel ends turn"):
		why = acp.StopEndTurn
	case isCancelled && a.has("cancel fails"):
		a.fail(l.ID, -32603, "aborted")
		return
	case !isCancelled && a.has("wrong reason"):
		why = "error"
	}
	a.result(l.ID, object{"stopReason": why})
	switch {
	case isCancelled && a.has("late cancel"), !isCancelled && a.has("late update"):
		a.update(session, acp.AgentMessageChunk, text("late"))
	case a.has("late usage"):
		a.update(session, acp.UsageUpdate, object{"used": 1, "size": 2})
		a.update(session, acp.AvailableCommandsUpdate, object{"availableCommands": []any{}})
	}
}
