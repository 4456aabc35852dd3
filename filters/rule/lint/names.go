package lint

import (
	"maps"
	"slices"
	"strings"

	"acpshim/filters/rule"
	"acpshim/internal/chain/acp"

	"github.com/agnivade/levenshtein"
)

// otherMethods are methods in the schemas of the protocol that are not in [rule.Methods]: unstable
// ones, those of version 2, and those for proxies.
var otherMethods = []string{
	acp.AuthLogin, acp.AuthLogout, acp.AuthStatus, acp.AuthStatusUpdate, acp.MCPMessage,
	acp.ProvidersDisable, acp.ProvidersList, acp.ProvidersSet, acp.ProxyInitialize, acp.ProxySuccessor,
	acp.SessionArchive, acp.SessionOptions, acp.SessionSetTitle, acp.SessionStatus, acp.SessionUnarchive,
	acp.TerminalCancel, acp.ToolCallCancel,
}

// updates are the kinds of session update in the schemas of the protocol.
var updates = []string{
	acp.UserMessageChunk, acp.AgentMessageChunk, acp.AgentThoughtChunk, acp.ToolCall, acp.ToolCallUpdate,
	acp.Plan, acp.PlanUpdate, acp.PlanRemoved, acp.AvailableCommandsUpdate, acp.CurrentModeUpdate,
	acp.ConfigOptionUpdate, acp.SessionInfoUpdate, acp.UsageUpdate, acp.Notice,
	acp.CompactionUpdate, acp.CompactionSummaryChunk, acp.SubagentUpdate, acp.SessionMessage, acp.SessionMessageChunk,
	acp.UserMessage, acp.AgentMessage, acp.AgentThought, acp.StateUpdate, acp.ToolCallContentChunk,
	acp.TerminalUpdate, acp.TerminalOutputChunk, acp.ReplayComplete, acp.PromptSuggestionsUpdate, acp.CursorUpdate,
}

// checkSpelling warns of names that are similar to names of the protocol. Other names are not
// mistakes: agents and clients have methods of their own.
func (l *linter) checkSpelling() {
	methods := slices.Concat(otherMethods, slices.Sorted(maps.Keys(rule.Methods)))
	for _, t := range []struct {
		key     string
		pattern pattern
		known   []string
	}{{"method", l.method, methods}, {"response_to", l.responseTo, methods}, {"update", l.update, updates}} {
		for _, text := range t.pattern.glob.Texts() {
			if _, known := rule.Methods[text]; known || strings.HasPrefix(text, "_") {
				continue
			}
			if near := misspelled(text, t.known); near != "" {
				l.warn(t.key, "", "the protocol has no %q: did you mean %q?", text, near)
			}
		}
	}
}

// misspelled returns the name that a text is similar to. It returns "" if no name is similar, or if
// the text is one of the names.
func misspelled(text string, names []string) string {
	if slices.Contains(names, text) {
		return ""
	}
	for _, name := range names {
		if strings.HasPrefix(name, text+"_") || strings.HasPrefix(text, name+"_") {
			return name
		}
		most := min(2, len(name)/4)
		if difference := len(text) - len(name); -most <= difference && difference <= most &&
			levenshtein.ComputeDistance(strings.ToLower(text), name) <= most {
			return name
		}
	}
	return ""
}
