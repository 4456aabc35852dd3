package summary

import (
	"acpshim/internal/history"
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
	Why     string `json:"why,omitempty"` // of the last one, and who decided; "" if unknown
}

// maxPlans bounds the plans that are told of.
const maxPlans = 1000

// plansOf are the plans of a record, by session and id.
func plansOf(h *history.History) []Plan {
	type key struct {
		session int
		id      string
	}
	at := map[key]int{}
	plans := []Plan{}
	for _, m := range h.Messages {
		if m.Message.Dir != record.Agent || !m.IsPlan() {
			continue
		}
		update, err := m.Plan()
		if err != nil {
			continue
		}
		k := key{m.SessionNumber, update.ID}
		i, known := at[k]
		if !known {
			if len(plans) == maxPlans {
				continue
			}
			i = len(plans)
			at[k] = i
			plans = append(plans, Plan{Session: m.SessionNumber, ID: update.ID, First: m.Seq})
		}
		plans[i].add(m, update.Kind)
	}
	return plans
}

func (p *Plan) add(m *history.Message, kind translate.Kind) {
	p.Last, p.Removed, p.Why = m.Seq, kind == translate.Removed, ""
	if last := len(m.Message.By) - 1; last >= 0 && m.Message.Reason(last) != "" {
		p.Why = m.Message.By[last] + ": " + m.Message.Reason(last)
	}
	if m.Message.Received() {
		p.Sent++
	}
	if m.Message.Sent() {
		p.Shown++
	}
}
