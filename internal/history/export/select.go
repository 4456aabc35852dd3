package export

import (
	"fmt"
	"io"
	"slices"

	"acpshim/internal/history"
	"acpshim/internal/history/query"
	"acpshim/translate"
)

// Matching returns the numbers of the entries with messages that a filter matches: with a message
// that was changed or got others beside it, what it became, and the other way round; and the
// handshake, which says what is on for whom. It returns none if the filter matches nothing.
func Matching(open func() (io.ReadCloser, error), q query.Query) (found map[uint64]bool, err error) {
	h, err := history.Open(open)
	if err != nil {
		return nil, err
	}
	found = map[uint64]bool{}
	matches := q.In(h)
	for _, m := range h.Messages {
		if matches(m) {
			found[origin(m)] = true
		}
	}
	if len(found) == 0 {
		return found, nil
	}
	for _, m := range h.Messages {
		if found[origin(m)] || m.Method == "initialize" {
			found[m.Seq] = true
		}
	}
	return found, nil
}

// origin is the number of the message that another was made of or put beside, else its own.
func origin(m *history.Message) uint64 {
	switch {
	case m.Message.Of > 0:
		return m.Message.Of
	case m.Beside != nil:
		return m.Beside.Seq
	}
	return m.Seq
}

// FilePlans returns the URIs of the plan files that the agent named, quoted.
func FilePlans(h *history.History) (uris []string) {
	for _, m := range h.Messages {
		if m.Update != "plan_update" || !m.Message.Received() {
			continue
		}
		plan, err := m.Plan()
		if uri := fmt.Sprintf("%q", plan.URI); err == nil && plan.Kind == translate.File && !slices.Contains(uris, uri) {
			uris = append(uris, uri)
		}
	}
	return uris
}
