package report

import (
	"strings"

	"acpshim/history"
	"acpshim/record"
)

// redacted is the history of the same record without its secrets. Lines are read
// again when they are taken out, so that what is known of a message has none
// either.
func redacted(h *history.History, redact func([]byte) []byte) *history.History {
	for _, m := range h.Messages {
		redact(m.Message.Line) // to meet the secrets that are named later
	}
	text := func(s string) string { return string(redact([]byte(s))) }
	without := &history.History{End: h.End, Broken: h.Broken}
	if h.Start != nil {
		start := *h.Start
		start.Argv = nil
		for _, arg := range h.Start.Argv {
			start.Argv = append(start.Argv, text(arg))
		}
		// An option and its value are two arguments.
		start.Argv = []string{text(strings.Join(start.Argv, " "))}
		start.Cwd = text(start.Cwd)
		without.Start = &start
	}
	if h.End != nil && h.End.Signal != "" {
		end := *h.End
		end.Signal = text(end.Signal)
		without.End = &end
	}
	var book history.Book
	var last *record.Message
	for _, m := range h.Messages {
		if m.Message == last {
			continue // another element of the same batch
		}
		last = m.Message
		r := m.Record
		r.Message = redactedMessage(m.Message, redact)
		without.Messages = append(without.Messages, book.Add(r)...)
	}
	for _, r := range h.Others {
		switch {
		case r.Text != nil:
			line := redact(r.Text.Bytes)
			r.Text = &record.Text{Redacted: r.Text.Redacted || string(line) != string(r.Text.Bytes), Bytes: line}
		case r.Gap != nil:
			gap := *r.Gap
			gap.Why = text(gap.Why)
			r.Gap = &gap
		}
		without.Others = append(without.Others, r)
	}
	return without
}

// redactedMessage is the message without its secrets, and without the beginning
// of a line that was cut: that cannot be read for certain.
func redactedMessage(m *record.Message, redact func([]byte) []byte) *record.Message {
	without := *m
	without.Head = nil
	without.By = nil
	for _, name := range m.By {
		without.By = append(without.By, string(redact([]byte(name))))
	}
	if m.Line != nil {
		without.Line = redact(m.Line)
		without.Redacted = m.Redacted || string(without.Line) != string(m.Line)
	}
	return &without
}
