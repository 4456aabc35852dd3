package lint

import (
	"maps"
	"slices"
	"strings"

	"acpshim/filters/rule"

	"github.com/agnivade/levenshtein"
)

// otherMethods are methods in the schemas of the protocol that are not in [rule.Methods]: unstable
// ones, those of version 2, and those for proxies.
var otherMethods = []string{
	"auth/login", "auth/logout", "auth/status", "auth/status_update", "mcp/message",
	"providers/disable", "providers/list", "providers/set", "proxy/initialize", "proxy/successor",
	"session/archive", "session/options", "session/set_title", "session/status", "session/unarchive",
	"terminal/cancel", "tool_call/cancel",
}

// updates are the kinds of session update in the schemas of the protocol.
var updates = []string{
	"user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update",
	"plan", "plan_update", "plan_removed", "available_commands_update", "current_mode_update",
	"config_option_update", "session_info_update", "usage_update", "notice",
	"compaction_update", "compaction_summary_chunk", "subagent_update", "session_message", "session_message_chunk",
	"user_message", "agent_message", "agent_thought", "state_update", "tool_call_content_chunk",
	"terminal_update", "terminal_output_chunk", "replay_complete", "prompt_suggestions_update", "cursor_update",
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

// misspelled returns the name that a text is similar to. It returns "" if there is none, or if the
// text is one of the names.
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
