package repair

import (
	"slices"
	"strconv"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// OptionIDs is an adapter that replaces the ids of permission options by their kinds, for a client
// that reads yes or no from the ids. The agent gets its own id back.
//
// Agents choose ids freely: claude-agent-acp uses acceptEdits, default and plan for its plan. The
// buttons of avante.nvim read allow, allow_once and allow_always as yes, and any other id as no.
// Then avante sends the id of the last option of kind allow_once, allow_always or reject_once. So
// the last option of a kind gets the kind as its id. The others of that kind keep ids that mean no.
// So a click approves only the option that was clicked.
//
// The adapter stands between permission rules, which see the agent's ids, and acpshim's own
// requests.
//
//   - Settles: A click on yes counts as no: the client reads yes or no from the id of a permission
//     option, but agents choose ids freely.
//   - For: avante.nvim, when you click its buttons.
//   - Keys: repair.option_ids
//   - Read: github.com/yetone/avante.nvim, lua/avante/llm_tools/helpers.lua
type OptionIDs struct {
	repair
	conversation *conversation.Conversation
	renamed      *conversation.Slot[*conversation.Request, renamedOptions]
}

// renamedOptions are the raw ids of the agent, by the ids that the client got instead.
type renamedOptions map[string][]byte

// NewOptionIDs returns an OptionIDs adapter.
func NewOptionIDs(c *conversation.Conversation, isOn IsOn) *OptionIDs {
	return &OptionIDs{
		conversation: c, renamed: conversation.NewSlot[*conversation.Request, renamedOptions](c),
		repair: newRepair(isOn,
			dispatch.Want{From: dispatch.Agent, Methods: []string{acp.SessionRequestPermission}},
			dispatch.Want{From: dispatch.Client, Responses: []string{acp.SessionRequestPermission}}),
	}
}

// Handle implements dispatch.Adapter.
func (a *OptionIDs) Handle(m *dispatch.Message) {
	switch {
	case m.Kind == dispatch.Request && m.Method == acp.SessionRequestPermission:
		a.rename(m)
	case m.Request != nil && m.Request.Method == acp.SessionRequestPermission:
		a.restore(m)
	}
}

// rename replaces the ids of a request's options. It leaves them if there is no room to record the
// agent's ids.
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
	m.Because(whyOptionID)
	m.Edit(edits...)
}

// keep records the agent's ids until the response, and reports whether there was room.
func (a *OptionIDs) keep(r *conversation.Request, renamed renamedOptions, weight int) bool {
	return a.renamed.Put(r, renamed, weight)
}

// restore replaces the id that the client chose by the agent's. Unknown ids stay as they are.
func (a *OptionIDs) restore(m *dispatch.Message) {
	renamed, _ := a.renamed.Get(m.Request)
	if renamed == nil {
		return
	}
	o, _ := wire.Parse(m.Line, "result", "result.outcome")
	outcome := o.Open("result").Open("outcome")
	id, ok := wire.Exact(outcome.Raw("optionId"))
	if name, _ := outcome.Text("outcome"); !ok || name != acp.OutcomeSelected || renamed[id] == nil {
		return
	}
	m.Because(whyOptionIDBack)
	m.Edit(wire.Edit{Span: outcome.Get("optionId").Value, With: renamed[id]})
}

type permissionOption struct {
	id, kind string
	at       wire.Span // of the id, in the line of the request
}

// readOptions returns the options of a permission request. It returns nil if one of them cannot be
// read, has no id, or has the id of another one.
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

// kinds are the kinds of permission options.
var kinds = []string{acp.AllowOnce, acp.AllowAlways, acp.RejectOnce, acp.RejectAlways}

// shownIDs returns the ids of options for the client. They are unique, and no option gets the id
// that the agent gave another one: an id that is not restored, whatever the reason, never means
// another option.
//
//   - The last option of a kind gets the kind, unless another option has that id.
//   - The others keep the agent's id. If avante would read it as yes, they get a neutral id.
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
			ids[i] = neutral(i+1, isTaken)
		}
	}
	return ids
}

// neutral returns an id that is not taken, and marks it as taken. At most five options need one.
func neutral(n int, isTaken map[string]bool) string {
	for {
		id := "option-" + strconv.Itoa(n)
		if !isTaken[id] {
			isTaken[id] = true
			return id
		}
		n++
	}
}
