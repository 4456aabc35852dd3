package relay_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
)

// A modelEvent is a message of a conversation, with what it means.
type modelEvent struct {
	from    string // "client" or "agent", or "file" or "unnoticed file" with a text for a file
	kind    string // see modelTalk
	line    string
	session string
	joined  bool // it comes in one write with the event before

	id      string // of the request, the plan or the call; "" for a plan without an id
	status  string // of a call, or of a response: "ok" or "no"
	call    string // a question's kind of call
	entries []modelEntry
	isList  bool // a call has a list
	doc     modelDocument
	n       int // bytes of the document
	path    string
}

// reading is the document of the event, as far as it is there.
func (e modelEvent) reading(hasEnded bool) modelReading { return e.doc.read(e.n, hasEnded) }

func (e modelEvent) text() string { return e.doc.text()[:e.n] }

// A modelStep is what one of the peers does. It has everything that was decided at random, so that
// a conversation is still one without some of its steps.
type modelStep struct {
	do      string
	session string
	id      string
	call    string
	status  string
	pick    int
	joined  bool
	cuts    []int
	doc     modelDocument
	entries []modelEntry
}

// randomSteps returns the steps of a conversation.
func randomSteps(r *rand.Rand, late bool) (steps []modelStep) {
	m := &documentMaker{Rand: r}
	docs := map[string]modelDocument{}
	var last modelDocument
	tools := r.IntN(4) == 0
	for range 4 + r.IntN(30) {
		s := modelStep{session: []string{"s1", "s1", "s1", "s2"}[r.IntN(4)], pick: r.IntN(100), joined: r.IntN(4) == 0}
		switch k := r.IntN(100); {
		case k < 12:
			s.do = "prompt"
		case k < 26:
			s.do = "end"
		case k < 29:
			s.do = "cancel"
		case k < 31:
			s.do = "load"
		case k < 33:
			s.do = "loaded"
			if s.status = "ok"; r.IntN(3) == 0 && !late {
				s.status = "no"
			}
		case k < 41:
			s.do = []string{"message", "message", "thought", "call", "usage", "said"}[r.IntN(6)]
		case k < 50:
			s.do, s.call = "ask", []string{"switch_mode", "switch_mode", "switch_mode", "execute"}[r.IntN(4)]
			switch r.IntN(4) {
			case 0:
			case 1:
				s.doc = m.document()
			default:
				s.doc = last
			}
		case k < 55:
			s.do, s.status = "answer", []string{"yes", "yes", "no", "cancelled"}[r.IntN(4)]
		case k < 66:
			s.do, s.id, s.entries = "items", []string{"a", "b", "d", ""}[r.IntN(4)], m.entries()
		case k < 71:
			s.do, s.entries = "legacy", m.entries()
		case k < 89:
			s.do, s.id = "document", []string{"d", "d", "e", "a", ""}[r.IntN(5)]
			s.doc = m.next(docs[s.id])
			docs[s.id], last = s.doc, s.doc
			if r.IntN(3) == 0 && !s.doc.isTable() {
				for range 1 + r.IntN(3) {
					s.cuts = append(s.cuts, 1+r.IntN(len(s.doc.text())))
				}
				slices.Sort(s.cuts)
			}
			// Some documents have no line end.
			s.cuts = append(s.cuts, len(s.doc.text())-len(s.doc.text())%2)
		case k < 92:
			s.do, s.id = "removed", []string{"a", "d", "e", "f", "unknown"}[r.IntN(5)]
		case k < 95:
			s.do, s.id = "file", []string{"d", "f"}[r.IntN(2)]
		default:
			s.do = []string{"write", "write", "unnoticed write"}[r.IntN(3)]
			s.doc = m.next(docs["file"])
			docs["file"] = s.doc
		}
		if tools && r.IntN(3) == 0 && s.do != "prompt" && s.do != "end" {
			s = modelStep{do: "todo", session: s.session, pick: s.pick, joined: s.joined, entries: m.entries()}
			s.status = []string{"pending", "in_progress", "in_progress", "completed", "completed", "failed"}[r.IntN(6)]
		}
		steps = append(steps, s)
	}
	return steps
}

