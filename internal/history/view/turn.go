package view

import (
	"cmp"
	"fmt"

	"acpshim/internal/history"
	"acpshim/internal/terminal"
	"acpshim/internal/wire"
)

// maxPrompt is how much of a prompt stands behind its turn, in columns.
const maxPrompt = 40

// turn adds a line after a turn that m ends, if something of it was shown. Where messages are left
// out, it waits for a row of another turn.
func (v *View) turn(m *history.Message) []Row {
	if m.Kind != history.Response || m.Method != "session/prompt" || m.Message.Stage == "in" || v.Single || !v.shown[m.Session] {
		return nil
	}
	delete(v.shown, m.Session)
	row := &Row{At: m.Mono, Divider: true, Text: turned(m)}
	if v.Filtered {
		v.divider = row
		return nil
	}
	return v.add(row, nil)
}

// turned says what a turn was, of the response that the client got: the prompt, why it ended, how
// long it took, and how many tokens that was, if the agent tells.
func turned(m *history.Message) string {
	said := terminal.Plain(Prompt(m.Request), maxPrompt)
	response, _ := wire.Parse(m.JSON, "result", "result.usage")
	tokens := raw(response.Open("result").Open("usage").Raw("totalTokens"))
	if tokens != "" {
		tokens += " tokens"
	}
	sent, got := Ending(m.Request, why)
	if sent = cmp.Or(sent, "no response"); got != "" {
		sent += "; the client got " + got
	}
	return joined(": ", said, joined(", ", fmt.Sprintf("%s after %s", sent, Duration(m.Mono-m.Request.Mono)), tokens))
}

// Ending is how a turn ended for each side, in the words of says: what the agent responded to the
// prompt, and what the client got if that is something else; "" for nothing.
func Ending(prompt *history.Message, says func(*history.Message) string) (sent, got string) {
	if prompt.Response != nil {
		sent = says(prompt.Response)
	}
	switch {
	case prompt.Got != nil:
		got = says(prompt.Got)
	case prompt.Response != nil:
		got = "no response"
	}
	if got == sent {
		got = ""
	}
	return sent, got
}

// why is why a turn ended, of a response to its prompt.
func why(m *history.Message) string {
	response, _ := wire.Parse(m.JSON, "error")
	if m.Failed {
		return joined(" ", "error", raw(response.Open("error").Raw("code")))
	}
	return cmp.Or(StopReason(m), "no stop reason")
}

// StopReason is that of a response to a prompt; "" if it has none. One of version 2 only says that
// the prompt was taken in.
func StopReason(m *history.Message) string {
	response, _ := wire.Parse(m.JSON, "result")
	if result := response.Open("result"); result.Get("stopReason") == nil && result.Get("messageId") != nil {
		return "taken in"
	}
	return text(response.Open("result"), "stopReason")
}
