package repair

import (
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// OutcomeSettings say what an Outcome corrects for two peers. The zero value corrects nothing.
type OutcomeSettings struct {
	Refusals bool // an id that was not offered and says no becomes the id of an option that rejects
	Dismiss  bool // a dismissed question rejects the call
}

// Outcome is an adapter that translates a client's no to a permission request so that the agent
// understands it. It never creates a yes, and leaves everything that might be one. It chooses only
// an option that rejects this call, never one that rejects all such calls. Without such an option
// the response stays as it is.
//
//   - Settles: The agent fails or ends the turn when you reject a tool call: the client sends the
//     id of an option that the agent did not offer, or it sends "cancelled", which means the whole
//     turn.
//   - For: Every client and agent.
//   - Keys: repair.refusals, repair.dismiss
//   - Seen: cline 3.0.65
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
	refusal []byte // the raw id of the option that rejects this call only, or nil
}

// NewOutcome returns an Outcome adapter.
func NewOutcome(c *conversation.Conversation, on func(client, agent conversation.Implementation) OutcomeSettings) *Outcome {
	return &Outcome{
		conversation: c, offered: conversation.NewSlot[*conversation.Request, offeredOptions](c),
		Switched: dispatch.Switched[OutcomeSettings]{For: on, Wanted: []dispatch.Want{
			{From: dispatch.Agent, Methods: []string{acp.SessionRequestPermission}, Sessions: true},
			{From: dispatch.Client, Responses: []string{acp.SessionRequestPermission}},
		}},
	}
}

// Name implements dispatch.Adapter.
func (*Outcome) Name() string { return "repair" }

// Handle implements dispatch.Adapter.
func (a *Outcome) Handle(m *dispatch.Message) {
	switch {
	case m.Kind == dispatch.Request && m.Method == acp.SessionRequestPermission:
		a.ask(m)
	case m.Request != nil && m.Request.Method == acp.SessionRequestPermission && !m.IsRefusal():
		a.respond(m)
	}
}

// ask records the options of a permission request.
func (a *Outcome) ask(m *dispatch.Message) {
	options := m.Params().Raw("options")
	of := offeredOptions{session: m.Session, refusal: conversation.RefusalOf(options)}
	weight := len(m.Session) + len(of.refusal)
	list, _ := wire.Elements(options)
	for _, raw := range list {
		o, _ := wire.Parse(raw)
		if id, ok := o.Text("optionId"); ok {
			of.ids, weight = append(of.ids, id), weight+32+len(id)
		}
	}
	a.offered.Put(a.conversation.Pending(dispatch.Agent, m.ID), of, weight)
}

// respond replaces a no that the agent would not understand by the option that rejects.
func (a *Outcome) respond(m *dispatch.Message) {
	o, _ := wire.Parse(m.Line, "result", "result.outcome")
	outcome := o.Open("result").Open("outcome")
	name, _ := outcome.Text("outcome")
	id, _ := outcome.Text("optionId")
	of, _ := a.offered.Get(m.Request)
	switch {
	case outcome == nil || of.refusal == nil:
		return
	case a.On.Dismiss && name == acp.OutcomeCancelled && !a.conversation.IsTurnCancelled(of.session):
		m.Because(whyDismissed)
	case a.On.Refusals && name == acp.OutcomeSelected && !slices.Contains(of.ids, id) && refuses(id):
		m.Because(whyNotOffered)
	default:
		return
	}
	m.Edit(outcome.Set(wire.Setting{Name: "outcome", Value: []byte(`"selected"`)}, wire.Setting{Name: "optionId", Value: of.refusal})...)
}

// refuses reports whether an id says no.
func refuses(id string) bool {
	id = strings.ToLower(id)
	return id == "no" || slices.ContainsFunc([]string{"reject", "deny", "denied", "decline", "refuse", "disallow", "cancel", "abort"},
		func(word string) bool { return strings.HasPrefix(id, word) })
}
