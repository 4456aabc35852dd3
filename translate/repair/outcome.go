package repair

import (
	"bytes"
	"slices"
	"strings"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// OutcomeSettings are what an Outcome does for two peers. The zero value does nothing.
type OutcomeSettings struct {
	Refusals bool // an id that was not offered and says no becomes that of an option that rejects
	Dismiss  bool // a question that was dismissed is refused
}

// Outcome is an adapter that makes of a client's no to a permission request the one that the agent
// understands. It never makes a yes, and leaves alone what might be one.
//
//   - Settles: A client answers a permission request with the id of an option that was not offered,
//     or with "cancelled" where only this call is refused; the agent fails, or ends the turn.
//   - For: Every client and agent. Dismissed questions: those who set repair.dismiss.
//   - Keys: repair.refusals, repair.dismiss
//   - Read: multica-ai/multica#5300, can1357/oh-my-pi#10850, felinics/Memoh#972
type Outcome struct {
	dispatch.Switched[OutcomeSettings]
	conversation *conversation.Conversation
	offered      *conversation.Slot[*conversation.Request, offeredOptions]
}

// OfferedOptions are those of a permission request.
type offeredOptions struct {
	session string
	ids     []string
	reject  []byte // the raw id of the first one that rejects; nil if there is none
}

// NewOutcome returns an Outcome adapter.
func NewOutcome(c *conversation.Conversation, on func(client, agent conversation.Implementation) OutcomeSettings) *Outcome {
	return &Outcome{
		conversation: c, offered: conversation.NewSlot[*conversation.Request, offeredOptions](c),
		Switched: dispatch.Switched[OutcomeSettings]{For: on, Wanted: []dispatch.Want{
			{From: dispatch.Agent, Methods: []string{permission}, Sessions: true},
			{From: dispatch.Client, Responses: []string{permission}},
		}},
	}
}

// Name implements dispatch.Adapter.
func (*Outcome) Name() string { return "repair" }

// Handle implements dispatch.Adapter.
func (a *Outcome) Handle(m *dispatch.Message) {
	switch {
	case m.Kind == dispatch.Request && m.Method == permission:
		a.ask(m)
	case m.Request != nil && m.Request.Method == permission && !m.IsRefusal():
		a.respond(m)
	}
}

// ask notes what a permission request offers.
func (a *Outcome) ask(m *dispatch.Message) {
	of := offeredOptions{session: m.Session}
	weight := len(m.Session)
	list, _ := wire.Elements(m.Params().Raw("options"))
	kind := ""
	for _, raw := range list {
		o, _ := wire.Parse(raw)
		id, ok := o.Text("optionId")
		if !ok {
			continue
		}
		of.ids, weight = append(of.ids, id), weight+32+len(id)
		if k, _ := o.Text("kind"); k == "reject_once" && kind != k || k == "reject_always" && kind == "" {
			of.reject, kind = bytes.Clone(o.Raw("optionId")), k
		}
	}
	if id, _ := wire.Text(of.reject); len(slices.DeleteFunc(slices.Clone(of.ids), func(other string) bool { return other != id })) != 1 {
		of.reject = nil // which option has the id is not known
	}
	r := a.conversation.Pending(dispatch.Agent, m.ID)
	a.conversation.Lock()
	defer a.conversation.Unlock()
	a.offered.Put(r, of, weight+len(of.reject))
}

// respond changes the client's response to one that rejects, if it means that.
func (a *Outcome) respond(m *dispatch.Message) {
	o, _ := wire.Parse(m.Line, "result", "result.outcome")
	outcome := o.Open("result").Open("outcome")
	name, _ := outcome.Text("outcome")
	id, _ := outcome.Text("optionId")
	a.conversation.Lock()
	defer a.conversation.Unlock()
	of, _ := a.offered.Get(m.Request)
	switch {
	case of.reject == nil || outcome == nil:
		return
	case a.On.Dismiss && name == "cancelled" && !a.conversation.IsTurnOver(of.session):
		m.Because("the user dismissed the question, which refuses only this call (repair.dismiss)")
	case a.On.Refusals && name == "selected" && !slices.Contains(of.ids, id) && refuses(id):
		m.Because("the agent did not offer this option, so acpshim sends one that rejects (repair.refusals)")
	default:
		return
	}
	m.Edit(outcome.Set(wire.Setting{Name: "outcome", Value: []byte(`"selected"`)}, wire.Setting{Name: "optionId", Value: of.reject})...)
}

// refuses reports whether the words of an id say no.
func refuses(id string) bool {
	id = strings.ToLower(id)
	return id == "no" || slices.ContainsFunc([]string{"reject", "deny", "decline", "refuse", "disallow", "cancel", "abort"},
		func(word string) bool { return strings.HasPrefix(id, word) })
}
