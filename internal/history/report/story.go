package report

import (
	"acpshim/internal/history"
	"acpshim/internal/history/summary"
)

// A story is the summary of a record, as much of it as a page shows.
type story struct {
	summary.Summary
	More more `json:"more"`
}

// more is how much of each list is left out.
type more struct {
	Turns    int `json:"turns,omitzero"`
	Failed   int `json:"failed,omitzero"`
	Plans    int `json:"plans,omitzero"`
	Changes  int `json:"changes,omitzero"`
	Findings int `json:"findings,omitzero"`
}

// maxTold bounds each list of a story.
const maxTold = 200

func (b *builder) story(h *history.History) *story {
	s := &story{Summary: summary.Of(h, false)}
	s.Turns, s.More.Turns = first(s.Turns)
	s.Failed, s.More.Failed = first(s.Failed)
	s.Plans, s.More.Plans = first(s.Plans)
	s.Changes, s.More.Changes = first(s.Changes)
	s.Valid.Gaps = nil // they are rows
	s.Valid.Findings, s.More.Findings = first(s.Valid.Findings)
	for _, text := range b.texts(s) {
		*text = b.short(*text)
	}
	return s
}

// first is the beginning of a list, and how much is left out of it.
func first[T any](all []T) ([]T, int) {
	n := min(len(all), maxTold)
	return all[:n], len(all) - n
}

// texts are those that peers wrote.
func (b *builder) texts(s *story) []*string {
	texts := []*string{&s.Acpshim, &s.Cwd, &s.System, &s.Version, &s.Offered, &s.Missing}
	if s.End != nil {
		texts = append(texts, &s.End.Signal)
	}
	s.Command, _ = first(s.Command)
	lists := [][]string{s.Command}
	for _, peer := range []*summary.Peer{&s.Client, &s.Agent} {
		texts = append(texts, &peer.Name, &peer.Version)
		lists = append(lists, peer.Capabilities, peer.Added, peer.Hidden)
	}
	for i := range s.Turns {
		texts = append(texts, &s.Turns[i].Prompt, &s.Turns[i].Stop, &s.Turns[i].Failed)
	}
	for i := range s.Failed {
		texts = append(texts, &s.Failed[i].Method, &s.Failed[i].Text)
	}
	for i := range s.Plans {
		texts = append(texts, &s.Plans[i].ID)
	}
	for i := range s.Changes {
		texts = append(texts, &s.Changes[i].By, &s.Changes[i].Why)
	}
	for i := range s.Valid.Findings {
		texts = append(texts, &s.Valid.Findings[i].Name, &s.Valid.Findings[i].Pointer, &s.Valid.Findings[i].Text)
	}
	for _, list := range lists {
		for i := range list {
			texts = append(texts, &list[i])
		}
	}
	return texts
}
