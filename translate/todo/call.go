package todo

import (
	"slices"
	"strings"

	"acpshim/internal/wire"
	"acpshim/translate/entry"
)

// A call is what is known of one tool call.
type call struct {
	tool     *Tool  // nil while it is not recognised
	looks    int    // messages that were looked at without recognising it
	ignored  bool   // it is no todo tool's
	subagent bool   // it is a subagent's
	status   string // as it was given last
	read     bool   // a change was found in it
	rank     int    // where: see change; -1 if it was in a message of another method
	emptied  int    // one more than the clock when it was called with an empty list
}

// maxLooks bounds the messages of a call that are looked at until it is taken for no todo
// tool's.
const maxLooks = 4

// parents are where agents name the call that a subagent's message belongs to:
// claude-agent-acp, qwen-code, and forks that leave out the agent's name.
var parents = []wire.Pointer{
	{"_meta", "claudeCode", "parentToolUseId"},
	{"_meta", "parentToolCallId"},
	{"_meta", "parentToolUseId"},
}

// failures are where the result of a call that is completed by its status says that it failed.
var failures = []wire.Pointer{{"rawOutput", "error"}, {"rawOutput", "isError"}}

// update takes in what a message says of the call itself.
func (c *call) update(tools []*Tool, message *wire.Object) {
	c.subagent = c.subagent || holdsAny(message, parents)
	if status, ok := message.Text("status"); ok {
		c.status = status
	}
	if c.tool == nil && !c.ignored {
		c.recognise(tools, message)
	}
}

// recognise looks for the tool of a call. It gives up when the call has named its tool, or
// its title and its input, or has been looked at often enough: what follows can be megabytes
// of output.
func (c *call) recognise(tools []*Tool, message *wire.Object) {
	title, _ := message.Text("title")
	c.looks++
	c.ignored = c.looks == maxLooks || title != "" && holds(message.Raw("rawInput"))
	for _, tool := range tools {
		if tool.Method() != SessionUpdate {
			continue
		}
		is, named := tool.recognises(message, title)
		if is {
			c.tool, c.ignored = tool, false
			return
		}
		c.ignored = c.ignored || named
	}
}

// completed reports whether the call has ended well, as far as its status says.
func (c *call) completed() bool { return c.status == string(entry.Completed) }

// failed reports whether the call did nothing: failed is the protocol's status, the others
// are what agents send in its place.
func (c *call) failed() bool {
	return c.status == "failed" || c.status == "cancelled" || c.status == "rejected"
}

// ended reports whether a new call may use the id.
func (c *call) ended() bool { return c.ignored || c.subagent || c.completed() || c.failed() }

// holdsAny reports whether a message holds something at one of the places.
func holdsAny(message *wire.Object, places []wire.Pointer) bool {
	return slices.ContainsFunc(places, func(p wire.Pointer) bool { return holds(value(message, p)) })
}

// holds reports whether a raw value is there and not null, false or empty.
func holds(raw []byte) bool {
	text := strings.Trim(string(raw[:min(len(raw), 64)]), " \t\r\n{}[]\"")
	return text != "" && text != "null" && text != "false"
}
