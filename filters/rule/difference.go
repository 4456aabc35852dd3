package rule

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// difference returns what a rule wants where it does not match a message, and what is there, as far
// as both are texts or JSON values that a person can compare: texts in quotes, else "". Why is what
// the rule's excludes or mismatch returned.
func (r *compiled) difference(why string, m *message, from Side, f *facts) (want, is string) {
	s := r.source
	switch why {
	case "from":
		return quoted(string(s.From)), quoted(string(from))
	case "client":
		return quoted(s.Client), f.client().quoted()
	case "when.client":
		return quoted(s.When.Client), f.client().quoted()
	case "agent":
		return quoted(s.Agent), f.agent().quoted()
	case "when.agent":
		return quoted(s.When.Agent), f.agent().quoted()
	case "method":
		return quoted(s.Method), m.called()
	case "update":
		return quoted(s.Update), cmp.Or(quoted(m.update), m.called())
	case "response_to":
		return quoted(s.ResponseTo), cmp.Or(quoted(m.responseTo), m.called())
	case "session":
		return quoted(s.Session), quoted(m.session)
	}
	for i := range r.conditions {
		if c := &r.conditions[i]; c.why == why {
			return c.difference(m)
		}
	}
	return "", ""
}

func (c *Condition) difference(m *message) (want, is string) {
	switch c.Key {
	case "when.equals":
		want = c.Text
	case "when.glob", "when.regexp":
		want = quoted(c.Text)
	}
	if want == "" || c.Pointer.IsMany() {
		return want, ""
	}
	raw, err := m.find(c)
	if errors.Is(err, wire.ErrNoValue) {
		return want, "not there"
	}
	return want, string(raw)
}

// called is the method of a message in quotes; of a response it says that it is one.
func (m *message) called() string {
	if m.kind == dispatch.Response {
		return "a response"
	}
	return quoted(m.method)
}

// quoted is what the peer calls itself, in quotes, with its version.
func (n named) quoted() string { return quoted(strings.TrimSpace(n.Name + " " + n.Version)) }

// quoted is a text in quotes, and "" for no text.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return strconv.Quote(text)
}
