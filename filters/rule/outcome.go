package rule

import (
	"slices"
	"strings"
)

// checkEdits looks for edits that change nothing, or make no message of what they
// are for.
func (c *compiler) checkEdits() {
	r := c.rule
	for _, e := range r.edits {
		first, last := e.at[0], e.at[len(e.at)-1]
		changesAll := e.action == "set" && len(e.at) == 1
		switch {
		case r.responseTo != nil && (first == "params" || first == "method" && !changesAll):
			c.warnAt(e.action, e.at.String(), "%s: answers have no %s", e.at, first)
		case (r.method != nil || r.update != nil) && (first == "result" || first == "error") && !changesAll:
			c.warnAt(e.action, e.at.String(), "%s: only answers have a %s; want response_to", e.at, first)
		case e.action == "append" && last == "-":
			list := e.at[:len(e.at)-1].String()
			c.warnAt(e.action, e.at.String(), "%s is no list, but the place behind its last element: want %q", e.at, list)
		}
	}
	for _, e := range r.edits {
		if len(e.at) == 1 && slices.Contains([]string{"method", "params", "result", "error"}, e.at[0]) {
			if what, err := r.fails(); err != nil {
				c.warnAt(e.action, e.at.String(), "fails on every %s: %v", what, err)
			}
			return
		}
	}
}

// fails tries the edits on a message of each kind that the rule is about, with as
// much in it as may be needed.
func (r *compiled) fails() (what string, err error) {
	for _, sample := range []struct{ what, line string }{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"x","params":{}}`},
		{"notification", `{"jsonrpc":"2.0","method":"x","params":{}}`},
		{"answer with a result", `{"jsonrpc":"2.0","id":1,"result":{"code":1,"message":""}}`},
		{"answer with an error", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`},
	} {
		m, err := readMessage([]byte(sample.line))
		if err != nil || !r.isAbout(&m) {
			continue
		}
		line, err := apply(m.line, r.edits)
		if err == nil {
			_, err = m.become(line)
		}
		if err != nil {
			return sample.what, err
		}
	}
	return "", nil
}

// isAbout reports whether the rule may match messages with the outermost members of
// this one.
func (r *compiled) isAbout(m *message) bool {
	known, isKnown := r.method.only()
	switch {
	case m.kind == response && (r.method != nil || r.update != nil), m.kind != response && r.responseTo != nil,
		m.kind == request && (r.update != nil || isKnown && !known.request), m.kind == notification && isKnown && known.request:
		return false
	}
	for _, v := range r.values {
		if len(v.pointer) == 0 {
			continue
		}
		_, err := m.find(v.pointer[:1])
		if isThere := err == nil; strings.HasPrefix(v.why, "when.absent ") {
			if isThere && len(v.pointer) == 1 {
				return false
			}
		} else if !isThere {
			return false
		}
	}
	return true
}
