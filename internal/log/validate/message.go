package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/log/validate/schema"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// A messageCheck collects the findings in one message.
type messageCheck struct {
	m       *history.Message
	schemas *schema.Version
	found   []Finding
}

// fail adds an error at a JSON pointer into the message.
func (c *messageCheck) fail(at, format string, args ...any) {
	f := c.finding()
	f.Pointer, f.Text = at, fmt.Sprintf(format, args...)
	c.found = append(c.found, f)
}

// note is like fail, but what it adds is not an error.
func (c *messageCheck) note(at, format string, args ...any) {
	c.fail(at, format, args...)
	c.found[len(c.found)-1].Note = true
}

// finding returns a finding for the message that has no text yet.
func (c *messageCheck) finding() Finding {
	return Finding{Seq: c.m.Seq, From: c.m.Message.Dir, Acpshim: !c.m.Message.Received(), Name: c.m.Name(), Kind: c.m.Kind}
}

// run checks the message.
func (c *messageCheck) run() {
	if c.m.JSON == nil {
		c.unread()
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(c.m.JSON))
	decoder.UseNumber()
	var message map[string]any
	if err := decoder.Decode(&message); err != nil {
		c.fail("", "cannot be read: %v", err)
		return
	}
	c.envelope(message)
	if c.m.Failed {
		c.member("error", message["error"], "Error", "Error")
		return
	}
	stable, unstable, ok := c.method()
	if !ok {
		return
	}
	switch c.m.Kind {
	case history.Response:
		c.member("result", message["result"], stable.Result, unstable.Result)
	case history.Request:
		if unstable.Request == "" {
			c.fail("/id", "this is a notification in the schema, but it has an id")
			return
		}
		c.params(stable.Request, unstable.Request, message)
	case history.Notification:
		if unstable.Notification == "" {
			c.fail("", "this is a request in the schema, but it has no id")
			return
		}
		c.params(stable.Notification, unstable.Notification, message)
	}
}

// unread adds why a line is not a message.
func (c *messageCheck) unread() {
	switch {
	case c.m.Message.Line == nil:
		c.note("", "the line was too long for the record: it was not checked")
	case len(bytes.TrimSpace(c.m.Message.Line)) == 0: // readers skip it
	case c.m.Ambiguous:
		c.fail("", "a member occurs twice: readers may use either one")
	default:
		c.fail("", "the line is not a JSON-RPC message")
	}
}

// method returns the message's method in the schemas. If they do not have it, the result is not ok
// and method adds a note.
func (c *messageCheck) method() (stable, unstable *schema.Method, ok bool) {
	stable, unstable = c.schemas.Stable.Methods[c.m.Method], c.schemas.Unstable.Methods[c.m.Method]
	switch {
	case c.m.Kind == history.Response && c.m.Request == nil:
		c.note("/id", "the request of this response is not in the record: the result was not checked")
	case strings.HasPrefix(c.m.Method, "_"):
		c.note("/method", "an extension")
	case unstable == nil:
		c.note("/method", "the schema has no such method")
	case stable == nil:
		c.note("/method", "only the unstable schema has this method")
		return &schema.Method{}, unstable, true
	default:
		c.direction(stable)
		return stable, unstable, true
	}
	return nil, nil, false
}

// envelope checks the members that JSON-RPC requires.
func (c *messageCheck) envelope(message map[string]any) {
	if v, ok := message["jsonrpc"]; !ok {
		c.fail("", `"jsonrpc" is missing`)
	} else if v != "2.0" {
		c.fail("/jsonrpc", "want \"2.0\", have %s", short(v))
	}
	if id, ok := message["id"]; ok && !is(id, "null") && !is(id, "string") && !is(id, "integer") {
		c.fail("/id", "want a string or an integer, have %s", short(id))
	}
}

// direction checks that the message was not sent by the peer that should get it.
func (c *messageCheck) direction(m *schema.Method) {
	handler := m.NotificationHandler
	if c.m.Kind == history.Request {
		handler = m.Handler
	}
	if c.m.Kind != history.Response && handler == string(c.m.Message.Dir) {
		c.fail("/method", "this method is for the %[1]s, but the %[1]s sent it", handler)
	}
}

// params checks the params. Missing params are the same as {}.
func (c *messageCheck) params(stable, unstable string, message map[string]any) {
	if rule := c.schemas.Unstable.Rules[unstable]; slices.Contains(rule.New, rule.Method) {
		c.noteNew("/method", rule.Method)
	}
	params, ok := message["params"]
	if !ok {
		params = map[string]any{}
	}
	c.member("params", params, stable, unstable)
}

// member checks a member of the message by the rules with these names. What only the unstable
// schema knows or accepts is a note, and so is what older schemas do not know. A rule is "" if a
// schema has none.
func (c *messageCheck) member(name string, v any, stable, unstable string) {
	find := func(s *schema.Schema, rule string) []problem {
		if rule == "" {
			return nil
		}
		return within(name, check(s, s.Rules[rule], v), "")
	}
	found := find(c.schemas.Stable, stable)
	var drafts []string // the places of values that only the unstable schema describes
	used := c.uses(unstable, v)
	for _, u := range used {
		if u.isDraft {
			drafts = append(drafts, "/"+name+u.of)
			c.note("/"+name+u.at, "only the unstable schema has %s", short(u.name))
		} else {
			c.noteNew("/"+name+u.at, u.name)
		}
	}
	accepted := stable != "" && len(found) == 0
	if accepted && drafts == nil {
		return
	}
	left := find(c.schemas.Unstable, unstable)
	isDraft := func(p problem) bool {
		return slices.ContainsFunc(drafts, func(at string) bool { return strings.HasPrefix(p.at+"/", at+"/") })
	}
	room := maxProblems - len(used)
	for _, p := range found {
		if room > 0 && !isDraft(p) && !slices.ContainsFunc(left, func(l problem) bool { return l.at == p.at }) {
			room--
			c.note(p.at, "only the unstable schema accepts this: %s", p.text)
		}
	}
	if accepted {
		left = slices.DeleteFunc(left, func(p problem) bool { return !isDraft(p) })
	}
	c.problems(left)
}

// uses returns the names in a value that not all schemas have. In initialize they are not worth a
// note: peers say there what they know, and ignore what they do not know.
func (c *messageCheck) uses(rule string, v any) []use {
	if c.m.Method == acp.Initialize {
		return nil
	}
	return uses(c.schemas.Unstable, c.schemas.Unstable.Rules[rule], v)
}

// noteNew adds that peers with older schemas do not know a name.
func (c *messageCheck) noteNew(at, name string) {
	c.note(at, "stable since schema %s: older %s may not know %s", c.schemas.Release, c.receivers(), short(name))
}

// receivers returns the word for the peers that get such a message.
func (c *messageCheck) receivers() string {
	if c.m.Message.Dir == record.Agent {
		return "clients"
	}
	return "agents"
}

// problems adds the problems that check found. Values that an extension, an older schema or a later
// version may have defined are notes.
func (c *messageCheck) problems(found []problem) {
	for _, p := range found {
		switch {
		case p.isGone:
			c.note(p.at, "only schemas before %s have this: %s", c.schemas.Release, p.text)
		case p.extension:
			c.note(p.at, "an extension: %s", p.text)
		case p.unknown && p.at == "/params/update/sessionUpdate":
			c.note(p.at, "%s", p.text)
		case p.readers != "":
			c.fail(p.at, "%s; readers %s", p.text, p.readers)
		default:
			c.fail(p.at, "%s", p.text)
		}
	}
}
