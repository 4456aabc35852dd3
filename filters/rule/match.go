package rule

import (
	"bytes"
	"errors"

	"acpshim/internal/dispatch"
	"acpshim/internal/wire"

	"github.com/go-json-experiment/json/jsontext"
)

// A matcher is the part of a compiled rule that says which messages it is about.
type matcher struct {
	from                                Side
	method, update, responseTo, session *pattern
	facts                               []factTest
	conditions                          []Condition
}

// A factTest is a condition on what is known from initialize.
type factTest struct {
	why  string // the key that is not met
	test func(*facts) bool
}

// A Condition is what a rule asks of one value of a message.
type Condition struct {
	Key     string // as the configuration spells it, such as "when.has"
	Pointer wire.Selector
	Text    string // what the value is compared with; "" if it is not

	why string // the key and the place, if it is not met

	// test is given a value as it stands in the message, an error of [wire.Selector.Each] in its
	// place, or wire.ErrNoValue if there is none. It is enough if one of several values passes.
	test func(raw []byte, err error) bool
}

// Met reports whether what a pointer names in JSON is as the condition asks. Raw is nil for
// nothing.
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

// excludes returns the key by which the rule matches no line from a side as far as facts are known;
// "" if it may match some.
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

// answers reports whether the rule may match responses.
func (r *matcher) answers() bool { return r.method == nil && r.update == nil }

// calls reports whether the rule may match requests and notifications of a method and a kind of
// update.
func (r *matcher) calls(method, update string) bool {
	return r.responseTo == nil && r.method.match(method) &&
		(r.update == nil || method == "session/update" && r.update.match(update))
}

// mismatch returns the key by which the rule does not match a message; "" if it does. Excludes has
// returned "" before.
func (r *matcher) mismatch(m *message) (why string) {
	isResponse := m.kind == dispatch.Response
	switch {
	case isResponse && r.method != nil:
		return "method"
	case r.responseTo != nil && (!isResponse || m.responseTo == "" || !r.responseTo.match(m.responseTo)):
		return "response_to"
	case !r.method.match(m.method):
		return "method"
	case r.update != nil && (m.method != "session/update" || m.update == "" || !r.update.match(m.update)):
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

// canonicalize returns a value in the one spelling that equal values share: names sorted, no space,
// floats in their shortest form, whole numbers as they are. A name twice is an error.
func canonicalize(raw []byte) (jsontext.Value, error) {
	v := jsontext.Value(bytes.Clone(raw))
	err := v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.AllowInvalidUTF8(true))
	return v, err
}

// textTest returns a test for a string, which match is given unescaped.
func textTest(match func(string) bool) func([]byte, error) bool {
	return func(raw []byte, err error) bool {
		text, ok := wire.Text(raw)
		return err == nil && ok && match(text)
	}
}
