package rule

import (
	"bytes"
	"errors"

	"acpshim/internal/wire"

	"github.com/go-json-experiment/json/jsontext"
)

// A matcher is the part of a compiled rule that says which messages it
// concerns. Its tests tell why they fail in words that are made beforehand.
type matcher struct {
	from                                Side
	method, update, responseTo, session *pattern
	facts                               []factTest
	conditions                          []Condition
}

// A factTest asks for what initialize told.
type factTest struct {
	why  string
	test func(*Facts) bool
}

// A Condition is what a rule asks of one value of a message.
type Condition struct {
	Key     string // as the configuration spells it, such as "when.has"
	Pointer wire.Pointer
	Text    string // what the value is compared with; "" if it is not

	why   string
	place string // the pointer, as it is written
	test  func(raw []byte, err error) bool
}

// Met reports whether a value is as the condition asks: one as it stands in the message, or the
// error of [wire.Pointer.Locate].
func (c *Condition) Met(raw []byte, err error) bool { return c.test(raw, err) }

// excludes says why no line of that side concerns the rule while the facts are
// what they are; it is empty if some may.
func (r *matcher) excludes(side Side, f *Facts) string {
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

// answers reports whether the rule is about responses, or about all messages.
func (r *matcher) answers() bool { return r.method == nil && r.update == nil }

// calls reports whether the rule may concern requests and notifications of
// that method and kind of update.
func (r *matcher) calls(method, update string) bool {
	return r.responseTo == nil && r.method.match(method) &&
		(r.update == nil || method == "session/update" && r.update.match(update))
}

// mismatch says why the rule does not concern a message of a side and facts
// that it does not exclude. Looked is false if the values were not asked for.
func (r *matcher) mismatch(m *message) (why string, looked bool) {
	if m.kind == response {
		switch {
		case r.method != nil:
			return "method", false
		case r.update != nil:
			return "update", false
		case r.responseTo != nil && (m.responseTo == "" || !r.responseTo.match(m.responseTo)):
			return "response_to", false
		}
	} else {
		switch {
		case r.responseTo != nil:
			return "response_to", false
		case !r.method.match(m.method):
			return "method", false
		case r.update != nil && (m.method != "session/update" || m.update == "" || !r.update.match(m.update)):
			return "update", false
		}
	}
	if r.session != nil && (m.session == "" || !r.session.match(m.session)) {
		return "session", false
	}
	for i := range r.conditions {
		c := &r.conditions[i]
		if raw, err := m.value(c); !c.test(raw, err) {
			return c.why, true
		}
	}
	return "", true
}

func has(_ []byte, err error) bool { return err == nil }

func absent(_ []byte, err error) bool { return errors.Is(err, wire.ErrNoValue) }

// equals tests for a JSON value; canonical is it in that form.
func equals(canonical jsontext.Value) func([]byte, error) bool {
	text, isText := wire.Text(canonical)
	return func(raw []byte, err error) bool {
		if err != nil || isText != isString(raw) {
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

func isString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }

// canonicalize returns a value in the one spelling that equal values share:
// names sorted, no space, floats in their shortest form, whole numbers as they
// are. Ambiguous objects are an error.
func canonicalize(raw []byte) (jsontext.Value, error) {
	v := jsontext.Value(bytes.Clone(raw))
	err := v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.AllowInvalidUTF8(true))
	return v, err
}

func textTest(match func(string) bool) func([]byte, error) bool {
	return func(raw []byte, err error) bool {
		text, ok := wire.Text(raw)
		return err == nil && ok && match(text)
	}
}
