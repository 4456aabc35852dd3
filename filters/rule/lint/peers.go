package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"acpshim/filters/rule"

	"github.com/Masterminds/semver/v3"
	"github.com/agnivade/levenshtein"
)

// checkPeers warns of patterns that match no client or agent.
func (l *linter) checkPeers() {
	for _, t := range []struct{ key, text string }{
		{"client", l.Client}, {"when.client", l.When.Client}, {"agent", l.Agent}, {"when.agent", l.When.Agent},
	} {
		if err := Unmatched(t.text); err != nil {
			l.warn(t.key, "", "never matches: %v", err)
		} else if err := Misnamed(t.key, t.text); err != nil {
			l.warn(t.key, "", "%v", err)
		}
	}
}

// Unmatched returns an error if the text of a [rule.PeerPattern] probably matches no peer because
// of its versions. It returns nil for invalid text.
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

// Names of clients and agents. Others are not mistakes.
var (
	knownClients = []string{
		"zed", "JetBrains.IntelliJ IDEA", "JetBrains.WebStorm", "JetBrains.PyCharm", "CodeCompanion.nvim", "avante.nvim",
		"agentic.nvim", "agent-shell", "acpx", "Toad", "Jupyter AI", "marimo",
	}
	knownAgents = []string{
		"@agentclientprotocol/codex-acp", "@agentclientprotocol/claude-agent-acp", "codex-acp", "claude-agent-acp",
		"OpenCode", "goose", "gemini-cli", "qwen-code", "Kimi CLI", "Kiro CLI", "GitHub Copilot", "oh-my-pi",
	}
)

// Misnamed returns an error if the text of a [rule.PeerPattern] matches no known name but is
// similar to one. Key ends in "client" or "agent".
func Misnamed(key, text string) error {
	p, err := rule.NewPeerPattern(text)
	if err != nil {
		return nil
	}
	known := knownClients
	if strings.HasSuffix(key, "agent") {
		known = knownAgents
	}
	name := p.Name()
	isWhole, name := !strings.Contains(name, "*"), strings.ToLower(strings.Trim(name, "*"))
	best := ""
	for _, other := range known {
		if p.MatchesName(other) {
			return nil
		}
		part := strings.ToLower(other)
		if best == "" && (isNearly(name, part) || !isWhole && len(part) > len(name) && isNearly(name, part[:len(name)])) {
			best = other
		}
	}
	if best == "" {
		return nil
	}
	return fmt.Errorf("no known %s is called %q: did you mean %q?", key[strings.LastIndexByte(key, '.')+1:], name, best)
}

// isNearly reports whether a name is probably a misspelling of another: it has the same letters in
// another order or, if it is not short, one or two mistakes.
func isNearly(name, other string) bool {
	letters := func(s string) []byte { return slices.Sorted(slices.Values([]byte(s))) }
	return name != other && (len(name) > 4 && levenshtein.ComputeDistance(name, other) <= max(1, min(2, len(other)/8)) ||
		len(name) > 2 && slices.Equal(letters(name), letters(other)))
}

// looksVersioned returns an expression for names that probably end in a version range.
var looksVersioned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([<>=~^]| !| v?\d+\.\d)[^a-zA-Z]*$`)
})

// versionsAround returns the versions in a text and the versions next to them. If a range in the
// text contains any version, it contains one of these.
func versionsAround(text string) []*semver.Version {
	around := []*semver.Version{semver.New(0, 0, 0, "0", ""), semver.New(0, 0, 0, "", "")}
	isPart := func(c rune) bool {
		return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '.' || c == '-'
	}
	for _, name := range strings.FieldsFunc(text, func(c rune) bool { return !isPart(c) }) {
		v, err := semver.NewVersion(strings.TrimRight(name, ".xX")) // 1.x counts as 1
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
