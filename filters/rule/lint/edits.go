package lint

import (
	"slices"
	"strings"

	"acpshim/filters/rule"
)

// checkUndone warns of edits that the rule itself undoes, and of capabilities that it asks for and
// excludes.
func (l *linter) checkUndone() {
	for _, t := range []struct {
		key        string
		has, lacks []string
	}{{"client_lacks", l.ClientHas, l.ClientLacks}, {"agent_lacks", l.AgentHas, l.AgentLacks}} {
		for _, pointer := range t.lacks {
			if slices.Contains(t.has, pointer) {
				l.warn(t.key, pointer, "never matches: %s is asked to be there, too", pointer)
			}
		}
	}
	for _, pointer := range l.Delete {
		if slices.ContainsFunc(slices.Concat(l.Set, l.Append), func(set rule.Setting) bool {
			return strings.HasPrefix(set.Pointer+"/", pointer+"/")
		}) {
			l.warn("delete", pointer, "%s is set and then deleted: want one of the two", pointer)
		}
	}
	if (l.Action == "drop" || l.Reply != nil) && (len(l.Edits()) > 0 || l.JQ != "" || l.Hold != "") {
		l.warn("action", "", "the message goes no further: what else the rule does to it is of no use")
	}
}

// checkEdits warns of edits that change nothing or always fail.
func (l *linter) checkEdits() {
	edits := l.Edits()
	for _, e := range edits {
		first, last := e.At[0], e.At[len(e.At)-1]
		changesAll := e.Action == "set" && len(e.At) == 1
		switch {
		case l.responseTo.isSet() && (first == "params" || first == "method" && !changesAll):
			l.warn(e.Action, e.At.String(), "%s: responses have no %s", e.At, first)
		case (l.method.isSet() || l.update.isSet()) && (first == "result" || first == "error") && !changesAll:
			l.warn(e.Action, e.At.String(), "%s: only responses have a %s; want response_to", e.At, first)
		case e.Action == "append" && last == "-":
			l.warn(e.Action, e.At.String(), "%s is no list, but the place behind its last element: want %q", e.At, e.At[:len(e.At)-1])
		}
	}
	for _, e := range edits {
		if len(e.At) == 1 && slices.Contains([]string{"method", "params", "result", "error"}, e.At[0]) {
			if what, err := l.fails(); err != nil {
				l.warn(e.Action, e.At.String(), "fails on every %s: %v", what, err)
			}
			return
		}
	}
}

// A sample is a message of one kind, with the members that edits may need.
type sample struct{ kind, line string }

var samples = []sample{
	{"request", `{"jsonrpc":"2.0","id":1,"method":"x","params":{}}`},
	{"notification", `{"jsonrpc":"2.0","method":"x","params":{}}`},
	{"response with a result", `{"jsonrpc":"2.0","id":1,"result":{"code":1,"message":""}}`},
	{"response with an error", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`},
}

// fails tries the edits on a sample of each kind that the rule can match. It returns the first kind
// for which they fail, and the error.
func (l *linter) fails() (kind string, err error) {
	set, _ := rule.Compile([]rule.Rule{{Name: "edits", Rename: l.Rename, Set: l.Set, Append: l.Append, Delete: l.Delete}})
	for _, s := range samples {
		if !l.isAbout(s) {
			continue
		}
		for _, step := range set.Explain([]byte(s.line), rule.Known{From: rule.Agent}) {
			if step.Err != nil {
				return s.kind, step.Err
			}
		}
	}
	return "", nil
}

// isAbout reports whether the rule can match messages like a sample.
func (l *linter) isAbout(s sample) bool {
	known, isKnown := rule.OnlyMethod(l.method.glob)
	isResponse := strings.HasPrefix(s.kind, "response")
	switch {
	case isResponse && (l.method.isSet() || l.update.isSet()), !isResponse && l.responseTo.isSet(),
		s.kind == "request" && (l.update.isSet() || isKnown && !known.Request):
		return false
	}
	for _, c := range l.conditions {
		if len(c.Pointer) == 0 {
			continue
		}
		_, err := c.Pointer[:1].Find([]byte(s.line))
		isThere := err == nil
		if c.Key != "when.absent" && !isThere || c.Key == "when.absent" && isThere && len(c.Pointer) == 1 {
			return false
		}
	}
	return true
}
