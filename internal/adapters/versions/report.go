package versions

import (
	"encoding/base64"
	"slices"
	"strconv"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// A reportedTerminal is a terminal of an agent of version 1. The agent reports it in the _meta of
// a tool call, if the client announces support for that. Version 2 has updates for it.
type reportedTerminal struct {
	id       string
	call     string // the tool call that began it
	command  string
	sentText // the output that the client got
}

// terminalReports are the members of _meta that report a terminal.
var terminalReports = []string{"terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"}

// terminal returns the updates of the terminal that a tool call reports. Left is the tool call
// without the report, or nil if it has nothing else. Appends says that terminal_output only has
// new output.
func (s *clientSession) terminal(call *wire.Object, raw []byte, appends bool) (updates [][]byte, left []byte) {
	meta := open(call.Raw("_meta"), terminalReports...)
	id, _ := call.Text("toolCallId")
	var of *reportedTerminal
	for _, name := range terminalReports {
		if report := meta.Open(name); report != nil {
			terminal, ok := report.Text("terminal_id")
			of = s.shownIn(terminal, id, ok && name == "terminal_info")
			break
		}
	}
	if of == nil {
		if of = s.shownIn("", id, false); of == nil {
			return nil, raw
		}
	}
	to := object(nil).text("sessionUpdate", acp.TerminalUpdate).text("terminalId", of.id)
	isNews := meta.Open("terminal_info") != nil
	to = to.with("cwd", present(meta.Open("terminal_info").Raw("cwd")))
	if command, ok := open(call.Raw("rawInput")).Text("command"); ok && command != of.command && len(command) <= maxCommand {
		of.command, isNews = command, true
		to = to.text("command", command)
	}
	var chunk string
	if output, ok := meta.Open("terminal_output").Text("data"); ok && appends {
		chunk = output
	} else if ok && of.isBeginningOf(output) {
		chunk = output[of.length:]
	} else if ok {
		of.sentText, isNews = sentText{}, true
		of.add(output)
		to = to.with("output", object(nil).text("data", base64.StdEncoding.EncodeToString([]byte(output))).json())
	}
	more, _ := meta.Open("terminal_output_delta").Text("data")
	chunk += more
	of.add(chunk)
	if exit := meta.Open("terminal_exit"); exit != nil {
		isNews = true
		status := object(nil).with("exitCode", status(exit.Raw("exit_code"))).with("signal", present(exit.Raw("signal")))
		to = to.with("exitStatus", status.json())
	}
	if isNews && meta.Open("terminal_info") != nil { // before its output
		updates = append(updates, to.json())
	}
	if chunk != "" {
		data := base64.StdEncoding.EncodeToString([]byte(chunk))
		updates = append(updates, object(nil).text("sessionUpdate", acp.TerminalOutputChunk).text("terminalId", of.id).text("data", data).json())
	}
	if isNews && meta.Open("terminal_info") == nil {
		updates = append(updates, to.json())
	}
	return updates, withoutReport(call, raw)
}

// shownIn returns the terminal with an id, or the last one of a tool call if the id is "". It adds
// the terminal if it begins now, and else returns nil if there is none.
func (s *clientSession) shownIn(terminal, call string, begins bool) *reportedTerminal {
	if begins && terminal != "" && len(terminal) <= maxID && len(call) <= maxID {
		s.terminals = slices.DeleteFunc(s.terminals, func(of *reportedTerminal) bool { return of.id == terminal })
		if len(s.terminals) == maxTerminals {
			s.terminals = slices.Delete(s.terminals, 0, 1)
		}
		s.terminals = append(s.terminals, &reportedTerminal{id: terminal, call: call})
	}
	for _, of := range slices.Backward(s.terminals) {
		if of.id == terminal || terminal == "" && of.call == call {
			return of
		}
	}
	return nil
}

// status returns an exit status, or nil if it is not a whole number.
func status(raw []byte) []byte {
	if _, err := strconv.Atoi(string(raw)); err != nil {
		return nil
	}
	return raw
}

// withoutReport removes the report of a terminal from a tool call. It returns nil if nothing else
// is left.
func withoutReport(call *wire.Object, raw []byte) []byte {
	left := raw
	for _, name := range terminalReports {
		left = wire.Without(left, "_meta", name)
	}
	o := open(left, "_meta")
	if meta := o.Open("_meta"); meta != nil && len(meta.Members) == 0 && len(left) < len(raw) {
		left = wire.Without(left, "_meta")
	}
	if o == nil || textOf(o, "sessionUpdate") == acp.ToolCall {
		return left
	}
	for _, m := range o.Members {
		if m.Name != "sessionUpdate" && m.Name != "toolCallId" && m.Name != "_meta" {
			return left
		}
	}
	if meta := o.Open("_meta"); meta != nil && len(meta.Members) > 0 && len(left) == len(raw) {
		return left
	}
	return nil
}

func (s *clientSession) has(terminal string) bool {
	return slices.ContainsFunc(s.terminals, func(of *reportedTerminal) bool { return of.id == terminal })
}
