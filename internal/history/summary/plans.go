package summary

import (
	"fmt"

	"acpshim/internal/history"
	"acpshim/internal/history/stats"
	"acpshim/internal/record"
	"acpshim/translate"
)

// A Plan is what came of one plan of a session: as the agent names it, or as the client got it.
type Plan struct {
	Session int    `json:"session"`
	ID      string `json:"id"`    // "" for the one plan without a name
	Sent    int    `json:"sent"`  // updates of the agent
	Shown   int    `json:"shown"` // updates that the client got
	First   uint64 `json:"first"` // the numbers of the first and the last of them
	Last    uint64 `json:"last"`
	Removed bool   `json:"removed"`
	Got     uint64 `json:"got,omitempty"`    // the number of the message with which the client got it last; 0 if it did not
	GotAs   string `json:"got_as,omitempty"` // the update of that
	Why     string `json:"why,omitempty"`    // of the last one, and who decided; "" if unknown
}

// plansOf are the plans of a record, by session and id.
func plansOf(h *history.History) []Plan {
	var plans stats.Rows[Plan]
	for _, m := range h.Messages {
		if m.Message.Dir != record.Agent || !m.IsPlan() {
			continue
		}
		if update, err := m.Plan(); err == nil {
			fresh := Plan{Session: m.SessionNumber, ID: update.ID, First: m.Seq}
			plans.Of(fresh, fmt.Sprint(m.SessionNumber), update.ID).add(m, update.Kind)
		}
	}
	return plans.All()
}

func (p *Plan) add(m *history.Message, kind translate.Kind) {
	p.Last, p.Removed, p.Why = m.Seq, kind == translate.Removed, ""
	if last := len(m.Message.By) - 1; last >= 0 && m.Message.Reason(last) != "" {
		p.Why = m.Message.By[last] + ": " + m.Message.Reason(last)
	}
	if m.Message.Received() {
		p.Sent++
	}
	if m.Arrived != nil {
		p.Got, p.GotAs = m.Arrived.Seq, m.Arrived.Update
	}
	if m.Message.Sent() {
		p.Shown++
	}
}
