// Package permission has the adapter that responds to permission requests by rules of the
// configuration. A rule names the kind of the option to choose, never its id or position: agents
// order options differently, so a position could approve what it was meant to reject. A request
// that no rule decides goes to the client.
package permission

import (
	"bytes"
	"slices"
	"strings"

	"acpshim/filters/rule"
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/glob"
	"acpshim/internal/wire"
)

// Ask is the Answer of a rule that leaves a request to the user.
const Ask = "ask"

// A Rule decides permission requests. An empty pattern matches everything.
type Rule struct {
	Name     string
	Kind     string // a glob for the kind of the tool call
	Title    string // a glob for its title
	Location string // a glob for the paths of its locations
	Client   string // a rule.PeerPattern
	Agent    string // a rule.PeerPattern
	Answer   string // the kind of the option to choose, or Ask
}

// Allows reports whether the rule gives permission.
func (r *Rule) Allows() bool { return r.Answer == "allow_once" || r.Answer == "allow_always" }

// Options of an Adapter.
type Options struct {
	Conversation *conversation.Conversation
	Rules        []Rule // the first match decides; their patterns must be valid

	// Client and Agent describe the peers until they send their names.
	Client, Agent rule.Peer

	// Answered gets each decision. It may be nil, and must not block.
	Answered func(rule, option, title string)

	// Step gets what each rule does with each request. It may be nil.
	Step func(rule.Step)
}

// An Adapter responds to permission requests by rules.
//
//   - Settles: You are asked about every tool call, because the editor has no rules to approve or
//     reject some of them.
//   - For: Editors without permission rules.
//   - Keys: permission
//   - Read: zed-industries/zed#57355, zed-industries/zed#57665, zed-industries/zed#56722
type Adapter struct {
	dispatch.Base
	opts          Options
	rules         []*Rule // the rules for these peers
	client, agent rule.Peer
	isOn          bool // the peers speak version 1
}

// WhyAnswered is the reason for a request that a rule decides, and for its response.
const WhyAnswered = "a permission rule responds to it"

// New returns an Adapter.
func New(o Options) *Adapter { return &Adapter{opts: o} }

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
	if len(a.rules) == 0 && !(a.isOn && a.opts.Step != nil) {
		return nil
	}
	return []dispatch.Want{{From: dispatch.Agent, Methods: []string{"session/request_permission"}}}
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	if m.Kind != dispatch.Request || m.Method != "session/request_permission" {
		return
	}
	if a.opts.Step != nil {
		for _, step := range Explain(a.opts.Rules, a.client, a.agent, m.Line) {
			a.opts.Step(step)
		}
	}
	call, err := wire.Parse(m.Params().Raw("toolCall"))
	if err != nil {
		return
	}
	for _, r := range a.rules {
		if key, _, _ := r.unmet(call); key != "" {
			continue
		}
		if r.Answer == Ask {
			return
		}
		option := r.option(m.Params().Raw("options"))
		if option == nil {
			return
		}
		a.answer(m, r, option, call)
		return
	}
}

// answer responds to a request. If the agent does not read, the request goes to the client instead.
func (a *Adapter) answer(m *dispatch.Message, r *Rule, option []byte, call *wire.Object) {
	if m.IsStalled() {
		return
	}
	m.By(wire.Cause{Name: r.Name, Why: WhyAnswered})
	if m.Answer(response(m.ID, option)) && a.opts.Answered != nil {
		title, _ := call.Text("title")
		a.opts.Answered(r.Name, r.Answer, title)
	}
}

// unmet returns the first key of a rule that a tool call does not match, with the rule's value and
// the call's. The key is "" if all match. For a rule that allows, all locations must match, and
// there must be at least one. For any other rule, one is enough.
func (r *Rule) unmet(call *wire.Object) (key, want, is string) {
	kind, _ := call.Text("kind")
	title, _ := call.Text("title")
	switch {
	case kind == switchMode && !r.namesKind(switchMode):
		return "kind", `one that names "switch_mode"`, kind
	case asksForConsent(call):
		return "it asks a person a question", "", ""
	case !matches(r.Kind, kind):
		return "kind", r.Kind, kind
	case !matches(r.Title, title):
		return "title", r.Title, title
	case r.Location == "":
		return "", "", ""
	}
	locations, _ := wire.Elements(call.Raw("locations"))
	matching := 0
	var paths []string
	for _, raw := range locations {
		l, _ := wire.Parse(raw)
		path, ok := l.Text("path")
		if ok && matches(r.Location, path) && !(r.Allows() && leadsUp(path)) {
			matching++
		}
		paths = append(paths, path)
	}
	if matching > 0 && (matching == len(locations) || !r.Allows()) {
		return "", "", ""
	}
	return "location", r.Location, strings.Join(paths, ", ")
}

// switchMode is the kind of call with which agents ask for approval of a plan. Only a rule that
// names this kind decides such calls.
const switchMode = "switch_mode"

// namesKind reports whether a kind is one of the words of a rule's pattern.
func (r *Rule) namesKind(kind string) bool {
	g, err := glob.Compile(r.Kind)
	return err == nil && slices.Contains(g.Texts(), kind)
}

// asksForConsent reports whether a call is a question for a person: to open a URL, or to fill in a
// form. Agents ask so if the client knows no questions, such as Codex-acp for its MCP servers.
// Rules never decide such calls.
// Read: felinics/Memoh#972
func asksForConsent(call *wire.Object) bool {
	id, _ := call.Text("toolCallId")
	title, _ := call.Text("title")
	return strings.HasPrefix(id, "elicitation-") || title == "Question from MCP server"
}

// leadsUp reports whether a path contains "..": it may be in another folder than it seems.
func leadsUp(path string) bool {
	return slices.Contains(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

func matches(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	g, err := glob.Compile(pattern)
	return err == nil && g.Match(text)
}

// option returns the raw id of the only option of the kind that the rule chooses. It returns nil if
// there is none or several, or if another option has the same id.
func (r *Rule) option(options []byte) (id []byte) {
	all, _ := wire.Elements(options)
	times, chosen := map[string]int{}, ""
	for _, raw := range all {
		o, err := wire.Parse(raw)
		kind, _ := o.Text("kind")
		text, isText := o.Text("optionId")
		times[text]++
		switch {
		case err != nil, kind == r.Answer && (id != nil || !isText):
			return nil
		case kind == r.Answer:
			id, chosen = bytes.Clone(o.Raw("optionId")), text
		}
	}
	if times[chosen] != 1 {
		return nil
	}
	return id
}

// response returns the response to the request with a raw id.
func response(id, option []byte) []byte {
	result := append([]byte(`{"outcome":{"outcome":"selected","optionId":`), option...)
	return wire.Result(id, append(result, "}}"...))
}