// next returns another version of a document, or a new one.
func (m *documentMaker) next(d modelDocument) modelDocument {
	switch k := m.IntN(10); {
	case len(d.lines) == 0 || k < 4:
		return m.document()
	case k < 5:
		return d
	}
	return m.changed(d)
}

func (m *documentMaker) entries() (all []modelEntry) {
	for range m.IntN(3) + min(1, m.IntN(8)) {
		priority := []string{"high", "medium", "medium", "low"}[m.IntN(4)]
		all = append(all, modelEntry{m.words(), priority, m.status()})
	}
	if len(all) > 0 && m.IntN(4) == 0 {
		for i := range all {
			all[i].Status = "completed"
		}
	}
	return all
}

// A modelTalk makes messages of steps, and leaves out what the peers cannot do then.
type modelTalk struct {
	events    []modelEvent
	last      int
	sessions  map[string]*modelTalkSession
	questions []modelEvent // that have no response
	calls     map[string]modelEvent
}

type modelTalkSession struct {
	opens, isOpen bool
	prompts       []string
	cancelled     int // how many of the prompts
	load          string
	status        string // of its response
}

func eventsOf(steps []modelStep) []modelEvent {
	t := &modelTalk{sessions: map[string]*modelTalkSession{}, calls: map[string]modelEvent{}}
	for _, s := range steps {
		t.step(s)
	}
	for _, id := range []string{"s1", "s2"} {
		if s := t.sessions[id]; s != nil {
			t.open(id, s)
			if s.load != "" {
				t.step(modelStep{do: "loaded", session: id, status: "ok"})
			}
			for len(s.prompts) > 0 {
				t.step(modelStep{do: "end", session: id})
			}
		}
	}
	return t.events
}

func (t *modelTalk) add(from, kind string, joined bool, line any, e modelEvent) {
	raw, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	e.from, e.kind, e.line = from, kind, string(raw)
	e.joined = joined && len(t.events) > 0 && t.events[len(t.events)-1].from == from
	t.events = append(t.events, e)
}

type object map[string]any

func (t *modelTalk) update(s modelStep, kind string, update object, e modelEvent) {
	e.session = s.session
	t.add("agent", kind, s.joined, object{"jsonrpc": "2.0", "method": "session/update", "params": object{"sessionId": s.session, "update": update}}, e)
}

func (t *modelTalk) endQuestions(session string) {
	t.questions = slices.DeleteFunc(t.questions, func(q modelEvent) bool { return q.session == session })
}

// number returns a number that no other message has.
func (t *modelTalk) number() int {
	t.last++
	return t.last
}

// open sends the response to session/new.
func (t *modelTalk) open(id string, s *modelTalkSession) {
	if s.opens && !s.isOpen {
		s.isOpen = true
		t.add("agent", "opened", false, object{"jsonrpc": "2.0", "id": "new " + id, "result": object{"sessionId": id}}, modelEvent{session: id, id: "new " + id})
	}
}

