package rule

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// A glob matches text. A nil glob matches all.
type glob struct {
	text    string // as it was written
	literal bool   // text has no special characters: it matches itself
	negated bool
	re      *regexp.Regexp
}

// newGlob reads a glob; "" gives nil.
func newGlob(text string) (*glob, error) {
	if text == "" {
		return nil, nil
	}
	g := &glob{text: text}
	pattern, negated := strings.CutPrefix(text, "!")
	g.negated = negated
	g.literal = !negated && !strings.ContainsAny(pattern, "*?{}")
	if g.literal {
		return g, nil
	}
	expression, err := globExpression(pattern)
	if err != nil {
		return nil, fmt.Errorf("glob %q: %w", text, err)
	}
	if g.re, err = regexp.Compile(expression); err != nil {
		return nil, fmt.Errorf("glob %q: %w", text, err)
	}
	return g, nil
}

func globExpression(pattern string) (string, error) {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	inside := false
	for _, c := range pattern {
		switch {
		case c == '*':
			b.WriteString(`.*`)
		case c == '?':
			b.WriteString(`.`)
		case c == '{' && !inside:
			b.WriteString(`(?:`)
			inside = true
		case c == '}' && inside:
			b.WriteString(`)`)
			inside = false
		case c == ',' && inside:
			b.WriteString(`|`)
		case c == '{' || c == '}':
			return "", fmt.Errorf("want braces in pairs, none inside others, as in {a,b}")
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	if inside {
		return "", fmt.Errorf("want a } for its {")
	}
	return b.String() + `\z`, nil
}

func (g *glob) match(text string) bool {
	switch {
	case g == nil:
		return true
	case g.literal:
		return text == g.text
	}
	return g.re.MatchString(text) != g.negated
}

// covers reports that g matches whatever other does, as far as that is easily
// told.
func (g *glob) covers(other *glob) bool {
	switch {
	case g == nil:
		return true
	case other == nil:
		return false
	}
	return g.text == other.text || other.literal && g.match(other.text) || g.text == "*"
}

// A peerGlob matches the name and version of a client or an agent.
type peerGlob struct {
	name     *glob // not negated
	versions *semver.Constraints
	negated  bool
}

// newPeerGlob reads a glob that a version range may follow: a space and one of
// < > = ~ ^ begin it.
func newPeerGlob(text string) (*peerGlob, error) {
	name, versions := text, ""
	for i := range text {
		if text[i] == ' ' && i+1 < len(text) && strings.IndexByte("<>=~^", text[i+1]) >= 0 {
			name, versions = text[:i], text[i+1:]
			break
		}
	}
	p := &peerGlob{}
	name, p.negated = strings.CutPrefix(strings.TrimSpace(name), "!")
	var err error
	if p.name, err = newGlob(name); err != nil {
		return nil, err
	}
	if name == "" || p.name.negated {
		return nil, fmt.Errorf("%q: want a name, and at most one ! before it, as in \"!JetBrains*\"", text)
	}
	if versions != "" {
		if p.versions, err = semver.NewConstraint(versions); err != nil {
			return nil, fmt.Errorf("version range %q: want one such as \">=0.200 <1\"", versions)
		}
		p.versions.IncludePrerelease = true
	}
	return p, nil
}

func (p *peerGlob) match(who *Peer) bool {
	return p.matchPlain(who) != p.negated
}

func (p *peerGlob) matchPlain(who *Peer) bool {
	if !p.name.match(who.Name) {
		return false
	}
	if p.versions == nil {
		return true
	}
	v, err := semver.NewVersion(who.Version)
	return err == nil && p.versions.Check(v)
}
