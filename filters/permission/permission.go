// Package permission has the adapter that responds to permission requests by rules of the
// configuration. A rule names the kind of the option to choose, never its id or position: agents
// order options differently, so a position could approve what it was meant to reject. A request
// that no rule decides goes to the client.
package permission

import (
	"bytes"
	"slices"

	"acpshim/filters/rule"
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Ask is the Answer of a rule that leaves a request to the user.
const Ask = "ask"

// A Rule decides permission requests. An empty pattern matches everything.
type Rule struct {
	Name     string
	Kind     string   // a glob for the kind of the tool call
	Title    string   // a glob for its title
	Location string   // a glob for the paths of its locations
	Command  []string // globs for the command that it runs; one must match
	Tool     []string // globs for the name of its tool; one must match
	Client   string   // a rule.PeerPattern
	Agent    string   // a rule.PeerPattern
	Answer   string   // the kind of the option to choose, or Ask
}

// Allows reports whether the rule gives permission.
func (r *Rule) Allows() bool { return r.Answer == acp.AllowOnce || r.Answer == acp.AllowAlways }

// Options of an Adapter.
type Options struct {
	Conversation *conversation.Conversation
	Rules        []Rule // see [deciding]; their patterns must be valid

	// Client and Agent describe the peers until they send their names.
	Client, Agent rule.Peer

	// Answered gets each decision. It may be nil, and must not block.
	Answered func(rule, option, title string)

	// Step gets what each rule does with each request. It may be nil.
	Step func(rule.Step)
}

// An Adapter responds to permission requests by rules.
//
//   - Settles: You are asked about every tool call and every command, because the editor has no
//     rules to approve or reject some of them.
//   - For: Editors without permission rules.
//   - Keys: permission
//   - Seen: kimi-code 2.1.0, opencode 1.18.33
//   - Read: zed-industries/zed#57355, zed-industries/zed#57665, zed-industries/zed#56722,
//     omnigent-ai/omnigent#4928
type Adapter struct {
	dispatch.Base
	opts          Options
	rules         []*Rule // the rules for these peers
	client, agent rule.Peer
	isOn          bool // the peers speak version 1
}

// WhyAnswered is the reason for a request that a rule decides, and for its response.
var WhyAnswered = wire.Reason{Code: "permission.answered", Text: "a permission rule responds to it"}

// New returns an Adapter.
func New(o Options) *Adapter { return &Adapter{opts: o, client: o.Client, agent: o.Agent} }

// Name implements dispatch.Adapter.
func (a *Adapter) Name() string { return "permission" }

// Negotiated implements dispatch.Negotiator.
func (a *Adapter) Negotiated(initialize *conversation.Request) {
	a.client = rule.Peer(initialize.Client.Implementation).Or(a.opts.Client)
	a.agent = rule.Peer(initialize.Agent.Implementation).Or(a.opts.Agent)
	a.rules, a.isOn = nil, initialize.Agent.Version == 1
	for i := range a.opts.Rules {
		r := &a.opts.Rules[i]
		if a.isOn && a.client.Matches(r.Client) && a.agent.Matches(r.Agent) {
			a.rules = append(a.rules, r)
		}
	}
}

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() []dispatch.Want {
	if len(a.rules) == 0 && a.opts.Step == nil {
		return nil
	}
	return []dispatch.Want{{From: dispatch.Agent, Methods: []string{acp.SessionRequestPermission}, Calls: true, Sessions: true}}
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	if m.Kind != dispatch.Request || m.Method != acp.SessionRequestPermission {
		return
	}
	request, err := wire.Parse(m.Params().Raw("toolCall"))
	if err != nil {
		return
	}
	c := callOf(a.opts.Conversation.CallOf(m.Session, request), request)
	if a.opts.Step != nil {
		decided := ""
		if !a.isOn {
			decided = "there was no initialize with version 1 before it"
		}
		for _, step := range explain(a.opts.Rules, a.client, a.agent, c, m.Line, decided) {
			a.opts.Step(step)
		}
	}
	if r := deciding(a.rules, c); r != nil && r.Answer != Ask {
		a.answer(m, r, c)
	}
}

// deciding returns the rule that decides about a call, or nil: the first that matches. An earlier
// rule that may match does not allow the call, but it keeps later rules from doing so. A rule that
// rejects by command or tool wins over one that allows, wherever it stands, and if it may match,
// then no rule allows the call.
func deciding(rules []*Rule, c *call) *Rule {
	first := firstOf(rules, c)
	if first == nil || !first.Allows() {
		return first
	}
	var rejecting []*Rule
	for _, r := range rules {
		if r.rejectsCommands() {
			rejecting = append(rejecting, r)
		}
	}
	for _, r := range rejecting {
		if r.unmet(c).key == "" {
			return r
		}
	}
	if slices.ContainsFunc(rejecting, func(r *Rule) bool { return r.unmet(c).isUnclear }) {
		return nil
	}
	return first
}

func firstOf(rules []*Rule, c *call) *Rule {
	for _, r := range rules {
		switch u := r.unmet(c); {
		case u.key == "":
			return r
		case u.isUnclear && !r.Allows():
			return nil
		}
	}
	return nil
}

// rejectsCommands reports whether a rule wins over rules that allow.
func (r *Rule) rejectsCommands() bool {
	return !r.Allows() && r.Answer != Ask && len(r.Command)+len(r.Tool) > 0
}

// answer responds to a request as a rule says. If the agent does not read, or if not exactly one
// option fits, the request goes to the client instead.
func (a *Adapter) answer(m *dispatch.Message, r *Rule, c *call) {
	option := r.option(m.Params().Raw("options"))
	if option == nil || m.IsStalled() {
		return
	}
	m.By(wire.Cause{Name: r.Name, Why: WhyAnswered})
	if m.Answer(response(m.ID, option)) && a.opts.Answered != nil {
		a.opts.Answered(r.Name, r.Answer, c.title.text)
	}
}

// option returns the raw id of the only option of the kind that the rule chooses. If several reject
// only this call, that is [conversation.Decline]. It returns nil if there is none or several, or if
// another option has the same id.
func (r *Rule) option(options []byte) (id []byte) {
	all, _ := wire.Elements(options)
	times, chosen, n := map[string]int{}, "", 0
	for _, raw := range all {
		o, err := wire.Parse(raw)
		kind, _ := o.Text("kind")
		text, isText := o.Text("optionId")
		times[text]++
		switch {
		case err != nil, kind == r.Answer && !isText:
			return nil
		case kind != r.Answer:
		case n == 0 || r.Answer == acp.RejectOnce && text == conversation.Decline:
			id, chosen = bytes.Clone(o.Raw("optionId")), text
			fallthrough
		default:
			n++
		}
	}
	if times[chosen] != 1 || n > 1 && !(r.Answer == acp.RejectOnce && chosen == conversation.Decline) {
		return nil
	}
	return id
}

// response returns the response to the request with a raw id.
func response(id, option []byte) []byte {
	result := append([]byte(`{"outcome":{"outcome":"selected","optionId":`), option...)
	return wire.Result(id, append(result, "}}"...))
}
