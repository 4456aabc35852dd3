package rule

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"acpshim/internal/text/glob"

	"github.com/Masterminds/semver/v3"
)

// A pattern is a glob, which ! may negate. A nil pattern matches everything.
type pattern struct{ glob.Glob }

// newPattern compiles a pattern. It returns nil for "".
func newPattern(text string) (*pattern, error) {
	if text == "" {
		return nil, nil
	}
	g, err := glob.CompileNegatable(text)
	if err != nil {
		return nil, err
	}
	return &pattern{g}, nil
}

func (p *pattern) match(text string) bool { return p == nil || p.Match(text) }

// A PeerPattern matches the name and version of a client or an agent. It is immutable and may be
// used from any goroutine.
type PeerPattern struct {
	text     string // the glob
	name     glob.Glob
	negated  bool
	versions *semver.Constraints
}

// NewPeerPattern compiles a glob for a name, ignoring case. A version range may follow: it begins
// with a space and one of < > = ~ ^. A ! before the name negates all of it.
func NewPeerPattern(text string) (*PeerPattern, error) {
	name, versions := text, ""
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++ // the next character is escaped
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
	p.text = name
	var err error
	if p.name, err = glob.Compile(strings.ToLower(name)); err != nil {
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

// Matches reports whether the peer matches a valid PeerPattern. An empty pattern matches every
// peer.
func (p Peer) Matches(pattern string) bool {
	if pattern == "" {
		return true
	}
	matcher, err := NewPeerPattern(pattern)
	return err == nil && matcher.Match(p)
}

// Name returns the glob for the name.
func (p *PeerPattern) Name() string { return p.text }

// Versions returns the version range, or nil.
func (p *PeerPattern) Versions() *semver.Constraints { return p.versions }

// Match reports whether the pattern matches a peer. An invalid version is in no range.
func (p *PeerPattern) Match(who Peer) bool {
	return (p.MatchesName(who.Name) && p.inRange(who.Version)) != p.negated
}

// MatchesName is Match without the version range and without negation.
func (p *PeerPattern) MatchesName(name string) bool { return p.name.Match(strings.ToLower(name)) }

func (p *PeerPattern) inRange(version string) bool {
	if p.versions == nil {
		return true
	}
	v, err := semver.NewVersion(version)
	return err == nil && p.versions.Check(v)
}

// maxRegexp is the largest regular expression, in bytes with all repetitions written out. The time
// to match a text grows with that.
const maxRegexp = 10_000

// newRegexp compiles a regular expression in RE2 syntax. It returns an error if it is larger than
// maxRegexp.
func newRegexp(text string) (*regexp.Regexp, error) {
	size := len(text)
	if size <= maxRegexp && strings.Contains(text, "{") {
		re, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			return nil, err
		}
		size = max(size, writtenOut(re))
	}
	if size > maxRegexp {
		return nil, fmt.Errorf("too big: it is %d long with what it repeats, want at most %d", size, maxRegexp)
	}
	return regexp.Compile(text)
}

// writtenOut returns about how long an expression is with all repetitions written out.
func writtenOut(re *syntax.Regexp) int {
	parts := 1
	for _, sub := range re.Sub {
		parts += writtenOut(sub)
	}
	if re.Op == syntax.OpLiteral {
		parts = len(re.Rune)
	}
	if re.Op == syntax.OpRepeat {
		parts *= max(re.Min, re.Max, 1)
	}
	return parts
}
