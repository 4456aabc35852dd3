package repair

import (
	"bytes"
	"slices"
	"strings"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// OutcomeSettings say what an Outcome corrects for two peers. The zero value corrects nothing.
type OutcomeSettings struct {
	Refusals bool // an id that was not offered and says no becomes the id of an option that rejects
	Dismiss  bool // a dismissed question rejects the call
}

// Outcome is an adapter that translates a client's no to a permission request so that the agent
// understands it. It never creates a yes, and leaves everything that might be one.
//
//   - Settles: The agent fails or ends the turn when you reject a tool call: the client sends the
//     id of an option that the agent did not offer, or it sends "cancelled", which means the whole
//     turn.
//   - For: Every client and agent.
//   - Keys: repair.refusals, repair.dismiss
//   - Read: multica-ai/multica#5300, can1357/oh-my-pi#10850, felinics/Memoh#972
type Outcome struct {
	dispatch.Switched[OutcomeSettings]
	conversation *conversation.Conversation
	offered      *conversation.Slot[*conversation.Request, offeredOptions]
}

// offeredOptions are the options of a permission request.
type offeredOptions struct {
	session string
	ids     []string
	reject  []byte // the raw id of the first option that rejects; nil if there is none
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

// ask records the options of a permission request.
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
		of.reject = nil // the id is not unique
	}
	r := a.conversation.Pending(dispatch.Agent, m.ID)
	a.offered.Put(r, of, weight+len(of.reject))
}

// respond replaces a no that the agent would not understand by an option that rejects.
func (a *Outcome) respond(m *dispatch.Message) {
	o, _ := wire.Parse(m.Line, "result", "result.outcome")
	outcome := o.Open("result").Open("outcome")
	name, _ := outcome.Text("outcome")
	id, _ := outcome.Text("optionId")
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

// refuses reports whether an id says no.
func refuses(id string) bool {
	id = strings.ToLower(id)
	return id == "no" || slices.ContainsFunc([]string{"reject", "deny", "decline", "refuse", "disallow", "cancel", "abort"},
		func(word string) bool { return strings.HasPrefix(id, word) })
}
