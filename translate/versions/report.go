package versions

import (
	"encoding/base64"
	"strings"

	"acpshim/internal/wire"
)

// A shown is a terminal of an agent of version 1, which reports it among the _meta of a tool call
// to clients that announce that they want it. Version 2 has updates for it.
type shown struct {
	id      string
	command string
	length  int    // of the output that the client got
	sum     uint64 // of that
}

// reported are the members of _meta that report a terminal.
var reported = []string{"terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"}

// terminal returns the updates of the terminal that a tool call reports, and the tool call without
// that; nil if nothing else is in it. Appends says that the agent reports output piece by piece,
// always.
func (s *clientSession) terminal(call *wire.Object, raw []byte, appends bool) (updates [][]byte, left []byte) {
	meta := open(call.Raw("_meta"), reported...)
	id, _ := call.Text("toolCallId")
	if info := meta.Open("terminal_info"); info != nil {
		if terminal, ok := info.Text("terminal_id"); ok && len(terminal) <= maxID && len(id) <= maxID && len(s.terminals) < maxTerminals {
			if s.terminals == nil {
				s.terminals = map[string]*shown{}
			}
			s.terminals[id] = &shown{id: terminal, sum: fnvOffset}
		}
	}
	of := s.terminals[id]
	if of == nil {
		return nil, raw
	}
	to := object(nil).text("sessionUpdate", "terminal_update").text("terminalId", of.id)
	isNews := meta.Open("terminal_info") != nil
	to = to.with("cwd", present(meta.Open("terminal_info").Raw("cwd")))
	if command, ok := open(call.Raw("rawInput")).Text("command"); ok && command != of.command && len(command) <= maxCommand {
		of.command, isNews = command, true
		to = to.text("command", command)
	}
	var chunk string
	if output, ok := meta.Open("terminal_output").Text("data"); ok && appends {
		chunk = output
	} else if ok && of.length <= len(output) && sumOf(fnvOffset, output[:of.length]) == of.sum {
		chunk = output[of.length:]
	} else if ok {
		of.length, of.sum, isNews = len(output), sumOf(fnvOffset, output), true
		to = to.with("output", object(nil).text("data", base64.StdEncoding.EncodeToString([]byte(output))).json())
	}
	more, _ := meta.Open("terminal_output_delta").Text("data")
	chunk += more
	of.length, of.sum = of.length+len(chunk), sumOf(of.sum, chunk)
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
		updates = append(updates, object(nil).text("sessionUpdate", "terminal_output_chunk").text("terminalId", of.id).text("data", data).json())
	}
	if isNews && meta.Open("terminal_info") == nil {
		updates = append(updates, to.json())
	}
	return updates, withoutReport(call, raw)
}

// status is an exit status that version 2 can say: it has no negative ones.
func status(raw []byte) []byte {
	if strings.HasPrefix(string(raw), "-") {
		return nil
	}
	return present(raw)
}

// withoutReport is a tool call without the report of its terminal; nil if nothing else is in it.
func withoutReport(call *wire.Object, raw []byte) []byte {
	left := raw
	for _, name := range reported {
		left = wire.Without(left, "_meta", name)
	}
	o := open(left, "_meta")
	if meta := o.Open("_meta"); meta != nil && len(meta.Members) == 0 && len(left) < len(raw) {
		left = wire.Without(left, "_meta")
	}
	if o == nil || kindIs(o, "sessionUpdate", "tool_call") {
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

// has reports whether a terminal is one that the client was told of.
func (s *clientSession) has(terminal string) bool {
	for _, of := range s.terminals {
		if of.id == terminal {
			return true
		}
	}
	return false
}
