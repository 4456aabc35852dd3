package rule

import (
	"maps"
	"slices"
	"strings"
)

// check looks for what a rule without errors cannot do: actions that the
// protocol forbids are errors, what is of no use is a warning.
func (c *compiler) check() {
	s, r := c.source, c.rule
	known, isKnown := r.method.only()
	isRequest, isNotification := isKnown && known.request, isKnown && !known.request || r.update != nil
	isResponse := r.responseTo != nil
	switch {
	case r.drop && r.reply != nil:
		c.problem("action", "a rule with a reply drops nothing: want one of them")
	case r.drop && isResponse:
		c.problem("action", "an answer is never dropped: whoever asked would wait for ever")
	case r.drop && isRequest:
		c.problem("action", "%s is a request and never dropped: its sender would wait for ever; want reply", s.Method)
	case r.reply != nil && isResponse:
		c.problem("reply", "response_to matches answers, which have no reply: want method")
	case r.reply != nil && isNotification:
		c.problem("reply", "%s is a notification and has no reply: want action = \"drop\"", s.name())
	case r.hold && (isRequest || isResponse):
		c.problem("hold", "only notifications are held: want method = \"session/update\"")
	case r.update == nil && !isNotification:
		c.checkOthers()
	}
	c.checkNever(known, isKnown)
	c.checkContradictions()
	c.checkValues()
	c.checkPeers()
	c.checkEdits()
	c.checkSpelling()
}

// name is what the rule is about, for people.
func (r *Rule) name() string {
	if r.Update != "" {
		return "session/update"
	}
	return r.Method
}

// checkOthers warns of an action that is only for some of the messages that the
// rule matches.
func (c *compiler) checkOthers() {
	r := c.rule
	key, done := "action", "dropped"
	switch {
	case r.hold:
		key, done = "hold", "held"
	case !r.drop:
		return
	}
	if r.method == nil {
		if !r.asksForMethod() {
			c.warn(key, "matches requests and answers, too: these are not %s; want method or update", done)
		}
		return
	}
	if name := r.firstRequest(); name != "" {
		c.warn(key, "the method matches requests, too, such as %s: these are not %s", name, done)
	}
}

// asksForMethod reports whether a value that the rule asks for says what the
// message is about.
func (r *compiled) asksForMethod() bool {
	return slices.ContainsFunc(r.values, func(v valueTest) bool {
		at := v.pointer.String() + "/"
		return strings.HasPrefix(at, "/method/") || strings.HasPrefix(at, "/params/update/")
	})
}

// firstRequest is a known request that the method matches, of who sends it.
func (r *compiled) firstRequest() string {
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		m := methods[name]
		if m.request && (r.from == Both || r.from == m.from) && r.method.match(name) {
			return name
		}
	}
	return ""
}

// matchesNothing reports whether a glob leaves nothing to match.
func matchesNothing(glob string) bool {
	rest, negated := strings.CutPrefix(glob, "!")
	return negated && rest != "" && strings.Trim(rest, "*") == ""
}

// checkNever looks for rules that match no message.
func (c *compiler) checkNever(known method, isKnown bool) {
	s, r := c.source, c.rule
	for _, t := range []struct {
		key     string
		pattern *pattern
	}{{"method", r.method}, {"update", r.update}, {"response_to", r.responseTo}, {"session", r.session}} {
		if t.pattern != nil && matchesNothing(t.pattern.text) {
			c.warn(t.key, "never matches: %q is no text at all", t.pattern.text)
		}
	}
	for _, pointer := range slices.Sorted(maps.Keys(s.When.Glob)) {
		if matchesNothing(s.When.Glob[pointer]) {
			c.warnAt("when.glob", pointer, "never matches: %q is no text at all", s.When.Glob[pointer])
		}
	}
	for _, t := range []struct{ key, text string }{{"client", s.Client}, {"agent", s.Agent}, {"when.client", s.When.Client}, {"when.agent", s.When.Agent}} {
		if matchesNothing(t.text) {
			c.warn(t.key, "never matches: %q is no name at all", t.text)
		}
	}
	never := func(key, why string, args ...any) { c.warn(key, "never matches: "+why, args...) }
	asked, isAsked := r.responseTo.only()
	switch {
	case r.responseTo != nil && r.method != nil:
		never("response_to", "answers have no method; want one of the two")
	case r.responseTo != nil && r.update != nil:
		never("response_to", "answers have no update; want one of the two")
	case r.responseTo != nil && r.session != nil:
		never("session", "answers have no params")
	case r.update != nil && !r.method.match("session/update"):
		never("update", "only session/update has updates")
	case r.update != nil && r.from == Client, isKnown && known.from != Both && r.from == known.from.Other():
		never("from", "%s is sent by the other side", s.name())
	case isAsked && !asked.request:
		never("response_to", "%s is a notification and has no answer", s.ResponseTo)
	case isAsked && r.from == asked.from:
		never("from", "%s is answered by the other side", s.ResponseTo)
	}
}
