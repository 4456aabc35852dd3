package lint

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"acpshim/filters/rule"
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// checkOthers warns of an action that works only for some of the messages that the rule matches.
func (l *linter) checkOthers() {
	key, done := "action", "dropped"
	switch {
	case l.update.isSet() || l.Hold == "" && l.Action != "drop":
		return
	case l.Hold != "":
		key, done = "hold", "held"
	}
	if l.method.isSet() {
		if name := l.firstRequest(); name != "" {
			l.warn(key, "", "the method matches requests, too, such as %s: these are not %s", name, done)
		}
	} else if !l.asksForMethod() {
		l.warn(key, "", "matches requests and responses, too: these are not %s; want method or update", done)
	}
}

// asksForMethod reports whether a condition on a value selects the kind of message.
func (l *linter) asksForMethod() bool {
	return slices.ContainsFunc(l.conditions, func(c rule.Condition) bool {
		at := c.Pointer.String() + "/"
		return strings.HasPrefix(at, "/method/") || strings.HasPrefix(at, "/params/update/")
	})
}

// firstRequest returns a known request that the rule can match, or "".
func (l *linter) firstRequest() string {
	for _, name := range slices.Sorted(maps.Keys(rule.Methods)) {
		m := rule.Methods[name]
		if m.Request && (l.from() == rule.Both || l.From == m.From) && l.method.match(name) {
			return name
		}
	}
	return ""
}

// from returns the rule's From, with its default.
func (l *linter) from() rule.Side { return cmp.Or(l.From, rule.Both) }

// checkNever warns of a rule that never matches because of its patterns.
func (l *linter) checkNever() {
	nothing := func(key, part, glob, what string) {
		if rest, negated := strings.CutPrefix(glob, "!"); negated && rest != "" && strings.Trim(rest, "*") == "" {
			l.warn(key, part, "never matches: %q is no %s at all", glob, what)
		}
	}
	nothing("method", "", l.Method, "text")
	nothing("update", "", l.Update, "text")
	nothing("response_to", "", l.ResponseTo, "text")
	nothing("session", "", l.Session, "text")
	for _, pointer := range slices.Sorted(maps.Keys(l.When.Glob)) {
		nothing("when.glob", pointer, l.When.Glob[pointer], "text")
	}
	nothing("client", "", l.Client, "name")
	nothing("agent", "", l.Agent, "name")
	nothing("when.client", "", l.When.Client, "name")
	nothing("when.agent", "", l.When.Agent, "name")
	never := func(key, why string, args ...any) { l.warn(key, "", "never matches: "+why, args...) }
	known, isKnown := rule.OnlyMethod(l.method.glob)
	asked, isAsked := rule.OnlyMethod(l.responseTo.glob)
	isResponse, isUpdate := l.responseTo.isSet(), l.update.isSet()
	switch {
	case isResponse && l.method.isSet():
		never("response_to", "responses have no method; want one of the two")
	case isResponse && isUpdate:
		never("response_to", "responses have no update; want one of the two")
	case isResponse && l.session.isSet():
		never("session", "responses have no params")
	case isUpdate && !l.method.match(acp.SessionUpdate):
		never("update", "only session/update has updates")
	case isUpdate && l.From == rule.Client:
		never("from", "session/update is sent by the other side")
	case isUpdate && l.place == rule.BesideClient && l.From != rule.Client && l.isOfPlanUpdates():
		l.warn("update", "", `matches only for a client that announces plan updates, others get update = "plan" there: want that, or rules.place = "agent"`)
	case isKnown && known.From != rule.Both && l.from() != rule.Both && l.From != known.From:
		never("from", "%s is sent by the other side", l.Method)
	case isAsked && !asked.Request:
		never("response_to", "%s is a notification and has no response", l.ResponseTo)
	case isAsked && l.From == asked.From:
		never("from", "%s is answered by the other side", l.ResponseTo)
	}
}

// isOfPlanUpdates reports whether the rule matches only updates of plans that old clients never
// get.
func (l *linter) isOfPlanUpdates() bool {
	texts := l.update.glob.Texts()
	asksForClient := l.Client+l.When.Client != "" || len(l.ClientHas)+len(l.ClientLacks) > 0
	return len(texts) > 0 && !asksForClient &&
		!slices.ContainsFunc(texts, func(text string) bool { return text != acp.PlanUpdate && text != acp.PlanRemoved })
}

// maxCompared is the maximum of conditions that are compared with each other.
const maxCompared = 100

// checkConditions warns of conditions that never match: because of the rule's patterns, or because
// of another condition on the same value or on one that contains it.
func (l *linter) checkConditions() {
	if len(l.conditions) > maxCompared {
		return
	}
	for i := range l.conditions {
		c := &l.conditions[i]
		why := l.contradicts(c)
		for j := range l.conditions {
			if i != j && why == "" {
				why = excludes(&l.conditions[j], c)
			}
		}
		if why != "" {
			l.warn(c.Key, c.Pointer.String(), "never matches: %s", why)
		}
	}
}

// contradicts says why the rule's patterns exclude a condition. It returns "" if they do not.
func (l *linter) contradicts(c *rule.Condition) string {
	if c.Key == "when.absent" || len(c.Pointer) == 0 {
		return ""
	}
	switch first := c.Pointer[0]; {
	case l.responseTo.isSet() && (first == "params" || first == "method"):
		return "responses have no " + first
	case (l.method.isSet() || l.update.isSet()) && (first == "result" || first == "error"):
		return "only responses have a " + first
	case c.Key != "when.equals":
		return ""
	}
	for _, t := range []struct {
		key, pointer string
		pattern      pattern
	}{{"method", "/method", l.method}, {"update", "/params/update/sessionUpdate", l.update}, {"session", "/params/sessionId", l.session}} {
		text, ok := wire.Text([]byte(c.Text))
		if t.pattern.isSet() && c.Pointer.String() == t.pointer && !(ok && t.pattern.match(text)) {
			return t.key + " asks for another one"
		}
	}
	return ""
}

// excludes says why a message that meets c never meets inner. It returns "" if it can, or if inner
// is not about the same value or one in it.
func excludes(c, inner *rule.Condition) string {
	n := len(c.Pointer)
	if len(inner.Pointer) < n || !slices.Equal(c.Pointer, inner.Pointer[:n]) {
		return ""
	}
	rest, isAbsent := inner.Pointer[n:], inner.Key == "when.absent"
	isText := c.Key == "when.glob" || c.Key == "when.regexp"
	switch {
	case c.Key == "when.absent":
		if !isAbsent && len(rest) > 0 {
			return c.Pointer.String() + " is asked not to be there"
		}
	case isAbsent && len(rest) == 0:
		return inner.Pointer.String() + " is asked to be there, too"
	case c.Pointer.IsMany() && !isAbsent: // they may match with different elements
	case c.Key == "when.equals":
		if !inner.Met([]byte(c.Text), rest) {
			return c.Pointer.String() + " is asked to be " + c.Text
		}
	case isText && !isAbsent && len(rest) > 0:
		return c.Pointer.String() + " is asked to be a string"
	}
	return ""
}
