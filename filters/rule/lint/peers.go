package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"acpshim/filters/rule"

	"github.com/Masterminds/semver/v3"
)

// checkPeers warns of conditions on the client or the agent that none meets.
func (l *linter) checkPeers() {
	for _, t := range []struct{ key, first, second string }{{"client", l.Client, l.When.Client}, {"agent", l.Agent, l.When.Agent}} {
		if l.isUnmatched(t.key, t.first) || l.isUnmatched("when."+t.key, t.second) {
			continue
		}
		if t.first != "" && t.second != "" && exclude(t.first, t.second) {
			l.warn("when."+t.key, "", "never matches: %s asks for another one", t.key)
		}
	}
}

// isUnmatched reports whether it has warned of a pattern.
func (l *linter) isUnmatched(key, text string) bool {
	err := Unmatched(text)
	if err != nil {
		l.warn(key, "", "never matches: %v", err)
	}
	return err != nil
}

// exclude reports whether no peer matches both of two patterns, as far as that is easily told: one
// of them has to say which names it matches.
func exclude(one, other string) bool {
	first, _ := rule.NewPeerPattern(one)
	second, _ := rule.NewPeerPattern(other)
	names := first.Names()
	if names == nil {
		names = second.Names()
	}
	versions := []string{""}
	for _, v := range versionsAround(one + " " + other) {
		versions = append(versions, v.String())
	}
	for _, name := range names {
		for _, version := range versions {
			who := rule.Peer{Name: name, Version: version}
			if first.Match(who) && second.Match(who) {
				return false
			}
		}
	}
	return names != nil
}

// Unmatched says why the text of a [rule.PeerPattern] is likely to match no peer, because of its
// versions; nil if it may match one, or is no such text.
func Unmatched(text string) error {
	p, err := rule.NewPeerPattern(text)
	switch {
	case err != nil || strings.HasPrefix(strings.TrimSpace(text), "!"):
		return nil
	case p.Versions() == nil && looksVersioned().MatchString(text):
		return fmt.Errorf("%q is a name as a whole: want a space and one of < > = ~ ^ before versions, as in \"Zed >=0.200 <1\"", text)
	case p.Versions() == nil || slices.ContainsFunc(versionsAround(text), p.Versions().Check):
		return nil
	}
	return fmt.Errorf("no version is all of %q", text)
}

// looksVersioned returns an expression for names that end like a version range.
var looksVersioned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([<>=~^]| !| v?\d+\.\d)[^a-zA-Z]*$`)
})

// versionsAround returns the versions that a text names and those next to them: if any version is
// in a range that the text has, one of these is.
func versionsAround(text string) []*semver.Version {
	around := []*semver.Version{semver.New(0, 0, 0, "0", ""), semver.New(0, 0, 0, "", "")}
	isPart := func(c rune) bool {
		return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '.' || c == '-'
	}
	for _, name := range strings.FieldsFunc(text, func(c rune) bool { return !isPart(c) }) {
		v, err := semver.NewVersion(strings.TrimRight(name, ".xX")) // 1.x names 1, too
		if err != nil {
			continue
		}
		if pre := v.Prerelease(); pre != "" {
			around = append(around, v, semver.New(v.Major(), v.Minor(), v.Patch(), pre+".0", ""))
		}
		for _, edge := range []semver.Version{*semver.New(v.Major(), v.Minor(), v.Patch(), "", ""), v.IncPatch(), v.IncMinor(), v.IncMajor()} {
			above := edge.IncPatch()
			around = append(around, &edge, &above, semver.New(edge.Major(), edge.Minor(), edge.Patch(), "0", ""))
		}
	}
	return around
}
