// Package permission has the adapter that answers permission requests of the agent by rules of the
// configuration. A rule names the kind of the option to choose, never its id or its place in the
// list: agents order options differently, so an answer by place could approve what it was meant to
// refuse. A request that no rule answers goes to the client.
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

// Ask is the answer of a rule that leaves a request to the user.
const Ask = "ask"

// A Rule answers permission requests. What is empty matches all.
type Rule struct {
	Name     string
	Kind     string // a glob on the kind of the tool call
	Title    string // a glob on its title
	Location string // a glob on the paths of its locations
	Client   string // a rule.PeerPattern
	Agent    string // likewise
	Answer   string // the kind of the option that is chosen, or Ask
}

// Allows reports whether the rule answers yes.
func (r *Rule) Allows() bool { return r.Answer == "allow_once" || r.Answer == "allow_always" }

// Options of an Adapter.
type Options struct {
	Conversation *conversation.Conversation
	Rules        []Rule // the first that matches decides; their patterns were checked

	// Client and Agent are what is known about the peers until they name themselves.
	Client, Agent rule.Peer

	// Answered is told of each answer. It may be nil, and must not block.
	Answered func(rule, option, title string)

	// Step is told what each rule does with each request; nil if nobody wants to know.
	Step func(rule.Step)
}

// An Adapter answers permission requests.
//
//   - Settles: An editor has no rules by which tool calls are approved or refused without a
//     question.
//   - For: Those for whom [[permission]] tables are written.
//   - Keys: permission
//   - Read: zed-industries/zed#57355, zed-industries/zed#57665, zed-industries/zed#56722
type Adapter struct {
	dispatch.Base
	opts          Options
	rules         []*Rule // those for these peers, since initialize was answered; under the lock
	client, agent rule.Peer
	isOn          bool // they speak version 1
}

// WhyAnswered is what records say of a request that a rule answers, and of the answer.
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

// answer responds to a request in the client's place, unless it has a response. If the agent does
// not read, the request goes on.
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

// unmet returns the first key of a rule that a tool call does not meet, what the rule wants there,
// and what there is; "" if it meets all. A rule that allows wants all locations to match, and one
// at least; any other wants one to match.
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

// switchMode is the kind of the call by which agents have a plan approved. Only a rule that names
// it answers that.
const switchMode = "switch_mode"

// namesKind reports whether a rule's pattern has a kind as one of its words.
func (r *Rule) namesKind(kind string) bool {
	g, err := glob.Compile(r.Kind)
	return err == nil && slices.Contains(g.Texts(), kind)
}

// asksForConsent reports whether a call is a question to a person that an agent asks as a
// permission request, as the client knows no others: to open a URL, or to fill in a form. No rule
// answers that. Codex-acp does so for the MCP servers that it runs.
// Read: felinics/Memoh#972
func asksForConsent(call *wire.Object) bool {
	id, _ := call.Text("toolCallId")
	title, _ := call.Text("title")
	return strings.HasPrefix(id, "elicitation-") || title == "Question from MCP server"
}

// leadsUp reports whether a path has a step to the folder above: it may be of another folder than
// it looks.
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

// option returns the raw id of the one option of the kind that the rule chooses; nil if there is
// none, or several, or if another option has its id.
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

// response returns the response to the request with that raw id.
func response(id, option []byte) []byte {
	result := append([]byte(`{"outcome":{"outcome":"selected","optionId":`), option...)
	return wire.Result(id, append(result, "}}"...))
}
