package todo

import (
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/translate/entry"
)

// A call is the state of one tool call.
type call struct {
	tool     *Tool  // nil if it is not recognised
	looks    int    // messages that did not show the tool
	ignored  bool   // it is not a call of a todo tool
	subagent bool   // a subagent made it
	status   string // the last status
	read     bool   // it had a change of the list
	rank     int    // the rank of that change; -1 for a message of the tool's own method
	emptied  int    // one more than the clock when it began with an empty list
}

// maxLooks is how many messages of a call are read before the call is ignored.
const maxLooks = 4

// parents are the places where agents name the call of a subagent: claude-agent-acp, qwen-code,
// and forks that omit the agent's name.
var parents = []wire.Pointer{
	{"_meta", "claudeCode", "parentToolUseId"},
	{"_meta", "parentToolCallId"},
	{"_meta", "parentToolUseId"},
}

// failures are the places where the result of a completed call says that it failed.
var failures = []wire.Pointer{{"rawOutput", "error"}, {"rawOutput", "isError"}}

func (c *call) update(tools []*Tool, message *wire.Object) {
	c.subagent = c.subagent || holdsAny(message, parents)
	if status, ok := message.Text("status"); ok {
		c.status = status
	}
	if c.tool == nil && !c.ignored {
		c.recognise(tools, message)
	}
}

// recognise looks for the tool of a call. It ignores a call with an unknown tool, a call with an
// unknown title and an input, and a call after maxLooks messages, because later messages can have
// megabytes of output.
func (c *call) recognise(tools []*Tool, message *wire.Object) {
	title, _ := message.Text("title")
	c.looks++
	c.ignored = c.looks == maxLooks || title != "" && holds(message.Raw("rawInput"))
	for _, tool := range tools {
		if tool.Method() != acp.SessionUpdate {
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

func (c *call) completed() bool { return c.status == string(entry.Completed) }

// failed reports whether the status says that the call did nothing. Only "failed" is a status of
// the protocol, but agents send the others, too.
func (c *call) failed() bool {
	return c.status == acp.StatusFailed || c.status == acp.StatusCancelled || c.status == "rejected"
}

// ended reports whether a new call can use the id.
func (c *call) ended() bool { return c.ignored || c.subagent || c.completed() || c.failed() }

func holdsAny(message *wire.Object, places []wire.Pointer) bool {
	return slices.ContainsFunc(places, func(p wire.Pointer) bool { return holds(value(message, p)) })
}

// holds reports whether a raw value is not missing, null, false or empty.
func holds(raw []byte) bool {
	text := strings.Trim(string(raw[:min(len(raw), 64)]), " \t\r\n{}[]\"")
	return text != "" && text != "null" && text != "false"
}
