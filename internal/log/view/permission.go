package view

import (
	"fmt"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// An option is one of those that a permission request offers, as people read it.
type option struct{ Name, Kind string }

// chosen returns the option of a permission request that a response selects. It is empty if the
// request, which may be nil, has no such option.
func chosen(request, response *history.Message) (o option) {
	id, isSelected := parsed(response).Open("result").Open("outcome").Text("optionId")
	if request == nil || !isSelected {
		return o
	}
	options, _ := wire.Elements(parsed(request).Open("params").Raw("options"))
	for _, raw := range options {
		offered, err := wire.Parse(raw)
		if offeredID, _ := offered.Text("optionId"); err == nil && offeredID == id {
			return option{terminal.Plain(text(offered, "name"), 60), terminal.Plain(text(offered, "kind"), 60)}
		}
	}
	return o
}

// decide takes in the decision of a side about a permission.
func (f *findings) decide(r, response *history.Message, by wire.Side) {
	about := fmt.Sprintf("permission (#%d)", r.Seq)
	call, _ := wire.Parse(parsed(r).Open("params").Raw("toolCall"))
	if title := text(call, "title"); title != "" {
		about = fmt.Sprintf("permission for %q (#%d)", terminal.Plain(title, 60), r.Seq)
	}
	if text(parsed(response).Open("result").Open("outcome"), "outcome") == acp.OutcomeCancelled {
		if f.cancels[r.Session] > r.Seq { // the protocol demands it
			return
		}
		f.note(by, response, "cancelled the request for %s", about)
		return
	}
	o := chosen(r, response)
	if !strings.HasPrefix(o.Kind, "reject") {
		return
	}
	who := ", by its user or its settings"
	if by == history.Acpshim {
		who = ""
	}
	if rule := ruleOf(response); rule != "" {
		who = fmt.Sprintf(", by the rule %q", terminal.Plain(rule, 60))
	}
	f.note(by, response, "refused %s with %q%s", about, o.Name, who)
}
