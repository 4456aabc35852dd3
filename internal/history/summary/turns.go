package summary

import (
	"cmp"
	"strconv"

	"acpshim/internal/history"
	"acpshim/internal/history/stats"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
	"acpshim/internal/wire"
)

// A Turn is a prompt of the client, up to its response.
type Turn struct {
	Seq      uint64   `json:"seq"`                // of the prompt
	Response uint64   `json:"response,omitempty"` // 0 if there is none
	Session  int      `json:"session"`
	Prompt   string   `json:"prompt"` // its beginning, on one line
	At       float64  `json:"at_ms"`
	First    *float64 `json:"first_token_ms"` // nil if none came
	Took     *float64 `json:"took_ms"`        // nil without a response
	Stop     string   `json:"stop"`           // the agent's stop reason; "" if it failed or there is none
	Failed   string   `json:"failed"`         // what the agent's error says; "" if it did not fail
	Got      string   `json:"client_got"`     // the stop reason or the error that the client got, if it is another one
	Tokens   *Tokens  `json:"tokens"`         // nil if they are not told
	Context  *Context `json:"context"`        // at the end of the turn; nil if it is not told
}

// Tokens are what the agent says that it used up to the end of a turn.
type Tokens struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
	Total  int64 `json:"total"`
}

// A Context is how much of the model's context is used, of how much.
type Context struct {
	Used int64 `json:"used"`
	Size int64 `json:"size"`
}

// turnsOf are the client's prompts, which were measured, in order.
func turnsOf(h *history.History, prompts []stats.Prompt) []Turn {
	turns := []Turn{}
	at := map[*history.Message]int{}
	used := map[string]*Context{} // by session
	for _, m := range h.Messages {
		switch {
		case isPrompt(m) && len(turns) < len(prompts):
			p := prompts[len(turns)]
			at[m] = len(turns)
			turns = append(turns, Turn{Seq: m.Seq, Session: m.SessionNumber, Prompt: view.Prompt(m), At: p.At, First: p.First, Took: p.End})
		case m.Update == "usage_update":
			used[m.Session] = readContext(m)
		case m.Kind == history.Response && isPrompt(m.Request) && m.Request.End() == m:
			if i, ok := at[m.Request]; ok {
				turns[i].end(m, used[m.Session])
			}
		}
	}
	return turns
}

func isPrompt(m *history.Message) bool {
	return m != nil && m.Kind == history.Request && m.Method == "session/prompt" && m.Message.Dir == record.Client && m.Message.Received()
}

// end takes what ended the turn: a response to its prompt.
func (t *Turn) end(m *history.Message, used *Context) {
	t.Response, t.Context = m.Seq, used
	_, t.Got = view.Ending(m.Request, why)
	response := m.Request.Response
	if response == nil {
		return
	}
	t.Stop, t.Failed = view.StopReason(response), view.Error(response)
	if msg, err := wire.Parse(response.JSON, "result", "result.usage"); err == nil {
		t.Tokens = tokens(msg.Open("result").Open("usage"))
	}
}

// why is why a turn ended, of a response to its prompt.
func why(m *history.Message) string {
	if m.Failed {
		return "error " + view.Error(m)
	}
	return cmp.Or(view.StopReason(m), noReason)
}

const noReason = "no stop reason"

func tokens(usage *wire.Object) *Tokens {
	if usage == nil {
		return nil
	}
	return &Tokens{number(usage, "inputTokens"), number(usage, "outputTokens"), number(usage, "totalTokens")}
}

func readContext(m *history.Message) *Context {
	msg, err := wire.Parse(m.JSON, "params", "params.update")
	if err != nil {
		return nil
	}
	update := msg.Open("params").Open("update")
	return &Context{number(update, "used"), number(update, "size")}
}

// number is a member that is a whole number, else 0.
func number(o *wire.Object, name string) int64 {
	n, _ := strconv.ParseInt(string(o.Raw(name)), 10, 64)
	return n
}
