package view

import (
	"fmt"
	"slices"

	"acpshim/internal/chain/acp"
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
	case acp.ToolCall, acp.ToolCallUpdate:
		_, state := v.toolCall(m)
		return state.String()
	case acp.CurrentModeUpdate:
		return text(update, "currentModeId", "modeId")
	case acp.AvailableCommandsUpdate:
		return counted(update.Raw("availableCommands"), "command")
	case acp.ConfigOptionUpdate:
		return counted(update.Raw("configOptions"), "option")
	case acp.SessionInfoUpdate:
		return text(update, "title")
	case acp.UsageUpdate:
		return joined(" of ", raw(update.Raw("used")), raw(update.Raw("size")))
	}
	return raw(m.JSON[update.Start:update.End])
}

// request describes the params of a method.
func request(method string, params *wire.Object, all []byte) string {
	switch method {
	case acp.Initialize:
		return handshake(params, "clientInfo")
	case acp.SessionNew, acp.SessionLoad, acp.SessionResume, acp.SessionFork:
		return joined(", ", text(params, "cwd"), counted(params.Raw("mcpServers"), "MCP server"))
	case acp.SessionPrompt:
		return blocks(params.Raw("prompt"))
	case acp.SessionRequestPermission:
		return joined(": ", text(params.Open("toolCall"), "title", "toolCallId"), counted(params.Raw("options"), "option"))
	case acp.FSWriteTextFile:
		return joined(", ", text(params, "path"), length(params, "content"))
	case acp.FSReadTextFile:
		return joined(" ", text(params, "path"), raw(params.Raw("line")))
	case acp.TerminalCreate:
		elements, _ := wire.Elements(params.Raw("args"))
		words := text(params, "command")
		for _, e := range elements[:min(len(elements), 20)] {
			arg, _ := wire.Text(e)
			words += " " + arg
		}
		return terminal.Plain(words, maxText)
	case acp.SessionSetMode, acp.SessionSetModel, acp.SessionSetConfigOption, acp.Authenticate, acp.CancelRequest,
		acp.TerminalOutput, acp.TerminalWaitForExit, acp.TerminalKill, acp.TerminalRelease, acp.SessionCancel:
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
	case acp.Initialize:
		return handshake(result, "agentInfo")
	case acp.SessionNew, acp.SessionFork:
		return text(result, "sessionId")
	case acp.SessionPrompt:
		return text(result, "stopReason")
	case acp.SessionRequestPermission:
		if o := chosen(m.Request, m); o.Name != "" {
			return joined(" ", text(result.Open("outcome"), "outcome"), fmt.Sprintf("%q", o.Name), o.Kind)
		}
		return joined(" ", text(result.Open("outcome"), "outcome"), text(result.Open("outcome"), "optionId"))
	case acp.FSReadTextFile:
		return length(result, "content")
	case acp.TerminalCreate:
		return text(result, "terminalId")
	case acp.TerminalOutput:
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
