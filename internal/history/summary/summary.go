// Package summary tells in short what happened in a record.
package summary

import (
	"cmp"
	"slices"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/history/stats"
	"acpshim/internal/history/validate"
	"acpshim/internal/history/view"
)

// A Summary is the story of a run. Numbers are those of records, times are milliseconds since the
// run began, and lists are never nil. Texts are as the peers wrote them: whoever draws them removes
// what must not be drawn.
type Summary struct {
	Command []string        `json:"command"` // of the agent
	Acpshim string          `json:"acpshim"` // its version
	System  string          `json:"system"`  // such as linux/amd64
	Cwd     string          `json:"cwd"`
	Begun   time.Time       `json:"begun"` // zero if that is not known
	Took    float64         `json:"took_ms"`
	Silent  float64         `json:"silent_ms"` // at its end, in which no peer sent anything
	Client  Peer            `json:"client"`
	Agent   Peer            `json:"agent"`
	Version string          `json:"version"` // of the protocol, as the agent answered; "" if it did not
	Offered string          `json:"offered"` // that the client offered
	Got     string          `json:"got"`     // that the client was answered
	Turns   []Turn          `json:"turns"`
	Failed  []Failure       `json:"failed"`  // requests whose senders got an error, or nothing
	Plans   []Plan          `json:"plans"`   // in the order in which they first came
	Changes []Change        `json:"changes"` // the most frequent first
	Valid   validate.Report `json:"valid"`   // what differs from the schema
	End     *End            `json:"end"`     // nil if the record has none
	Missing string          `json:"missing"` // what is missing in the record, as a sentence; or ""

	Messages int `json:"messages"` // that the peers sent
	Sessions int `json:"sessions"`
}

// A Change is of messages that acpshim changed, held, dropped or made, by the same name and for the
// same reason.
type Change struct {
	By       string   `json:"by"`
	Why      string   `json:"why,omitempty"` // "" if no reason was recorded
	Messages int      `json:"messages"`
	First    []uint64 `json:"first"` // the numbers of the first ones, no more than MostNumbers
}

// MostNumbers is how many numbers a Change has.
const MostNumbers = 3

// Of summarizes a record. GoesOn says that its run does.
func Of(h *history.History, goesOn bool) Summary {
	s := Summary{
		Plans: plansOf(h), Changes: changesOf(h), Valid: validate.Check(h),
		Missing: view.Missing(h.Missing, goesOn), Command: []string{},
	}
	s.start(h)
	s.peers(h)
	measured := stats.Of(h)
	s.Messages = h.Sent()
	s.Turns, s.Failed = turnsOf(h, measured.Prompts), failuresOf(h)
	for _, m := range h.Messages {
		s.Sessions = max(s.Sessions, m.SessionNumber)
		s.Took = float64(m.Mono) / float64(time.Millisecond)
	}
	if ended := float64(h.Ended) / float64(time.Millisecond); ended > s.Took {
		s.Took, s.Silent = ended, ended-s.Took
	}
	s.End = endOf(h, s.Failed)
	return s
}

// start takes what was recorded at the beginning.
func (s *Summary) start(h *history.History) {
	if len(h.Messages) > 0 && !h.Messages[0].Time.IsZero() {
		s.Begun = h.Messages[0].Time.Add(-h.Messages[0].Mono)
	}
	if start := h.Start; start != nil {
		s.Command = append(s.Command, start.Argv...)
		s.Acpshim, s.Cwd, s.System = start.Acpshim, start.Cwd, start.OS+"/"+start.Arch
	}
}

// changesOf counts what acpshim changed: each record once for each name.
func changesOf(h *history.History) []Change {
	var rows stats.Rows[Change]
	last := uint64(0)
	for _, m := range h.Messages {
		if m.Seq == last {
			continue // it is in the same batch
		}
		for i, by := range m.Message.By {
			if m.Of != nil && slices.Contains(m.Of.Message.By, by) {
				continue // it is told of the one whose place it took
			}
			last = m.Seq
			c := rows.Of(Change{By: by, Why: m.Message.Reason(i)}, by, m.Message.Reason(i))
			if c.Messages++; len(c.First) < MostNumbers {
				c.First = append(c.First, m.Seq)
			}
		}
	}
	changes := rows.All()
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(b.Messages, a.Messages) })
	return changes
}
