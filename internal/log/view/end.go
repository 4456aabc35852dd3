package view

import (
	"fmt"
	"slices"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
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
	maxStderr   = 16 << 10 // bytes that are searched, at the end
)

// endOf describes how a run ended, and if that was not well, what may explain it.
func endOf(h *history.History, failed []Failure) *End {
	if h.End == nil {
		return nil
	}
	e := &End{Status: h.End.Status, Signal: h.End.Signal, Stderr: []string{}}
	if i := slices.IndexFunc(failed, func(f Failure) bool { return f.Response == 0 && f.From == record.Client }); i >= 0 {
		e.Asked = &failed[i]
	}
	if e.isBad() {
		var text []byte
		for _, r := range h.Others {
			if r.Kind == "stderr" && r.Text != nil {
				text = append(append(text, r.Text.Bytes...), '\n')
				text = text[max(len(text)-maxStderr, 0):]
			}
		}
		e.Stderr = append(e.Stderr, terminal.LastLines(string(text), mostStderr, mostOfALine)...)
	}
	return e
}

// isBad reports whether the agent failed, or left the client waiting.
func (e *End) isBad() bool { return e.Status != 0 || e.Asked != nil }

func killed(signal string) string {
	return fmt.Sprintf("the agent was killed by a signal (%s)", terminal.Plain(signal, 40))
}

// cutOff describes a run that does not go on and has no end.
const cutOff = "the record has no end: the run was cut off, and the last lines may be missing"

// endLine describes how a run ended, if it ended.
func endLine(h *history.History, goesOn bool) string {
	e := h.End
	switch {
	case e == nil && goesOn:
		return "the run goes on"
	case e == nil:
		return cutOff
	}
	text := fmt.Sprintf("ended with status %d", e.Status)
	if e.Signal != "" {
		text += ", " + killed(e.Signal)
	}
	text += fmt.Sprintf("; the client sent %s (%s), the agent %d (%s)", terminal.Count(e.Client.Lines, "message", "messages"),
		terminal.Size(e.Client.Bytes), e.Agent.Lines, terminal.Size(e.Agent.Bytes))
	if e.Gaps > 0 {
		text += fmt.Sprintf("; %s missing (%s)", terminal.Count(e.Lost.Lines, "line is", "lines are"), terminal.Size(e.Lost.Bytes))
	}
	return text
}
