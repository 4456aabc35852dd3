package view

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/terminal"
	"acpshim/internal/wire"
	"acpshim/translate"
)

// maxText is how much of a text a summary has, in columns.
const maxText = 300

var opened = append(slices.Clone(translate.Paths),
	"params.update.content", "params.toolCall", "params.clientInfo", "params._meta",
	"result", "result.agentInfo", "result.outcome", "result.exitStatus", "error")

// summary says in a few words what a message is about.
func (v *View) summary(m *history.Message) string {
	msg, err := wire.Parse(m.JSON, opened...)
	if m.Kind == history.Other || err != nil {
		return unread(m)
	}
	switch m.Kind {
	case history.Response:
		return response(m, msg)
	case history.Notification, history.Request:
		params := msg.Open("params")
		if m.Update != "" {
			return v.update(m, params.Open("update"))
		}
		return request(m.Method, params, msg.Raw("params"))
	}
	return ""
}

// unread is what can be said of a line that is not a message.
func unread(m *history.Message) string {
	if m.Message.Line == nil {
		return fmt.Sprintf("a line of %s, too long to be kept: %s", Size(m.Message.Len), terminal.Plain(string(m.Message.Head), maxText))
	}
	what := "no message: "
	switch {
	case len(bytes.TrimSpace(m.Message.Line)) == 0:
		return "an empty line"
	case m.Ambiguous:
		what = "ambiguous, a name stands twice: "
	}
	return what + terminal.Plain(string(m.Message.Line[:min(len(m.Message.Line), 4*maxText)]), maxText)
}

// joined are the parts that are not empty.
func joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), separator)
}

// text is the first of some members that is a text and not empty, on one line.
func text(o *wire.Object, names ...string) string {
	for _, name := range names {
		if s, ok := o.Text(name); ok && s != "" {
			return terminal.Plain(s, maxText)
		}
	}
	return ""
}

// raw is a value as it stands there.
func raw(value []byte) string {
	return terminal.Plain(string(value[:min(len(value), 4*maxText)]), maxText)
}

// counted is how many elements a list has; "" for none.
func counted(list []byte, what string) string {
	elements, _ := wire.Elements(list)
	if len(elements) == 0 {
		return ""
	}
	return terminal.Count(len(elements), what, what+"s")
}

// blocks is the text of content blocks.
func blocks(list []byte) string {
	elements, _ := wire.Elements(list)
	var texts []string
	for _, e := range elements[:min(len(elements), 20)] {
		block, err := wire.Parse(e)
		if err != nil {
			continue
		}
		kind := text(block, "type")
		if words := text(block, "text", "uri", "name"); kind == "text" {
			texts = append(texts, words)
		} else {
			texts = append(texts, "["+joined(" ", kind, words)+"]")
		}
	}
	return terminal.Plain(strings.Join(texts, " "), maxText)
}

// request says what the params of a method ask for.
func request(method string, params *wire.Object, all []byte) string {
	switch method {
	case "initialize":
		return handshake(params, "clientInfo")
	case "session/new", "session/load", "session/resume", "session/fork":
		return joined(", ", text(params, "cwd"), counted(params.Raw("mcpServers"), "MCP server"))
	case "session/prompt":
		return blocks(params.Raw("prompt"))
	case "session/request_permission":
		return joined(": ", text(params.Open("toolCall"), "title", "toolCallId"), counted(params.Raw("options"), "option"))
	case "fs/write_text_file":
		return joined(", ", text(params, "path"), length(params, "content"))
	case "fs/read_text_file":
		return joined(" ", text(params, "path"), raw(params.Raw("line")))
	case "terminal/create":
		elements, _ := wire.Elements(params.Raw("args"))
		words := []string{text(params, "command")}
		for _, e := range elements[:min(len(elements), 20)] {
			arg, _ := wire.Text(e)
			words = append(words, arg)
		}
		return terminal.Plain(strings.Join(words, " "), maxText)
	case "session/set_mode", "session/set_model", "session/set_config_option", "authenticate", "$/cancel_request",
		"terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release", "session/cancel":
		return joined(" ", text(params, "modeId", "modelId", "configId", "methodId", "terminalId"), text(params, "value"), raw(params.Raw("requestId")))
	}
	return raw(all)
}

