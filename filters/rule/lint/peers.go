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
	for _, t := range []struct{ key, text string }{
		{"client", l.Client}, {"when.client", l.When.Client}, {"agent", l.Agent}, {"when.agent", l.When.Agent},
	} {
		if err := Unmatched(t.text); err != nil {
			l.warn(t.key, "", "never matches: %v", err)
		}
	}
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
