package summary

import (
	"cmp"

	"acpshim/internal/history"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
)

// A Failure is a request whose sender got an error, or nothing.
type Failure struct {
	Seq      uint64           `json:"seq"`                // of the request
	Response uint64           `json:"response,omitempty"` // 0 if there is none
	From     record.Direction `json:"from"`               // who asked; see history.Message.Sender
	Method   string           `json:"method"`
	Text     string           `json:"text"` // what each side has; "" if there is no response
}

// failuresOf are the requests that failed, in the order of the responses, then those without one.
func failuresOf(h *history.History) []Failure {
	failures, silent := []Failure{}, []Failure{}
	for _, m := range h.Messages {
		if r := m.Request; m.Kind == history.Response && r != nil && r.End() == m {
			if text := failure(r); text != "" {
				failures = append(failures, Failure{r.Seq, m.Seq, r.Sender(), r.Method, text})
			}
		}
		if m.Kind == history.Request && (m.Message.Received() || m.IsOwn()) && m.End() == nil {
			silent = append(silent, Failure{Seq: m.Seq, From: m.Sender(), Method: m.Method})
		}
	}
	return append(failures, silent...)
}

// failure says how a request failed that has a response; "" if it did not.
func failure(r *history.Message) string {
	sent := says(r.Response)
	switch {
	case r.IsOwn():
		return sent
	case r.Got == nil && sent == "":
		return "has a response that did not reach the " + string(r.Sender())
	case r.Got == nil:
		return sent + "; the " + string(r.Sender()) + " got no response"
	case !r.Got.Failed:
		return ""
	}
	got := says(r.Got)
	if got == sent || sent == "" {
		return got
	}
	return sent + "; the " + string(r.Sender()) + " got " + got
}

// says is what a response says that is an error; "" for any other, and for none.
func says(m *history.Message) string {
	if m == nil || !m.Failed {
		return ""
	}
	return cmp.Or(view.Error(m), "an error")
}