func (t *modelTalk) step(s modelStep) {
	of := t.sessions[s.session]
	if of == nil {
		of = &modelTalkSession{opens: true}
		t.sessions[s.session] = of
		t.add("client", "open", false, object{"jsonrpc": "2.0", "id": "new " + s.session, "method": "session/new", "params": object{"cwd": "/work", "mcpServers": []any{}}}, modelEvent{session: s.session, id: "new " + s.session})
	}
	if isUpdate := slices.Contains([]string{"items", "legacy", "document", "removed", "message"}, s.do); !of.isOpen && (!isUpdate || s.pick%3 > 0) {
		t.open(s.session, of)
	}
	update := func(kind string, update object, e modelEvent) { t.update(s, kind, update, e) }
	identified := func(plan object) object {
		if s.id != "" {
			plan["planId"] = s.id
		}
		return object{"sessionUpdate": "plan_update", "plan": plan}
	}
	switch s.do {
	case "prompt":
		if of.load != "" || len(of.prompts) > 0 && s.pick%4 > 0 {
			return
		}
		id := fmt.Sprintf("prompt %d", t.number())
		of.prompts = append(of.prompts, id)
		t.add("client", "prompt", false, object{"jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": object{"sessionId": s.session, "prompt": []any{}}}, modelEvent{session: s.session, id: id})
	case "cancel":
		if len(of.prompts) == 0 || of.cancelled > 0 {
			return
		}
		of.cancelled = 1
		t.add("client", "cancel", false, object{"jsonrpc": "2.0", "method": "session/cancel", "params": object{"sessionId": s.session}}, modelEvent{session: s.session})
		t.endQuestions(s.session) // acpshim responds
	case "end":
		if len(of.prompts) == 0 {
			return
		}
		id, reason := of.prompts[0], "end_turn"
		if of.cancelled > 0 {
			reason = "cancelled"
			of.cancelled--
		}
		of.prompts = of.prompts[1:]
		t.add("agent", "end", s.joined, object{"jsonrpc": "2.0", "id": id, "result": object{"stopReason": reason}}, modelEvent{session: s.session, id: id})
		t.endQuestions(s.session)
	case "load":
		if len(of.prompts) > 0 || of.load != "" {
			return
		}
		of.load = fmt.Sprintf("load %d", t.number())
		t.add("client", "load", false, object{"jsonrpc": "2.0", "id": of.load, "method": "session/load", "params": object{"sessionId": s.session, "cwd": "/work", "mcpServers": []any{}}}, modelEvent{session: s.session, id: of.load})
	case "loaded":
		if of.load == "" {
			return
		}
		response := object{"jsonrpc": "2.0", "id": of.load, "result": object{}}
		if s.status = cmp.Or(of.status, s.status); s.status == "no" {
			response = object{"jsonrpc": "2.0", "id": of.load, "error": object{"code": -32603, "message": "no"}}
		}
		t.add("agent", "loaded", s.joined, response, modelEvent{session: s.session, id: of.load, status: s.status})
		of.load, of.status = "", ""
	case "message", "thought", "said":
		kind := map[string]string{"message": "agent_message_chunk", "thought": "agent_thought_chunk", "said": "user_message_chunk"}[s.do]
		if s.do == "said" && of.load == "" {
			return
		}
		update(s.do, object{"sessionUpdate": kind, "content": object{"type": "text", "text": fmt.Sprintf("word %d", t.number())}}, modelEvent{})
	case "usage":
		update(s.do, object{"sessionUpdate": "usage_update", "used": t.number(), "size": 1000}, modelEvent{})
	case "call":
		id := fmt.Sprintf("call %d", t.number())
		update(s.do, object{"sessionUpdate": "tool_call", "toolCallId": id, "title": "Read", "kind": "read", "status": "pending"}, modelEvent{id: id})
	case "todo":
		t.todo(s, of)
	case "ask":
		if len(of.prompts) == 0 || of.cancelled > 0 {
			return
		}
		id := fmt.Sprintf("question %d", t.number())
		call := object{"toolCallId": "asked " + id, "kind": s.call, "title": "Approve?", "status": "pending"}
		e := modelEvent{session: s.session, id: id, call: s.call, doc: s.doc, n: len(s.doc.text())}
		if e.n > 0 {
			call["rawInput"] = object{"plan": e.text()}
		}
		options := []any{object{"optionId": "yes", "name": "Yes", "kind": "allow_once"}, object{"optionId": "no", "name": "No", "kind": "reject_once"}}
		t.add("agent", "ask", s.joined, object{"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": object{"sessionId": s.session, "toolCall": call, "options": options}}, e)
		t.questions = append(t.questions, t.events[len(t.events)-1])
	case "answer":
		if len(t.questions) == 0 {
			return
		}
		i := s.pick % len(t.questions)
		q := t.questions[i]
		t.questions = slices.Delete(t.questions, i, i+1)
		outcome := object{"outcome": "selected", "optionId": s.status}
		if s.status == "cancelled" {
			outcome = object{"outcome": "cancelled"}
		}
		t.add("client", "answer", false, object{"jsonrpc": "2.0", "id": q.id, "result": object{"outcome": outcome}}, modelEvent{session: q.session, id: q.id, status: s.status})
	case "items":
		update(s.do, identified(object{"type": "items", "entries": append([]modelEntry{}, s.entries...)}), modelEvent{id: s.id, entries: s.entries})
	case "legacy":
		update(s.do, object{"sessionUpdate": "plan", "entries": append([]modelEntry{}, s.entries...)}, modelEvent{entries: s.entries})
	case "document":
		if of.load != "" && len(s.cuts) > 1 {
			// The docs do not say what a document in pieces is after a refused load.
			of.status = "ok"
		}
		isFirst, last := true, 0
		for i, n := range s.cuts {
			if isFirst || i == len(s.cuts)-1 {
				for n > 0 && !s.doc.mayEnd(n) {
					n--
				}
			}
			if n == 0 || n == last && !s.doc.mayEnd(n) {
				continue
			}
			isFirst, last = false, n
			update(s.do, identified(object{"type": "markdown", "content": s.doc.text()[:n]}), modelEvent{id: s.id, doc: s.doc, n: n})
		}
	case "file":
		if isWritten := slices.ContainsFunc(t.events, func(e modelEvent) bool { return e.kind == "write" }); !isWritten && s.id != "f" {
			return
		}
		update(s.do, identified(object{"type": "file", "uri": "file:///tmp/plan.md"}), modelEvent{id: s.id, path: "/tmp/plan.md"})
	case "removed":
		removed := object{"sessionUpdate": "plan_removed"}
		if s.id != "" {
			removed["planId"] = s.id
		}
		update(s.do, removed, modelEvent{id: s.id})
	case "write", "unnoticed write":
		for _, of := range t.sessions {
			if of.load != "" {
				return
			}
		}
		e := modelEvent{from: "file", kind: "write", doc: s.doc, n: len(s.doc.text()), path: "/tmp/plan.md"}
		if s.do == "unnoticed write" {
			e.from = "unnoticed file"
		}
		e.line = e.text()
		t.events = append(t.events, e)
	}
}

