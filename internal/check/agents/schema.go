package agents

import (
	"regexp"
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/log/validate"
	"acpshim/internal/record/history"
)

// schema judges the agent's messages by the schema of its version.
func (p *process) schema(h *history.History) {
	report := validate.Check(h)
	broken := map[uint64]bool{}
	messages := map[uint64]*history.Message{}
	for _, m := range h.Messages {
		messages[m.Seq] = m
	}
	for _, f := range report.Findings {
		m := messages[f.Seq]
		rule := ruleOf(f)
		if f.From != wire.Agent || rule == "" || m == nil {
			continue
		}
		broken[f.Seq] = true
		got := say(seq(f.Seq), " ", name(f), " ", place(f.Pointer), f.Text)
		if p.isNullResult(m) && m.Session == noSession {
			continue // that it is a result is what is wrong
		}
		if p.isNullResult(m) {
			p.fail(rule, fault{got: say(seq(f.Seq), " ", name(f), " result null"), text: "results are objects; the protocol once showed null here", isAdvice: true})
			continue
		}
		p.fail(rule, fault{got: got, text: hint(f)})
	}
	p.rootFields(h, broken)
}

// isNullResult reports whether a message is a response with null in place of an object without
// required members.
func (p *process) isNullResult(m *history.Message) bool {
	if m.Kind != history.Response {
		return false
	}
	o, _ := wire.Parse(m.JSON)
	switch m.Method {
	case acp.SessionLoad, acp.SessionResume, acp.SessionClose, acp.SessionDelete, acp.SessionSetMode:
		return string(o.Raw("result")) == "null"
	}
	return false
}

// ruleOf returns the rule that a message broke, or "" if another judge knows better.
func ruleOf(f validate.Finding) string {
	isUnknownKind := f.Note && f.Pointer == "/params/update/sessionUpdate" && strings.HasPrefix(f.Text, "unknown value")
	isEnvelope := f.Pointer == "" && strings.Contains(f.Text, "jsonrpc") || f.Pointer == "/jsonrpc" || f.Pointer == "/method" || f.Pointer == "/id" && strings.HasPrefix(f.Text, "want")
	switch {
	case f.Note && !isUnknownKind, isEnvelope, strings.HasPrefix(f.Pointer, "/error"), f.Kind == history.Other:
		return ""
	case f.Kind == history.Response:
		return ruleOfResult(f)
	case f.Name == acp.SessionRequestPermission:
		return "permission"
	case f.Name == acp.Plan, f.Name == acp.PlanUpdate, f.Name == acp.PlanRemoved:
		return "plan"
	case f.Name == acp.ToolCall, f.Name == acp.ToolCallUpdate:
		return "tool-calls"
	case f.Kind == history.Request:
		return "client-capabilities"
	}
	return "updates"
}

// ruleOfResult is ruleOf for a response.
func ruleOfResult(f validate.Finding) string {
	within := func(name string) bool { return strings.HasPrefix(f.Pointer+"/", "/result/"+name+"/") }
	switch {
	case f.Name == acp.Initialize && (within("protocolVersion") || within("agentInfo") || within("info")):
		return "" // described says it
	case f.Name == acp.Initialize && (within(acp.AgentCapabilities) || within("capabilities")):
		return "capabilities"
	case f.Name == acp.Initialize && within("authMethods"):
		return "auth"
	case within("modes"):
		return "modes"
	case within("configOptions"):
		return "config-options"
	}
	return map[string]string{
		acp.Initialize: "initialize", acp.SessionNew: "session-new", acp.SessionLoad: "session-load", acp.SessionResume: "session-resume",
		acp.SessionList: "session-list", acp.SessionClose: "session-close", acp.SessionDelete: "session-delete",
		acp.SessionSetMode: "modes", acp.SessionSetConfigOption: "config-options", acp.SessionPrompt: "prompt",
	}[f.Name]
}

// name returns the name of a message in a finding: an update, or what it responds to.
func name(f validate.Finding) string {
	if f.Kind == history.Response {
		return "response to " + f.Name
	}
	return f.Name
}

var index = regexp.MustCompile(`\.(\d+)`)

// place returns a JSON pointer as programmers write it, such as `entries[0].priority: `.
func place(pointer string) string {
	path, _ := wire.ParsePointer(pointer)
	for _, around := range []string{"params", "update", "result"} {
		if len(path) > 0 && path[0] == around {
			path = path[1:]
		}
	}
	if len(path) == 0 {
		return ""
	}
	return index.ReplaceAllString(strings.Join(path, "."), "[$1]") + ": "
}

// hint says more about some findings.
func hint(f validate.Finding) string {
	if f.Name == acp.CurrentModeUpdate && strings.Contains(f.Text, "currentModeId") {
		return "the schema has currentModeId; an example of the protocol once had modeId"
	}
	return ""
}

// isPlanID reports whether a member names a plan in a spelling that some schemas do not have.
// Clients read both, and acpshim writes both.
func isPlanID(f validate.Finding) bool {
	isPlan := f.Name == acp.PlanUpdate || f.Name == acp.PlanRemoved
	return isPlan && slices.Contains([]string{"/params/update/plan/planId", "/params/update/plan/id", "/params/update/planId", "/params/update/id"}, f.Pointer)
}

// rootFields judges whether messages have members that no schema names. In those that are broken,
// they may be the reason for that. The models of a session are not the agent's own: unstable
// schemas had them, clients read them, and acpshim adds them.
func (p *process) rootFields(h *history.History, broken map[uint64]bool) {
	p.tried("root-fields")
	seen := map[string]bool{}
	for _, f := range validate.Unnamed(h, wire.Agent) {
		where := index.ReplaceAllString(place(f.Pointer), "[]")
		wasNamed := f.Kind == history.Response && f.Pointer == "/result/models"
		if seen[f.Name+where] || broken[f.Seq] || wasNamed || isPlanID(f) {
			continue
		}
		seen[f.Name+where] = true
		p.fail("root-fields", fault{got: say(seq(f.Seq), " ", name(f), " with ", strings.TrimSuffix(place(f.Pointer), ": ")), text: "members of your own belong in _meta; the schema does not name this one"})
	}
}
