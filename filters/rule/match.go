package rule

import (
	"bytes"
	"errors"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"

	"github.com/go-json-experiment/json/jsontext"
)

// A matcher decides which messages a rule matches.
type matcher struct {
	from                                Side
	method, update, responseTo, session *pattern
	facts                               []factTest
	conditions                          []Condition
}

// A factTest is a condition on facts.
type factTest struct {
	why  string // the key
	test func(*facts) bool
}

// A Condition is a condition on one value of a message.
type Condition struct {
	Key     string // the key in the configuration, such as "when.has"
	Pointer wire.Selector
	Text    string // the text or value to compare with; may be empty

	why string // the key and the pointer

	// test gets the raw value, an error of [wire.Selector.Each], or wire.ErrNoValue. Of several
	// values one is enough.
	test func(raw []byte, err error) bool
}

// Met reports whether the value at a pointer in raw meets the condition. Raw may be nil.
func (c *Condition) Met(raw []byte, at wire.Selector) bool {
	isThere := false
	if raw != nil {
		for value, err := range at.Each(raw) {
			if isThere = true; c.test(raw[value.Start:value.End], err) {
				return true
			}
		}
	}
	return !isThere && c.test(nil, wire.ErrNoValue)
}

// excludes returns the key that keeps the rule from matching any line of a side, or "" if it can
// match.
func (r *matcher) excludes(side Side, f *facts) string {
	if r.from != Both && r.from != side {
		return "from"
	}
	for i := range r.facts {
		if !r.facts[i].test(f) {
			return r.facts[i].why
		}
	}
	return ""
}

// answers reports whether the rule can match responses.
func (r *matcher) answers() bool { return r.method == nil && r.update == nil }

// calls reports whether the rule can match requests and notifications with a method and kind of
// update.
func (r *matcher) calls(method, update string) bool {
	return r.responseTo == nil && r.method.match(method) &&
		(r.update == nil || method == acp.SessionUpdate && r.update.match(update))
}

// mismatch returns the key that does not match a message, or "" if the rule matches. It does not
// test what excludes tests.
func (r *matcher) mismatch(m *message) (why string) {
	isResponse := m.kind == dispatch.Response
	switch {
	case isResponse && r.method != nil:
		return "method"
	case r.responseTo != nil && (!isResponse || m.responseTo == "" || !r.responseTo.match(m.responseTo)):
		return "response_to"
	case !r.method.match(m.method):
		return "method"
	case r.update != nil && (m.method != acp.SessionUpdate || m.update == "" || !r.update.match(m.update)):
		return "update"
	case r.session != nil && (m.session == "" || !r.session.match(m.session)):
		return "session"
	}
	for i := range r.conditions {
		if c := &r.conditions[i]; !m.meets(c) {
			return c.why
		}
	}
	return ""
}

func has(_ []byte, err error) bool { return err == nil }

func absent(_ []byte, err error) bool { return errors.Is(err, wire.ErrNoValue) }

// equals returns a test for a JSON value in its canonical form.
func equals(canonical jsontext.Value) func([]byte, error) bool {
	text, isText := wire.Text(canonical)
	return func(raw []byte, err error) bool {
		if err != nil || isText != wire.IsString(raw) {
			return false
		}
		if isText {
			got, _ := wire.Text(raw)
			return got == text
		}
		got, err := canonicalize(raw)
		return err == nil && bytes.Equal(got, canonical)
	}
}

// canonicalize returns a value in the canonical spelling that equal values share: names are sorted,
// there is no whitespace, floats are as short as possible, and integers stay as they are. A
// duplicate name is an error.
func canonicalize(raw []byte) (jsontext.Value, error) {
	v := jsontext.Value(bytes.Clone(raw))
	err := v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.AllowInvalidUTF8(true))
	return v, err
}

// textTest returns a test for a string. Match gets it without escapes.
func textTest(match func(string) bool) func([]byte, error) bool {
	return func(raw []byte, err error) bool {
		text, ok := wire.Text(raw)
		return err == nil && ok && match(text)
	}
}
