package summary

import (
	"fmt"
	"slices"
	"time"

	"acpshim/internal/conversation"
	"acpshim/internal/history"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
	"acpshim/internal/terminal"
)

// An End is how a run ended.
type End struct {
	Status int      `json:"status"` // acpshim's
	Signal string   `json:"signal,omitempty"`
	Asked  *Failure `json:"asked,omitempty"` // the client's first request without a response
	Stderr []string `json:"stderr"`          // what the agent wrote last, if it ended badly
}

const (
	mostStderr  = 5 // lines
	mostOfALine = 200
)

// endOf is how a run ended, with what may tell why if that was not well.
func endOf(h *history.History, failed []Failure) *End {
	if h.End == nil {
		return nil
	}
	e := &End{Status: h.End.Status, Signal: h.End.Signal, Stderr: []string{}}
	if i := slices.IndexFunc(failed, func(f Failure) bool { return f.Response == 0 && f.From == record.Client }); i >= 0 {
		e.Asked = &failed[i]
	}
	if e.isBad() {
		e.Stderr = append(e.Stderr, lastLines(h.Others)...)
	}
	return e
}

// isBad reports whether the agent failed, or left the client waiting.
func (e *End) isBad() bool { return e.Status != 0 || e.Asked != nil }

// String says it in a line.
func (e *End) String() string {
	text := fmt.Sprintf("the agent ended with status %d", e.Status)
	if e.Signal != "" {
		text = fmt.Sprintf("the agent was killed by a signal (%s)", e.Signal)
	}
	if e.Asked != nil {
		text += fmt.Sprintf(" before it responded to #%d, %s", e.Asked.Seq, e.Asked.Method)
	}
	return text
}

// hang says what the client waited for in vain, and for how long nothing had come at the end; "" if
// it waited for nothing, or the agent failed at once.
func (s Summary) hang() string {
	silent := spent(s.Silent)
	if s.End == nil || s.End.Asked == nil || s.End.Status != 0 && silent < time.Second {
		return ""
	}
	what := s.End.Asked.Method
	if what == conversation.Prompt {
		what = "the prompt"
	}
	text := fmt.Sprintf("#%d: %s has no response", s.End.Asked.Seq, what)
	if silent >= time.Second {
		text += fmt.Sprintf("; nothing came for the last %s", view.Duration(silent))
	}
	return text
}

// maxStderr is how much of the end of standard error is looked at, in bytes.
const maxStderr = 16 << 10

// lastLines are the last ones of standard error that say something.
func lastLines(others []record.Record) []string {
	var text []byte
	for _, r := range others {
		if r.Kind == "stderr" && r.Text != nil {
			text = append(append(text, r.Text.Bytes...), '\n')
			text = text[max(len(text)-maxStderr, 0):]
		}
	}
	return terminal.LastLines(string(text), mostStderr, mostOfALine)
}
