package rule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"

	"github.com/go-json-experiment/json/jsontext"
)

// A Problem is a mistake in a rule.
type Problem struct {
	Rule    int    // the index of the rule
	Name    string // the name of the rule; may be empty
	Key     string // the key in the configuration, such as "when.regexp"
	Part    string // the pointer in the key's list or table; "" for the whole key
	Message string // what is wrong and what would be right
	Warning bool   // the rules work anyway; only package lint sets it
}

// A Set is a list of compiled rules. It is immutable and may be used from any goroutine.
type Set struct {
	rules []*compiledRule
}

// A compiledRule is a rule without errors.
type compiledRule struct {
	matcher
	source   *Rule
	name     string
	index    int
	off      bool
	protocol int    // 0 for any
	needle   needle // of the lines that it matches
	edits    []Edit
	jq       *program
	reply    []byte // the last member of the response: its result or error
	drop     bool
	log      bool
	hold     bool
}

// Compile compiles rules. They must not be changed afterwards. If a rule has an error, Compile
// returns all errors of all rules and no Set. Package lint finds mistakes that are not errors.
func Compile(rules []Rule) (*Set, []Problem) {
	set := &Set{}
	var problems []Problem
	names := map[string]int{}
	for i := range rules {
		c := &compiler{source: &rules[i], rule: &compiledRule{source: &rules[i], index: i, name: rules[i].Name, off: rules[i].Off}}
		if first, taken := names[c.rule.name]; taken && c.rule.name != "" {
			c.problem("name", "", "rule %d has this name, too: want another", first+1)
		}
		names[c.rule.name] = i
		c.compile()
		problems = append(problems, c.problems...)
		set.rules = append(set.rules, c.rule)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return set, nil
}

// A compiler compiles one rule.
type compiler struct {
	source   *Rule
	rule     *compiledRule
	problems []Problem
}

// problem records an error in a key. Part is a pointer in its list or table, or "".
func (c *compiler) problem(key, part, format string, args ...any) {
	c.problems = append(c.problems, Problem{
		Rule: c.rule.index, Name: c.rule.name, Key: key, Part: part, Message: fmt.Sprintf(format, args...)})
}

func (c *compiler) compile() {
	s, r := c.source, c.rule
	if s.Name == "" {
		c.problem("name", "", `missing: add one, such as name = "no usage noise": logs and reports identify a rule by its name`)
	}
	if r.from = cmp.Or(s.From, Both); r.from != Client && r.from != Agent && r.from != Both {
		c.problem("from", "", "%q: want %q, %q or %q", s.From, Agent, Client, Both)
	}
	r.method = c.pattern("method", s.Method)
	r.update = c.pattern("update", s.Update)
	r.responseTo = c.pattern("response_to", s.ResponseTo)
	r.session = c.pattern("session", s.Session)
	c.compileFacts()
	c.compileWhen()
	c.compileActions()
	if len(c.problems) == 0 {
		c.checkProtocol()
	}
}

func (c *compiler) compileFacts() {
	s := c.source
	clientOf := func(f *facts) *conversation.Peer { return f.Client }
	agentOf := func(f *facts) *conversation.Peer { return f.Agent }
	c.peer("client", s.Client, (*facts).client)
	c.peer("agent", s.Agent, (*facts).agent)
	c.peer("when.client", s.When.Client, (*facts).client)
	c.peer("when.agent", s.When.Agent, (*facts).agent)
	c.capabilities("client_has", s.ClientHas, clientOf, true)
	c.capabilities("client_lacks", s.ClientLacks, clientOf, false)
	c.capabilities("agent_has", s.AgentHas, agentOf, true)
	c.capabilities("agent_lacks", s.AgentLacks, agentOf, false)
	if s.Protocol < 0 {
		c.problem("protocol", "", "%d: want a version of the protocol, such as 1", s.Protocol)
	} else if s.Protocol > 0 {
		c.rule.protocol = s.Protocol
		c.fact("protocol", func(f *facts) bool { return f.Version == s.Protocol })
	}
}

// fact adds a condition on the peers or the version. Why is its key.
func (c *compiler) fact(why string, test func(*facts) bool) {
	c.rule.facts = append(c.rule.facts, factTest{why, test})
}

// peer adds a condition on a peer's name and version, if there is a pattern.
func (c *compiler) peer(key, pattern string, of func(*facts) identity) {
	if pattern == "" {
		return
	}
	p, err := NewPeerPattern(pattern)
	if err != nil {
		c.problem(key, "", "%v", err)
		return
	}
	c.fact(key, func(f *facts) bool { who := of(f); return who.known && p.Match(who.Peer) })
}

// capabilities adds conditions on the capabilities of a peer.
func (c *compiler) capabilities(key string, pointers []string, of func(*facts) *conversation.Peer, want bool) {
	for _, text := range pointers {
		if pointer, ok := c.pointer(key, text); ok {
			c.fact(key+" "+text, func(f *facts) bool { who := of(f); return who != nil && announces(who, pointer) == want })
		}
	}
}

func (c *compiler) compileWhen() {
	w := c.source.When
	for _, pointer := range w.Has {
		c.require(c.value("when.has", pointer, "", has), "")
	}
	for _, pointer := range w.Absent {
		c.value("when.absent", pointer, "", absent)
	}
	for _, pointer := range slices.Sorted(maps.Keys(w.Equals)) {
		v, err := canonicalize(w.Equals[pointer])
		if err != nil {
			c.problem("when.equals", pointer, "%s: %v: want a JSON value", pointer, err)
			continue
		}
		text, isText := wire.Text(v)
		if isText {
			text = whole(text)
		}
		c.require(c.value("when.equals", pointer, string(v), equals(v)), text)
	}
	for _, pointer := range slices.Sorted(maps.Keys(w.Glob)) {
		switch g, err := newPattern(w.Glob[pointer]); {
		case err != nil:
			c.problem("when.glob", pointer, "%s: %v", pointer, err)
		case g == nil:
			c.problem("when.glob", pointer, "%s: empty: want a glob; when.equals finds empty text", pointer)
		default:
			c.require(c.value("when.glob", pointer, w.Glob[pointer], textTest(g.match)), longestPlain(g.Parts()...))
		}
	}
	for _, pointer := range slices.Sorted(maps.Keys(w.Regexp)) {
		if re, err := newRegexp(w.Regexp[pointer]); err != nil {
			c.problem("when.regexp", pointer, "%s: %v: want a regular expression of RE2 (https://golang.org/s/re2syntax)", pointer, err)
		} else {
			prefix, _ := re.LiteralPrefix()
			c.require(c.value("when.regexp", pointer, w.Regexp[pointer], textTest(re.MatchString)), longestPlain(prefix))
		}
	}
}

// Conditions returns the conditions on values of the message. It leaves out invalid ones.
func (w When) Conditions() []Condition {
	c := &compiler{source: &Rule{When: w}, rule: &compiledRule{}}
	c.compileWhen()
	return c.rule.conditions
}

// value adds a condition on a value of the message, and returns where the value is. The test is
// that of a [Condition].
func (c *compiler) value(key, pointer, text string, test func([]byte, error) bool) wire.Selector {
	p, ok := c.pointer(key, pointer)
	if ok {
		c.rule.conditions = append(c.rule.conditions, Condition{key, p, text, key + " " + pointer, test})
	}
	return p
}

// require notes that the rule matches only lines with a value where a selector points, and with a
// text.
func (c *compiler) require(p wire.Selector, text string) {
	c.rule.needle = c.rule.needle.rarer(newNeedle(p, text))
}

func (c *compiler) pattern(key, text string) *pattern {
	p, err := newPattern(text)
	if err != nil {
		c.problem(key, "", "%v", err)
	}
	return p
}

func (c *compiler) pointer(key, text string) (wire.Selector, bool) {
	p, err := wire.ParseSelector(text)
	if err != nil {
		c.problem(key, text, "%v", err)
	}
	return p, err == nil
}

// json returns a value on one line. Duplicate names and invalid UTF-8 are errors.
func (c *compiler) json(key, part string, value jsontext.Value) []byte {
	v := slices.Clone(value)
	err := v.Compact(jsontext.AllowInvalidUTF8(false), jsontext.AllowDuplicateNames(false))
	if err != nil {
		c.problem(key, part, "%v: want a JSON value", err)
	}
	return v
}
