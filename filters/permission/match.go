package permission

import (
	"path"
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
	"acpshim/internal/text/glob"
)

// A call is the tool call of a permission request: what the agent announced of it, with the members
// of the request.
type call struct {
	id          string
	kind, title member
	locations   []string // "" for one without a path
	isLocated   bool     // the locations are known

	tools        []string // the names of its tool
	isToolKnown  bool
	rawInput     []byte
	isInputKnown bool
	command      *command // of rawInput; nil until a rule asks
}

// A member of a call may be missing because acpshim does not know it.
type member struct {
	text    string
	isKnown bool
}

// callOf returns the call of a request. A call without a kind may be of any kind, because agents
// leave it out of a request if they announced it before.
func callOf(of *conversation.Call, request *wire.Object) *call {
	c := &call{}
	c.id, _ = request.Text("toolCallId")
	c.kind.text, _ = of.Text("kind")
	c.kind.isKnown = c.kind.text != ""
	c.title.text, c.title.isKnown = of.Text("title")
	locations, isKnown := of.Raw("locations")
	all, _ := wire.Elements(locations)
	for _, raw := range all {
		l, _ := wire.Parse(raw)
		location, _ := l.Text("path")
		c.locations = append(c.locations, location)
	}
	c.isLocated = isKnown
	names, isKnown := of.Raw(conversation.CallTool)
	c.tools, _ = texts(names)
	c.isToolKnown = isKnown
	c.rawInput, c.isInputKnown = of.Raw("rawInput")
	return c
}

// An unmet condition of a rule is its key, with the rule's value and the call's. The key is "" if
// all conditions are met.
type unmet struct {
	key, want, is string
	isUnclear     bool // the call may meet the condition: the member is not known
}

// unmet returns the first condition of a rule that a call does not meet. For a rule that allows,
// the kind must be known, and all locations must match, of which there must be at least one. For
// any other rule, one location is enough.
func (r *Rule) unmet(c *call) unmet {
	switch {
	// With switch_mode, agents ask for approval of a plan. Only a rule that names this kind decides
	// such calls.
	case c.kind.text == acp.KindSwitchMode && !r.namesKind(acp.KindSwitchMode):
		return unmet{"kind", `one that names "switch_mode"`, c.kind.text, false}
	case c.asksForConsent():
		return unmet{key: "it asks a person a question"}
	case r.Allows() && !c.kind.isKnown:
		return unmet{"kind", r.Kind, "", true}
	case r.Allows() && !c.title.isKnown: // it may be a question
		return unmet{"title", r.Title, "", true}
	}
	if u := c.kind.unmet("kind", r.Kind); u.key != "" {
		return u
	}
	if u := c.title.unmet("title", r.Title); u.key != "" {
		return u
	}
	if u := r.unmetLocation(c); u.key != "" {
		return u
	}
	if u := r.unmetTool(c); u.key != "" {
		return u
	}
	return r.unmetCommand(c)
}

// unmet returns the condition that the member matches a pattern, if it does not.
func (m member) unmet(key, pattern string) unmet {
	switch {
	case pattern == "" || pattern == "*":
	case !m.isKnown:
		return unmet{key, pattern, "", true}
	case !matches(pattern, m.text):
		return unmet{key, pattern, m.text, false}
	}
	return unmet{}
}

func (r *Rule) unmetLocation(c *call) unmet {
	if r.Location == "" {
		return unmet{}
	}
	matching := 0
	for _, location := range c.locations {
		if matches(r.Location, location) && location != "" && !(r.Allows() && leadsUp(location)) {
			matching++
		}
	}
	if c.isLocated && matching > 0 && (matching == len(c.locations) || !r.Allows()) {
		return unmet{}
	}
	return unmet{"location", r.Location, strings.Join(c.locations, ", "), !c.isLocated}
}

// namesKind reports whether a kind is one of the words of a rule's pattern.
func (r *Rule) namesKind(kind string) bool {
	g, err := glob.Compile(r.Kind)
	return err == nil && slices.Contains(g.Texts(), kind)
}

// asksForConsent reports whether a call is a question for a person: to open a URL, or to fill in a
// form. Agents ask so if the client knows no questions, such as Codex-acp for its MCP servers.
// Rules never decide such calls. The id of a subagent's call has a slash before it.
// Read: felinics/Memoh#972
func (c *call) asksForConsent() bool {
	return strings.HasPrefix(path.Base(c.id), "elicitation-") || c.title.text == "Question from MCP server"
}

// leadsUp reports whether a path contains "..": it may be in another folder than it seems.
func leadsUp(path string) bool {
	return slices.Contains(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

func matches(pattern, text string) bool {
	g, err := glob.Compile(pattern)
	return err == nil && g.Match(text)
}
