package view

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/log/stats"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// A Turn is a prompt of the client, up to its response.
type Turn struct {
	Seq      uint64         `json:"seq"`                // of the prompt
	Response uint64         `json:"response,omitempty"` // 0 without a response
	Session  int            `json:"session"`
	Prompt   string         `json:"prompt"` // its beginning, on one line
	At       float64        `json:"at_ms"`
	First    *float64       `json:"first_token_ms"` // nil if none came
	Took     *float64       `json:"took_ms"`        // nil without a response
	Stop     string         `json:"stop"`           // the agent's stop reason; "" if it failed or gave no reason
	Failed   string         `json:"failed"`         // the agent's error; "" if it did not fail
	Got      string         `json:"client_got"`     // the stop reason or the error that the client got, if it is another one
	Cost     *stats.Cost    `json:"cost"`           // nil if it is not known
	Tokens   *stats.Tokens  `json:"tokens"`         // nil if the agent does not report them
	Context  *stats.Context `json:"context"`        // at the end of the turn; nil if the agent does not report it
}

// turnsOf returns the client's prompts in order, with their measurements.
func turnsOf(h *history.History, prompts []stats.Prompt) []Turn {
	turns := []Turn{}
	index := map[*history.Message]int{}
	used := map[string]*stats.Context{} // by session
	for _, m := range h.Messages {
		switch i, known := index[m.Request]; {
		case isPrompt(m) && len(turns) < len(prompts):
			p := prompts[len(turns)]
			index[m] = len(turns)
			turns = append(turns, Turn{Seq: m.Seq, Session: m.SessionNumber, Prompt: promptText(m), At: p.At, First: p.First, Took: p.End, Tokens: p.Tokens, Cost: p.Cost})
		case m.Update == acp.UsageUpdate:
			used[m.Session] = readContext(m)
		case known && m.Request.End() == m:
			turns[i].end(m, used[m.Session])
		}
	}
	return turns
}

func isPrompt(m *history.Message) bool {
	return m.Kind == history.Request && m.Method == acp.SessionPrompt && m.Message.Dir == record.Client && m.Message.Received()
}

// end sets what the response m ended the turn with.
func (t *Turn) end(m *history.Message, used *stats.Context) {
	t.Response, t.Context = m.Seq, used
	_, t.Got = outcomes(m.Request, errorText)
	if response := m.Request.Response; response != nil {
		t.Stop, t.Failed = stopReason(response), errorText(response)
	}
}

func readContext(m *history.Message) *stats.Context {
	msg := parsed(m)
	if msg == nil {
		return nil
	}
	update := msg.Open("params").Open("update")
	return &stats.Context{Used: number(update, "used"), Size: number(update, "size")}
}

// number is a member that is a whole number, else 0.
func number(o *wire.Object, name string) int64 {
	n, _ := strconv.ParseInt(string(o.Raw(name)), 10, 64)
	return n
}

const noReason = "no stop reason"

// outcomes describes how a turn ended for each side: what the agent responded to the prompt, and
// what the client got if that is something else. They are "" for nothing. The text of an error is
// what errorOf returns.
func outcomes(prompt *history.Message, errorOf func(*history.Message) string) (sent, got string) {
	describe := func(m *history.Message) string {
		if m.Failed {
			return joined(" ", "error", errorOf(m))
		}
		return cmp.Or(stopReason(m), noReason)
	}
	if prompt.Response != nil {
		sent, got = describe(prompt.Response), "no response"
	}
	if prompt.Got != nil {
		got = describe(prompt.Got)
	}
	if got == sent {
		got = ""
	}
	return sent, got
}

// stopReason is that of a response to a prompt; "" if it has none. A response of version 2 only
// says that the agent accepted the prompt.
func stopReason(m *history.Message) string {
	result := parsed(m).Open("result")
	if result.Get("stopReason") == nil && result.Get("messageId") != nil {
		return "accepted"
	}
	return text(result, "stopReason")
}

// String describes the turn in a line, with the number of the prompt.
func (t Turn) String() string {
	sent := t.Stop
	switch {
	case t.Failed != "":
		sent = "failed: " + t.Failed
	case sent == "" && t.Response > 0 && t.Got == "":
		sent = noReason
	}
	after := ""
	if t.Took != nil {
		after = "after " + terminal.Duration(spent(*t.Took))
	}
	return fmt.Sprintf("#%d: %s, %q", t.Seq, turnText(sent, t.Got, after, t.Tokens), terminal.Plain(t.Prompt, maxPrompt))
}

// turnText describes the end of a turn: for the agent, for the client if that is something else,
// the time, and the tokens.
func turnText(sent, got, after string, used *stats.Tokens) string {
	if sent = cmp.Or(sent, "no response"); got != "" {
		sent += "; the client got " + got
	}
	tokens := ""
	if used != nil && used.Total > 0 {
		tokens = terminal.Count(used.Total, "token", "tokens")
	}
	return joined(", ", joined(" ", sent, after), tokens)
}

// maxPrompt is how much of a prompt is shown, in columns.
const maxPrompt = 40

// turn adds a divider if m ends a turn of which something was shown. Where messages are left out,
// the divider waits for a row of another turn.
func (v *View) turn(m *history.Message) []Row {
	if m.Kind != history.Response || m.Method != acp.SessionPrompt || m.Message.Stage == "in" || v.Single || !v.shown[m.Session] {
		return nil
	}
	delete(v.shown, m.Session)
	sent, got := outcomes(m.Request, func(m *history.Message) string { return raw(parsed(m).Open("error").Raw("code")) })
	text := turnText(sent, got, "after "+terminal.Duration(m.Mono-m.Request.Mono), stats.ReadTokens(m))
	row := &Row{at: m.Mono, IsDivider: true, Text: joined(": ", terminal.Plain(promptText(m.Request), maxPrompt), text)}
	if v.Filtered {
		v.divider = row
		return nil
	}
	return v.add(row)
}

// spent is a time that was given in milliseconds.
func spent(milliseconds float64) time.Duration {
	return time.Duration(milliseconds * float64(time.Millisecond))
}
