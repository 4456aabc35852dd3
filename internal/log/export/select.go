package export

import (
	"fmt"
	"io"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/log/query"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/run/planfile"
	"acpshim/translate"
)

// Matching returns the numbers of the entries with messages that a filter matches. It includes the
// messages that were sent instead of a matching one or added next to it, and the other way round.
// It also includes the handshake, because that decides what is on for the peers. It returns none if
// the filter matches nothing.
func Matching(open func() (io.ReadCloser, error), q query.Query) (found map[uint64]bool, err error) {
	meant, err := q.Select(open)
	if err != nil {
		return nil, err
	}
	found = map[uint64]bool{}
	_, err = history.Walk(open, func(m *history.Message, _ record.Record) error {
		if m != nil && meant.Next(m) {
			found[origin(m)] = true
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		return found, err
	}
	_, err = history.Walk(open, func(m *history.Message, _ record.Record) error {
		if m != nil && (found[origin(m)] || m.Method == acp.Initialize) {
			found[m.Seq] = true
		}
		return nil
	})
	return found, err
}

// origin is the number of the message that m was sent instead of or added next to, else its own.
func origin(m *history.Message) uint64 {
	switch {
	case m.Message.Of > 0:
		return m.Message.Of
	case m.AddedTo != nil:
		return m.AddedTo.Seq
	}
	return m.Seq
}

// UnknownFiles returns the URIs, in quotes, of plan files that the agent named but whose text is
// not in the record.
func UnknownFiles(h *history.History) (uris []string) {
	known := map[string]bool{} // paths
	for _, r := range h.Others {
		if r.File != nil {
			known[r.File.Path] = true
		}
	}
	for _, m := range h.Messages {
		if m.Update != acp.PlanUpdate || !m.Message.Received() {
			continue
		}
		plan, err := m.Plan()
		if err != nil || plan.Kind != translate.File {
			continue
		}
		path, _ := planfile.Path(plan.URI)
		if uri := fmt.Sprintf("%q", plan.URI); !known[path] && !known[plan.URI] && !slices.Contains(uris, uri) {
			uris = append(uris, uri)
		}
	}
	return uris
}