// response says to what, after how long, and what.
func response(m *history.Message, msg *wire.Object) string {
	to := "to no known request"
	if r := m.Request; r != nil {
		to = fmt.Sprintf("to %s after %s", named(r), Duration(m.Mono-r.Mono))
	}
	if m.Failed {
		return to + ": " + joined(" ", "error", failure(msg.Open("error")))
	}
	return joined(": ", to, result(m.Method, msg.Open("result"), msg.Raw("result")))
}

// named is how texts name a request: by its number, and acpshim's own one also by what it asked
// for.
func named(r *history.Message) string {
	switch {
	case !r.IsOwn():
		return fmt.Sprint(r.Seq)
	case r.For == nil:
		return fmt.Sprintf("acpshim's own request #%d", r.Seq)
	}
	return fmt.Sprintf("acpshim's own request #%d, which asked for #%d,", r.Seq, r.For.Seq)
}

// Error is what a response that is an error says; "" for any other message.
func Error(m *history.Message) string {
	msg, err := wire.Parse(m.JSON, opened...)
	if err != nil || !m.Failed {
		return ""
	}
	return failure(msg.Open("error"))
}

func failure(of *wire.Object) string {
	return joined(" ", joined(": ", raw(of.Raw("code")), text(of, "message")), raw(of.Raw("data")))
}

// Prompt is the beginning of what a prompt says, on one line.
func Prompt(m *history.Message) string {
	msg, err := wire.Parse(m.JSON, opened...)
	if err != nil {
		return ""
	}
	return blocks(msg.Open("params").Raw("prompt"))
}

// result says what the result of a method is.
func result(method string, result *wire.Object, all []byte) string {
	switch method {
	case "initialize":
		return handshake(result, "agentInfo")
	case "session/new", "session/fork":
		return text(result, "sessionId")
	case "session/prompt":
		return text(result, "stopReason")
	case "session/request_permission":
		return joined(" ", text(result.Open("outcome"), "outcome"), text(result.Open("outcome"), "optionId"))
	case "fs/read_text_file":
		return length(result, "content")
	case "terminal/create":
		return text(result, "terminalId")
	case "terminal/output":
		exit := ""
		if status := result.Open("exitStatus"); status != nil {
			exit = joined(" ", "exit", raw(status.Raw("exitCode")))
		}
		return joined(", ", length(result, "output"), exit)
	}
	return raw(all)
}

// handshake is who speaks, and which version of the protocol.
func handshake(o *wire.Object, info string) string {
	return joined(", ", joined(" ", text(o.Open(info), "name"), text(o.Open(info), "version")),
		joined(" ", "protocol", raw(o.Raw("protocolVersion"))))
}

// length is the size of a text.
func length(o *wire.Object, name string) string {
	content, _ := o.Text(name)
	return Size(int64(len(content)))
}

// update says in a few words what a session update is about.
func (v *View) update(m *history.Message, update *wire.Object) string {
	switch m.Update {
	case "tool_call", "tool_call_update":
		_, said := v.toolCall(m)
		return said.String()
	case "plan", "plan_update", "plan_removed":
		return "" // the plan's own part says it
	case "current_mode_update":
		return text(update, "currentModeId", "modeId")
	case "available_commands_update":
		return counted(update.Raw("availableCommands"), "command")
	case "config_option_update":
		return counted(update.Raw("configOptions"), "option")
	case "session_info_update":
		return text(update, "title")
	case "usage_update":
		return joined(" of ", raw(update.Raw("used")), raw(update.Raw("size")))
	}
	return raw(m.JSON[update.Start:update.End])
}

// Duration writes a time in milliseconds, or in seconds with three digits.
func Duration(d time.Duration) string {
	if d > -time.Second && d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.3f s", d.Seconds())
}

// Size writes a number of bytes for a person.
func Size(bytes int64) string {
	n, unit := float64(bytes), 0
	for n >= 999.5 && unit < 4 {
		n /= 1000
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.1f %cB", n, " kMGT"[unit])
}
