package rule

import (
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// A method is what the protocol says of one.
type method struct {
	from    Side
	request bool
}

// methods are those of the protocol's stable part, and of what agents and
// clients have sent for long. There are others: that one is not here says
// nothing of it.
var methods = map[string]method{
	"initialize":                 {Client, true},
	"authenticate":               {Client, true},
	"logout":                     {Client, true},
	"session/new":                {Client, true},
	"session/load":               {Client, true},
	"session/resume":             {Client, true},
	"session/fork":               {Client, true},
	"session/list":               {Client, true},
	"session/close":              {Client, true},
	"session/delete":             {Client, true},
	"session/set_mode":           {Client, true},
	"session/set_model":          {Client, true},
	"session/set_config_option":  {Client, true},
	"session/prompt":             {Client, true},
	"session/cancel":             {Client, false},
	"session/update":             {Agent, false},
	"session/request_permission": {Agent, true},
	"fs/read_text_file":          {Agent, true},
	"fs/write_text_file":         {Agent, true},
	"terminal/create":            {Agent, true},
	"terminal/output":            {Agent, true},
	"terminal/release":           {Agent, true},
	"terminal/wait_for_exit":     {Agent, true},
	"terminal/kill":              {Agent, true},
	"elicitation/create":         {Agent, true},
	"elicitation/complete":       {Agent, false},
	"$/cancel_request":           {Both, false},
}

// only returns the one method that a pattern matches, if it is known.
func (p *pattern) only() (method, bool) {
	if p == nil || len(p.texts) != 1 {
		return method{}, false
	}
	m, ok := methods[p.texts[0]]
	return m, ok
}

// otherMethods are what the schemas of the protocol have besides: in their unstable
// part, in version 2, and for proxies.
var otherMethods = []string{
	"auth/login", "auth/logout", "auth/status", "auth/status_update", "mcp/message",
	"providers/disable", "providers/list", "providers/set", "proxy/initialize", "proxy/successor",
	"session/archive", "session/set_title", "session/status", "session/unarchive",
	"terminal/cancel", "tool_call/cancel",
}

// updates are the kinds of updates that the schemas of the protocol have.
var updates = []string{
	"user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update",
	"plan", "plan_update", "plan_removed", "available_commands_update", "current_mode_update",
	"config_option_update", "session_info_update", "usage_update", "notice",
	"compaction_update", "compaction_summary_chunk", "subagent_update", "session_message", "session_message_chunk",
	"user_message", "agent_message", "agent_thought", "state_update", "tool_call_content_chunk",
	"terminal_update", "terminal_output_chunk",
}

// checkSpelling warns of names that are nearly those of the protocol. Others are no
// mistake: agents and clients have names of their own.
func (c *compiler) checkSpelling() {
	r := c.rule
	for _, t := range []struct {
		key     string
		pattern *pattern
		known   func() []string
	}{{"method", r.method, allMethods}, {"response_to", r.responseTo, allMethods}, {"update", r.update, allUpdates}} {
		if t.pattern == nil {
			continue
		}
		for _, text := range t.pattern.texts {
			if _, known := methods[text]; known || strings.HasPrefix(text, "_") {
				continue
			}
			if near := misspelled(text, t.known()); near != "" {
				c.warn(t.key, "the protocol has no %q: did you mean %q?", text, near)
			}
		}
	}
}

func allMethods() []string { return slices.Concat(otherMethods, slices.Sorted(maps.Keys(methods))) }

func allUpdates() []string { return updates }

// misspelled returns the one of the names that a text is nearly, or "".
func misspelled(text string, names []string) string {
	if slices.Contains(names, text) {
		return ""
	}
	for _, name := range names {
		most := min(2, len(name)/4)
		if difference := len(text) - len(name); -most <= difference && difference <= most &&
			levenshtein.ComputeDistance(strings.ToLower(text), name) <= most {
			return name
		}
	}
	return ""
}
