package rule

import (
	"cmp"
	"strconv"
	"strings"

	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// difference returns what a rule wants where it does not match a message, and what is there, as far
// as both are texts or JSON values that a person can compare: texts in quotes, else "". Why is what
// the rule's excludes or mismatch returned.
func (r *compiled) difference(why string, m *message, from Side, f *Facts) (want, is string) {
	s := r.source
	key, pointer, _ := strings.Cut(why, " ")
	switch key {
	case "from":
		return quoted(string(s.From)), quoted(string(from))
	case "client":
		return quoted(s.Client), named(f.namedClient())
	case "when.client":
		return quoted(s.When.Client), named(f.namedClient())
	case "agent":
		return quoted(s.Agent), named(f.namedAgent())
	case "when.agent":
		return quoted(s.When.Agent), named(f.namedAgent())
	case "method":
		return quoted(s.Method), m.called()
	case "update":
		return quoted(s.Update), cmp.Or(quoted(m.update), m.called())
	case "response_to":
		return quoted(s.ResponseTo), cmp.Or(quoted(m.responseTo), m.called())
	case "session":
		return quoted(s.Session), quoted(m.session)
	case "when.equals":
		return string(s.When.Equals[pointer]), m.values[pointer].text()
	case "when.glob":
		return quoted(s.When.Glob[pointer]), m.values[pointer].text()
	case "when.regexp":
		return quoted(s.When.Regexp[pointer]), m.values[pointer].text()
	}
	return "", ""
}

// called is the method of a message in quotes; of a response it says that it is one.
func (m *message) called() string {
	if m.kind == dispatch.Response {
		return "a response"
	}
	return quoted(m.method)
}

// text is a value as it stands in the message; "" if it was not looked for.
func (f found) text() string {
	switch {
	case f.err == wire.ErrNoValue:
		return "not there"
	case f.err != nil:
		return ""
	}
	return string(f.raw)
}

// named is what a peer calls itself, in quotes, with its version.
func named(p *Peer) string {
	if p == nil {
		return ""
	}
	return quoted(strings.TrimSpace(p.Name + " " + p.Version))
}

// quoted is a text in quotes, and "" for no text.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return strconv.Quote(text)
}
