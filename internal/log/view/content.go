package view

import (
	"fmt"
	"slices"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
	"acpshim/translate"
)

// maxText is how wide a text is, in columns.
const maxText = 300

var opened = append(slices.Clone(translate.Paths),
	"params.update.content", "params.toolCall", "params.clientInfo", "params._meta",
	"result", "result.agentInfo", "result.outcome", "result.exitStatus", "error")

// parsed opens the objects of a message that texts are from; nil if it cannot be read.
func parsed(m *history.Message) *wire.Object {
	if msg, err := wire.Parse(m.JSON, opened...); err == nil {
		return msg
	}
	return nil
}

// content describes a message in a few words.
func (v *View) content(m *history.Message) string {
	msg := parsed(m)
	switch {
	case m.Kind == history.Other || msg == nil:
		return unread(m)
	case m.Kind == history.Response:
		return response(m, msg)
	case m.Update != "":
		return v.update(m, msg.Open("params").Open("update"))
	}
	return request(m.Method, msg.Open("params"), msg.Raw("params"))
}

// update describes a session update. The update of a plan is described by the plan.
func (v *View) update(m *history.Message, update *wire.Object) string {
	switch m.Update {
	case "tool_call", "tool_call_update":
		_, state := v.toolCall(m)
		return state.String()
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

// request describes the params of a method.
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
		words := text(params, "command")
		for _, e := range elements[:min(len(elements), 20)] {
			arg, _ := wire.Text(e)
			words += " " + arg
		}
		return terminal.Plain(words, maxText)
	case "session/set_mode", "session/set_model", "session/set_config_option", "authenticate", "$/cancel_request",
		"terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release", "session/cancel":
		return joined(" ", text(params, "modeId", "modelId", "configId", "methodId", "terminalId"), text(params, "value"), raw(params.Raw("requestId")))
	}
	return raw(all)
}

// response describes a response: to which request, after how long, and the result or the error.
func response(m *history.Message, msg *wire.Object) string {
	to := "to an unknown request"
	if r := m.Request; r != nil {
		to = fmt.Sprintf("to %s after %s", named(r), terminal.Duration(m.Mono-r.Mono))
	}
	if m.Failed {
		return to + ": " + joined(" ", "error", errorText(m))
	}
	return joined(": ", to, result(m, msg.Open("result"), msg.Raw("result")))
}

// named names a request by its number, and acpshim's own one also by the request that it is for.
func named(r *history.Message) string {
	switch {
	case !r.IsOwn():
		return fmt.Sprintf("#%d", r.Seq)
	case r.For == nil:
		return fmt.Sprintf("acpshim's own request #%d", r.Seq)
	}
	return fmt.Sprintf("acpshim's own request #%d (for #%d)", r.Seq, r.For.Seq)
}

// result describes the result in a response.
func result(m *history.Message, result *wire.Object, all []byte) string {
	switch m.Method {
	case "initialize":
		return handshake(result, "agentInfo")
	case "session/new", "session/fork":
		return text(result, "sessionId")
	case "session/prompt":
		return text(result, "stopReason")
	case "session/request_permission":
		if o := chosen(m.Request, m); o.Name != "" {
			return joined(" ", text(result.Open("outcome"), "outcome"), fmt.Sprintf("%q", o.Name), o.Kind)
		}
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

// errorText is the error of a response; "" for any other message, and for none.
func errorText(m *history.Message) string {
	if m == nil || !m.Failed {
		return ""
	}
	e := parsed(m).Open("error")
	return joined(" ", joined(": ", raw(e.Raw("code")), text(e, "message")), raw(e.Raw("data")))
}

// promptText is the beginning of a prompt, on one line.
func promptText(m *history.Message) string { return blocks(parsed(m).Open("params").Raw("prompt")) }
