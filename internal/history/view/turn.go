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

// turn adds a line behind a turn that m ends, if something of it was shown. Where messages are left
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

// turned says what a turn was, of the response that ended it: the prompt, why it ended, how long it
// took, and how many tokens that was, if the agent tells.
func turned(m *history.Message) string {
	said := terminal.Plain(Prompt(m.Request), maxPrompt)
	response, _ := wire.Parse(m.JSON, "result", "result.usage", "error")
	why := cmp.Or(text(response.Open("result"), "stopReason"), "no stop reason")
	if m.Failed {
		why = joined(" ", "error", raw(response.Open("error").Raw("code")))
	}
	tokens := raw(response.Open("result").Open("usage").Raw("totalTokens"))
	if tokens != "" {
		tokens += " tokens"
	}
	return joined(": ", said, joined(", ", fmt.Sprintf("%s after %s", why, Duration(m.Mono-m.Request.Mono)), tokens))
}
