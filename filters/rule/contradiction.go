package rule

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"acpshim/internal/wire"

	"github.com/Masterminds/semver/v3"
)

// checkContradictions looks for words of a rule that undo others.
func (c *compiler) checkContradictions() {
	s, r := c.source, c.rule
	for _, t := range []struct {
		key        string
		has, lacks []string
	}{{"client_lacks", s.ClientHas, s.ClientLacks}, {"agent_lacks", s.AgentHas, s.AgentLacks}} {
		for _, pointer := range t.lacks {
			if slices.Contains(t.has, pointer) {
				c.warnAt(t.key, pointer, "never matches: %s is asked to be there, too", pointer)
			}
		}
	}
	for _, pointer := range s.Delete {
		if slices.ContainsFunc(append(slices.Clone(s.Set), s.Append...), func(set Setting) bool {
			return set.Pointer == pointer || strings.HasPrefix(set.Pointer, pointer+"/")
		}) {
			c.warnAt("delete", pointer, "%s is set and then deleted: want one of the two", pointer)
		}
	}
	if (r.drop || r.reply != nil) && (len(r.edits) > 0 || r.jq != nil || r.hold) {
		c.warn("action", "the message goes no further: what else the rule does to it is of no use")
	}
}

// maxCompared bounds the values of a rule that are compared with each other.
const maxCompared = 100

// checkValues looks for values that no message has: two conditions on one place, or
// on a place and what is below it, of which at most one is met.
func (c *compiler) checkValues() {
	r := c.rule
	if len(r.values) > maxCompared {
		return
	}
	for i := range r.values {
		v := &r.values[i]
		if why := r.contradicts(v); why != "" {
			c.warnAt(v.key(), v.pointer.String(), "never matches: %s", why)
			continue
		}
		for j := range r.values {
			if why := r.values[j].excludes(v); i != j && why != "" {
				c.warnAt(v.key(), v.pointer.String(), "never matches: %s", why)
				break
			}
		}
	}
}

func (v *valueTest) key() string {
	key, _, _ := strings.Cut(v.why, " ")
	return key
}

// excludes says why a message that passes v never passes a test of the same place
// or of one below it.
func (v *valueTest) excludes(below *valueTest) string {
	n := len(v.pointer)
	if len(below.pointer) < n || !slices.Equal(v.pointer, below.pointer[:n]) {
		return ""
	}
	rest, isAbsent := below.pointer[n:], below.key() == "when.absent"
	switch v.key() {
	case "when.absent":
		if !isAbsent && len(rest) > 0 {
			return v.pointer.String() + " is asked not to be there"
		}
	case "when.equals":
		value := []byte(v.text)
		if isAbsent && len(rest) == 0 {
			return below.pointer.String() + " is asked to be there, too"
		}
		raw, err := value, error(nil)
		if len(rest) > 0 {
			var at wire.Span
			if at, err = rest.Locate(value); err == nil {
				raw = value[at.Start:at.End]
			}
		}
		if !below.test(raw, err) {
			return v.pointer.String() + " is asked to be " + v.text
		}
	case "when.glob", "when.regexp":
		if !isAbsent && len(rest) > 0 {
			return v.pointer.String() + " is asked to be a string"
		}
		fallthrough
	case "when.has":
		if isAbsent && len(rest) == 0 {
			return below.pointer.String() + " is asked to be there, too"
		}
	}
	return ""
}

// contradicts says why what the rule is about never has a value.
func (r *compiled) contradicts(v *valueTest) string {
	if v.key() == "when.absent" || len(v.pointer) == 0 {
		return ""
	}
	switch first := v.pointer[0]; {
	case r.responseTo != nil && (first == "params" || first == "method"):
		return "answers have no " + first
	case (r.method != nil || r.update != nil) && (first == "result" || first == "error"):
		return "only answers have a " + first
	}
	for _, t := range []struct {
		key, pointer string
		pattern      *pattern
	}{{"method", "/method", r.method}, {"update", "/params/update/sessionUpdate", r.update}, {"session", "/params/sessionId", r.session}} {
		if t.pattern == nil || v.key() != "when.equals" || v.pointer.String() != t.pointer {
			continue
		}
		if text, ok := wire.Text([]byte(v.text)); !ok || !t.pattern.match(text) {
			return t.key + " asks for another one"
		}
	}
	return ""
}

// checkPeers looks for conditions on the client or the agent that none meets.
func (c *compiler) checkPeers() {
	s := c.source
	for _, t := range []struct{ key, first, second string }{{"client", s.Client, s.When.Client}, {"agent", s.Agent, s.When.Agent}} {
		if c.noVersion(t.key, t.first) || c.noVersion("when."+t.key, t.second) {
			continue
		}
		if t.first == "" || t.second == "" {
			continue
		}
		first, _ := NewPeerPattern(t.first)
		second, _ := NewPeerPattern(t.second)
		if first.names() == nil {
			first, second = second, first
		}
		var who []Peer
		for _, name := range first.names() {
			who = append(who, Peer{Name: name})
			for _, v := range versionsAround(t.first + " " + t.second) {
				who = append(who, Peer{Name: name, Version: v.String()})
			}
		}
		if who == nil {
			continue // two patterns may both match some name
		}
		if !slices.ContainsFunc(who, func(p Peer) bool { return first.Match(p) && second.Match(p) }) {
			c.warn("when."+t.key, "never matches: %s asks for another one", t.key)
		}
	}
}

// noVersion reports whether it has warned of a range that no version is in.
func (c *compiler) noVersion(key, text string) bool {
	err := Unmatched(text)
	if err != nil {
		c.warn(key, "never matches: %v", err)
	}
	return err != nil
}

// Unmatched says why the text of a [PeerPattern] is likely to match no peer, because
// of its versions; nil if it may match one, or is no such text.
func Unmatched(text string) error {
	p, err := NewPeerPattern(text)
	switch {
	case err != nil || p.negated:
		return nil
	case p.versions == nil && looksVersioned().MatchString(text):
		return fmt.Errorf("%q is a name as a whole: want a space and one of < > = ~ ^ before versions, as in \"Zed >=0.200 <1\"", text)
	case p.versions == nil || slices.ContainsFunc(versionsAround(text), p.versions.Check):
		return nil
	}
	return fmt.Errorf("no version is all of %q", text)
}

// looksVersioned matches names that end like a range of versions.
var looksVersioned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([<>=~^]| !| v?\d+\.\d)[^a-zA-Z]*$`)
})

// versionsAround returns the versions that a text names and those next to them: if
// any version is in a range that the text has, one of these is.
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
