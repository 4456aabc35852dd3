package rule

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// difference returns what a rule wants and what a message has instead, as quoted texts or JSON
// values. They are "" if a comparison would not help. Why is the result of excludes or mismatch.
func (r *compiledRule) difference(why string, m *message, from Side, f *facts) (want, is string) {
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

// called returns the method of a message in quotes, or "a response".
func (m *message) called() string {
	if m.kind == dispatch.Response {
		return "a response"
	}
	return quoted(m.method)
}

// quoted returns the name and version of a peer in quotes.
func (n identity) quoted() string { return quoted(strings.TrimSpace(n.Name + " " + n.Version)) }

// quoted returns a text in quotes. It returns "" for "".
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return strconv.Quote(text)
}
