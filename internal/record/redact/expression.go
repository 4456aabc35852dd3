package redact

import (
	"regexp"
	"slices"
	"sync"

	"acpshim/internal/chain/wire"
)

// An expression is compiled when it is first needed: most runs redact nothing.
type expression func() *regexp.Regexp

func lazily(source string) expression {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
}

// A match has what an expression and its named groups match.
type match struct {
	names []string
	spans []int
}

func (e expression) match(text []byte) (m match, ok bool) {
	m = match{e().SubexpNames(), e().FindSubmatchIndex(text)}
	return m, m.spans != nil
}

// end is where the match ends.
func (m match) end() int { return m.spans[1] }

// group returns the span of a group. It is not ok if the group matches nothing.
func (m match) group(name string) (g wire.Span, ok bool) {
	n := slices.Index(m.names, name)
	g = wire.Span{Start: m.spans[2*n], End: m.spans[2*n+1]}
	return g, g.Start >= 0
}

// A finder returns the span of a secret in a text that begins with what is looked for.
type finder func(text []byte) (secret wire.Span, ok bool)

// inGroup finds what the group "secret" of an expression matches, if it is one; nil is for always.
func inGroup(source string, isSecret func(text []byte) bool) finder {
	expression := lazily(source)
	return func(text []byte) (secret wire.Span, ok bool) {
		m, ok := expression.match(text)
		if !ok {
			return secret, false
		}
		secret, ok = m.group("secret")
		return secret, ok && (isSecret == nil || isSecret(text[secret.Start:secret.End]))
	}
}
