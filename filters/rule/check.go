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

// checkNever looks for rules that match no message.
func (c *compiler) checkNever(known method, isKnown bool) {
	s, r := c.source, c.rule
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
	case r.update != nil && r.from == Client, isKnown && known.from != Both && r.from == known.from.other():
		never("from", "%s is sent by the other side", s.name())
	case isAsked && !asked.request:
		never("response_to", "%s is a notification and has no answer", s.ResponseTo)
	case isAsked && r.from == asked.from:
		never("from", "%s is answered by the other side", s.ResponseTo)
	}
}

// checkContradictions looks for words of a rule that undo others.
func (c *compiler) checkContradictions() {
	s, r := c.source, c.rule
	w := s.When
	for _, pointer := range w.Absent {
		for _, there := range [][]string{w.Has, slices.Collect(maps.Keys(w.Equals)), slices.Collect(maps.Keys(w.Glob)), slices.Collect(maps.Keys(w.Regexp))} {
			if slices.Contains(there, pointer) {
				c.warnAt("when.absent", pointer, "never matches: %s is asked to be there, too", pointer)
				break
			}
		}
	}
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
