package view

import (
	"cmp"
	"fmt"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record/history"
)

// A Failure is a request whose sender got an error, or nothing.
type Failure struct {
	Seq      uint64    `json:"seq"`                // of the request
	Response uint64    `json:"response,omitempty"` // 0 without a response
	From     wire.Side `json:"from"`               // who sent the request; see history.Message.Sender
	Method   string    `json:"method"`
	Text     string    `json:"text"` // what each side has; "" if there is no response
}

// failuresOf returns the requests that failed in the order of the responses, then those without a
// response.
func failuresOf(h *history.History) []Failure {
	failures, silent := []Failure{}, []Failure{}
	for _, m := range h.Messages {
		if r := m.Request; m.Kind == history.Response && r != nil && r.End() == m {
			if text := failureText(r); text != "" {
				failures = append(failures, Failure{r.Seq, m.Seq, r.Sender(), r.Method, text})
			}
		}
		if m.IsPending() {
			silent = append(silent, Failure{Seq: m.Seq, From: m.Sender(), Method: m.Method})
		}
	}
	return append(failures, silent...)
}

// failureText describes how a request failed that has a response; "" if it did not fail.
func failureText(r *history.Message) string {
	describe := func(m *history.Message) string {
		if m == nil || !m.Failed {
			return ""
		}
		return cmp.Or(errorText(m), "an error")
	}
	sent, got := describe(r.Response), describe(r.Got)
	switch {
	case r.IsOwn():
		return sent
	case r.Got == nil && sent == "":
		return "has a response that did not reach the " + string(r.Sender())
	case r.Got == nil:
		got = "no response"
	case got == "":
		return ""
	case got == sent || sent == "":
		return got
	}
	return sent + "; the " + string(r.Sender()) + " got " + got
}

// String describes the failure in a line, with the number of the response or, without one, of the
// request.
func (f Failure) String() string {
	from := "the " + string(f.From)
	if f.From == history.Acpshim {
		from = string(f.From)
	}
	if f.Response == 0 {
		return fmt.Sprintf("#%d: %s of %s has no response", f.Seq, f.Method, from)
	}
	return fmt.Sprintf("#%d: %s of %s (#%d) %s", f.Response, f.Method, from, f.Seq, f.Text)
}
