package repair

import (
	"slices"
	"strconv"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// OptionIDs is an adapter that names the options of a permission request by their kinds, for a
// client that decides by these names. The client's choice goes to the agent with the agent's own
// id.
//
// Agents choose ids freely: for the plan of claude-agent-acp they are acceptEdits, default and
// plan. The buttons of avante.nvim take allow, allow_once and allow_always for yes, and any other
// id for no. Then avante sends the id of the last option of kind allow_once, allow_always or
// reject_once. So the last option of a kind gets the kind as its id, and the others of that kind
// keep ids that mean no: what a click approves is the option that was clicked.
//
// It stands between permission rules, which see the agent's ids, and the requests of acpshim's own.
//
//   - Settles: A client takes a permission option for a yes or a no by its id, which agents choose
//     freely: a click on yes is sent as no.
//   - For: avante.nvim with its buttons.
//   - Keys: repair.option_ids
//   - Read: github.com/yetone/avante.nvim, lua/avante/llm_tools/helpers.lua
type OptionIDs struct {
	repair
	conversation *conversation.Conversation
	renamed      *conversation.Slot[*conversation.Request, renamedOptions]
}

// RenamedOptions are the agent's ids of the options that have another id for the client, by that
// one. The agent's ids are raw.
type renamedOptions map[string][]byte

// NewOptionIDs returns an OptionIDs adapter.
func NewOptionIDs(c *conversation.Conversation, isOn IsOn) *OptionIDs {
	return &OptionIDs{
		conversation: c, renamed: conversation.NewSlot[*conversation.Request, renamedOptions](c),
		repair: newRepair(isOn,
			dispatch.Want{From: dispatch.Agent, Methods: []string{permission}},
			dispatch.Want{From: dispatch.Client, Responses: []string{permission}}),
	}
}

// Handle implements dispatch.Adapter.
func (a *OptionIDs) Handle(m *dispatch.Message) {
	switch {
	case m.Kind == dispatch.Request && m.Method == permission:
		a.rename(m)
	case m.Request != nil && m.Request.Method == permission:
		a.restore(m)
	}
}

// rename gives the options of a request their ids for the client, if the agent's ids are known when
// the response comes.
func (a *OptionIDs) rename(m *dispatch.Message) {
	options := readOptions(m.Params())
	renamed, weight := renamedOptions{}, 0
	var edits []wire.Edit
	for i, id := range shownIDs(options) {
		o := options[i]
		if id == o.id {
			continue
		}
		raw := slices.Clone(m.Line[o.at.Start:o.at.End])
		renamed[id], weight = raw, weight+128+len(id)+len(raw)
		edits = append(edits, wire.Edit{Span: o.at, With: wire.Quote(nil, id)})
	}
	if edits == nil || !a.keep(a.conversation.Pending(dispatch.Agent, m.ID), renamed, weight) {
		return
	}
	m.Because("the client reads yes or no from an option's id (repair.option_ids)")
	m.Edit(edits...)
}

// keep reports whether the agent's ids are kept until the response comes.
func (a *OptionIDs) keep(r *conversation.Request, renamed renamedOptions, weight int) bool {
	a.conversation.Lock()
	defer a.conversation.Unlock()
	return a.renamed.Put(r, renamed, weight)
}

// restore gives the agent its own id of the option that the client chose. An id that no renamed
// option has stays as it is.
func (a *OptionIDs) restore(m *dispatch.Message) {
	a.conversation.Lock()
	renamed, _ := a.renamed.Get(m.Request)
	a.conversation.Unlock()
	if renamed == nil {
		return
	}
	o, _ := wire.Parse(m.Line, "result", "result.outcome")
	outcome := o.Open("result").Open("outcome")
	id, ok := wire.Exact(outcome.Raw("optionId"))
	if name, _ := outcome.Text("outcome"); !ok || name != "selected" || renamed[id] == nil {
		return
	}
	m.Because("acpshim restores the agent's id of this option (repair.option_ids)")
	m.Edit(wire.Edit{Span: outcome.Get("optionId").Value, With: renamed[id]})
}

// A permissionOption is an option of a permission request.
type permissionOption struct {
	id, kind string
	at       wire.Span // of the id, in the line of the request
}

// readOptions returns the options of a permission request; nil if one of them is unclear, has no
// id, or has the id of another one. Params are those of the request.
func readOptions(params *wire.Object) (options []permissionOption) {
	list := params.Get("options")
	if list == nil {
		return nil
	}
	raw := params.Raw("options")
	elements, err := wire.Batch(raw)
	if err != nil {
		return nil
	}
	isTaken := map[string]bool{}
	for _, element := range elements {
		o, err := wire.Parse(raw[element.Start:element.End])
		id, isText := wire.Exact(o.Raw("optionId"))
		if err != nil || !isText || isTaken[id] {
			return nil
		}
		isTaken[id] = true
		kind, _ := o.Text("kind")
		at := o.Get("optionId").Value
		from := list.Value.Start + element.Start
		options = append(options, permissionOption{id, kind, wire.Span{Start: from + at.Start, End: from + at.End}})
	}
	return options
}

// kinds are the kinds that options of permission requests have.
var kinds = []string{"allow_once", "allow_always", "reject_once", "reject_always"}

// shownIDs returns the ids of options for the client. They are different, and no option has the id
// that the agent gave another one: an id that is not restored, whatever the reason, never means
// another option.
//
//   - The last option of a kind has that kind, unless the agent calls another option so.
//   - The others have the agent's id. If such a client might take that for an approval, they have
//     an id without a meaning.
func shownIDs(options []permissionOption) []string {
	isTaken, last := map[string]bool{}, map[string]int{}
	for i, o := range options {
		isTaken[o.id] = true
		last[o.kind] = i
	}
	ids := make([]string, len(options))
	for i, o := range options {
		isLast := slices.Contains(kinds, o.kind) && last[o.kind] == i
		switch {
		case isLast && (o.id == o.kind || !isTaken[o.kind]):
			ids[i] = o.kind
		case o.id != "allow" && !slices.Contains(kinds, o.id):
			ids[i] = o.id
		default:
			ids[i] = meaningless(i+1, isTaken)
		}
	}
	return ids
}

// meaningless returns an id that is not taken, and takes it. At most five options need one.
func meaningless(n int, isTaken map[string]bool) string {
	for {
		id := "option-" + strconv.Itoa(n)
		if !isTaken[id] {
			isTaken[id] = true
			return id
		}
		n++
	}
}