// todo is a call of opencode's todowrite: first without its input, then with it, then with its
// output.
func (t *modelTalk) todo(s modelStep, of *modelTalkSession) {
	c, isKnown := t.calls[s.session]
	if isKnown = isKnown && c.status != "completed" && c.status != "failed"; !isKnown {
		c = modelEvent{id: fmt.Sprintf("todo %d", t.number()), call: "todo"}
	}
	c.status, c.isList, c.entries = s.status, false, nil
	call := object{"sessionUpdate": "tool_call_update", "toolCallId": c.id, "status": s.status}
	if !isKnown {
		call["sessionUpdate"], call["title"], call["kind"] = "tool_call", "todowrite", "other"
	} else {
		call["title"] = "todowrite"
	}
	todos := append([]modelEntry{}, s.entries...)
	switch s.status {
	case "in_progress":
		// An empty input is one that is not there yet.
		c.isList, c.entries = len(s.entries) > 0, s.entries
		call["rawInput"] = object{"todos": lowerEntries(todos)}
	case "completed":
		c.isList, c.entries = true, s.entries
		call["rawOutput"] = object{"metadata": object{"todos": lowerEntries(todos)}, "output": "ok"}
	}
	t.calls[s.session] = c
	kind := "call"
	if isKnown {
		kind = "call update"
	}
	t.update(s, kind, call, c)
}

func lowerEntries(entries []modelEntry) (all []any) {
	all = []any{}
	for _, e := range entries {
		all = append(all, object{"content": e.Content, "status": e.Status, "priority": e.Priority})
	}
	return all
}
