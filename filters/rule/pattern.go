package rule

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/glob"

	"github.com/Masterminds/semver/v3"
)

// A pattern is a glob that a ! before it negates. A nil pattern matches all.
type pattern struct {
	text    string // as it was written
	negated bool
	glob    glob.Glob
	texts   []string // all that it matches, if that is known
}

// newPattern reads a pattern; "" gives nil.
func newPattern(text string) (*pattern, error) {
	if text == "" {
		return nil, nil
	}
	p := &pattern{text: text}
	text, p.negated = strings.CutPrefix(text, "!")
	var err error
	if p.glob, err = glob.Compile(text); err != nil {
		return nil, err
	}
	if !p.negated {
		p.texts = p.glob.Texts()
	}
	return p, nil
}

func (p *pattern) match(text string) bool {
	return p == nil || p.glob.Match(text) != p.negated
}

// parts are texts that stand in every text that p matches.
func (p *pattern) parts() []string {
	if p.negated {
		return nil
	}
	return p.glob.Parts()
}

// covers reports that p matches whatever other does, as far as that is easily
// told.
func (p *pattern) covers(other *pattern) bool {
	switch {
	case p == nil:
		return true
	case other == nil:
		return false
	case p.text == other.text || p.text == "*":
		return true
	}
	return other.texts != nil && !slices.ContainsFunc(other.texts, func(text string) bool { return !p.match(text) })
}

// A PeerPattern matches what a client or an agent calls itself. It does not
// change, and is for any goroutine.
type PeerPattern struct {
	name     glob.Glob
	negated  bool
	versions *semver.Constraints // nil: all
}

// NewPeerPattern reads a glob that a ! may negate. A version range may follow: a
// space and one of < > = ~ ^ begin it.
func NewPeerPattern(text string) (*PeerPattern, error) {
	name, versions := text, ""
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++ // what is behind it is meant
		} else if text[i] == ' ' && i+1 < len(text) && strings.IndexByte("<>=~^", text[i+1]) >= 0 {
			name, versions = text[:i], text[i+1:]
			break
		}
	}
	p := &PeerPattern{}
	name, p.negated = strings.CutPrefix(strings.TrimSpace(name), "!")
	if name == "" || name[0] == '!' {
		return nil, fmt.Errorf("%q: want a name, and at most one ! before it, as in \"!JetBrains*\"", text)
	}
	var err error
	if p.name, err = glob.Compile(name); err != nil {
		return nil, err
	}
	if versions != "" {
		if p.versions, err = semver.NewConstraint(versions); err != nil {
			return nil, fmt.Errorf("version range %q: want one such as \">=0.200 <1\"", versions)
		}
		p.versions.IncludePrerelease = true
	}
	return p, nil
}

// names are all that it matches, nil if that is not known.
func (p *PeerPattern) names() []string {
	if p.negated {
		return nil
	}
	return p.name.Texts()
}

// Match reports whether the pattern is about a peer. A version that is none is in
// no range.
func (p *PeerPattern) Match(who Peer) bool {
	return p.matchPlain(who) != p.negated
}

func (p *PeerPattern) matchPlain(who Peer) bool {
	if !p.name.Match(who.Name) {
		return false
	}
	if p.versions == nil {
		return true
	}
	v, err := semver.NewVersion(who.Version)
	return err == nil && p.versions.Check(v)
}
