package wire

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Errors of [Parse] and [Batch]. A line that fails with one of them is forwarded as it is.
var (
	// ErrNotObject: the line is no JSON object (a batch, a scalar, no JSON).
	ErrNotObject = errors.New("not a JSON object")
	// ErrNotArray: the line is no JSON array.
	ErrNotArray = errors.New("not a JSON array")
	// ErrAmbiguous: an opened object has a name twice, or two names that differ only in case, so
	// that two programs may read two messages.
	ErrAmbiguous = errors.New("ambiguous member names")
	// ErrTrailing: something other than space follows the value.
	ErrTrailing = errors.New("data after the JSON value")
	// ErrMany: an opened object has more than MaxMembers members, or an array
	// more than MaxElements elements. No message of the protocol comes near.
	ErrMany = fmt.Errorf("more than %d members of an object or elements of an array", MaxMembers)
)

// Bounds on what is noted of a line: a span takes several times the memory of the two bytes that
// an element may have.
const (
	MaxMembers  = 10_000
	MaxElements = 10_000
)

// A Span is a range of a line: from Start up to, and without, End.
type Span struct{ Start, End int }

// An Object is a JSON object in a line, with its members in order.
type Object struct {
	Span    // braces included
	Members []Member

	line []byte
}

// A Member is one name and value of an object.
type Member struct {
	Name   string  // unescaped
	Key    Span    // the name as it stands there, with its quotes
	Value  Span    // strings with their quotes
	Object *Object // the value opened, if it is an object that was asked for
}

// Parse reads line, which may end in a newline and start with a byte order mark, as one JSON
// object. The objects at the given paths, such as "params.update", are opened too; for that their
// parents have to be among the paths. The whole line is checked to be JSON; invalid UTF-8, and a
// name twice in an object that is not opened, are no error.
//
// The error is ErrNotObject, ErrAmbiguous, ErrMany or ErrTrailing, or wraps the decoder's own
// (nesting over 10,000 levels is one). If the outermost object is ambiguous it is returned with the
// error, and is to be read only.
func Parse(line []byte, paths ...string) (*Object, error) {
	d, ok := newDecoder(line, '{')
	if !ok {
		return nil, ErrNotObject
	}
	p := parser{d, line, paths}
	o, err := p.object("")
	if err == nil {
		err = d.end()
	}
	if err != nil && err != ErrAmbiguous {
		return nil, err
	}
	return o, err
}

type parser struct {
	decoder
	line  []byte
	paths []string
}

// object reads the object that comes next; path is empty at the top. One that is ambiguous is
// returned with the error.
func (p *parser) object(path string) (*Object, error) {
	o := &Object{line: p.line}
	var err error
	if o.Start, err = p.bracket(); err != nil {
		return nil, err
	}
	for p.PeekKind() != '}' {
		if len(o.Members) == MaxMembers {
			return nil, ErrMany
		}
		m := Member{}
		if m.Key, err = p.value(); err != nil {
			return nil, err
		}
		m.Name, _ = Text(p.line[m.Key.Start:m.Key.End])
		below := m.Name
		if path != "" {
			below = path + "." + m.Name
		}
		if p.PeekKind() == '{' && slices.Contains(p.paths, below) {
			if m.Object, err = p.object(below); err != nil {
				return nil, err
			}
			m.Value = m.Object.Span
		} else if m.Value, err = p.value(); err != nil {
			return nil, err
		}
		o.Members = append(o.Members, m)
	}
	if o.End, err = p.bracket(); err != nil {
		return nil, err
	}
	if o.End++; ambiguous(o.Members) {
		return o, ErrAmbiguous
	}
	return o, nil
}

// ambiguous reports whether two members share a name, case aside: a program that ignores case
// (encoding/json) would take either.
func ambiguous(members []Member) bool {
	if len(members) <= 16 {
		for i := range members {
			for j := range i {
				if strings.EqualFold(members[i].Name, members[j].Name) {
					return true
				}
			}
		}
		return false
	}
	seen := make(map[string]bool, len(members))
	for _, m := range members {
		folded := strings.ToLower(strings.ToUpper(m.Name))
		if seen[folded] {
			return true
		}
		seen[folded] = true
	}
	return false
}

// Get returns the member of that name, or nil. A nil Object has no members.
func (o *Object) Get(name string) *Member {
	if o == nil {
		return nil
	}
	for i := range o.Members {
		if o.Members[i].Name == name {
			return &o.Members[i]
		}
	}
	return nil
}

// Open returns the opened object of that name, or nil.
func (o *Object) Open(name string) *Object {
	if m := o.Get(name); m != nil {
		return m.Object
	}
	return nil
}

// Raw returns the value of that name as it stands in the line, or nil.
func (o *Object) Raw(name string) []byte {
	if m := o.Get(name); m != nil {
		return o.line[m.Value.Start:m.Value.End]
	}
	return nil
}

// Text returns the string of that name as [Text] does; ok is false if there is none.
func (o *Object) Text(name string) (text string, ok bool) {
	return Text(o.Raw(name))
}

// Text unescapes a JSON string; ok is false for any other value. Bytes and
// escapes that are no Unicode become U+FFFD.
func Text(raw []byte) (text string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), true
	}
	// The error tells of invalid UTF-8 only: the value has been parsed.
	b, _ := jsontext.AppendUnquote(nil, raw)
	return strings.ToValidUTF8(string(b), "\ufffd"), true
}

// Exact is [Text] for a string that is Unicode throughout; ok is false for any other, too.
func Exact(raw []byte) (text string, ok bool) {
	if !IsString(raw) {
		return "", false
	}
	b, err := jsontext.AppendUnquote(nil, raw)
	return string(b), err == nil
}

// Info returns the first 256 bytes of the string of that name: as much as is kept of the fields of
// a clientInfo or an agentInfo.
func (o *Object) Info(name string) string {
	text, _ := o.Text(name)
	return strings.ToValidUTF8(text[:min(len(text), 256)], "")
}

// Quote appends text as a JSON string, on one line.
func Quote(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(text, "\ufffd"))
	return dst
}

// IsObject reports whether a value, as it stands in a line, is a JSON object. A capability is one
// only then; true, null and strings are none (schema: malformed capabilities fall back to absent).
func IsObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// IsString reports whether a value, as it stands in a line, is a JSON string.
func IsString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }

// IsAbsent reports whether a member is missing or null, which peers take for the same.
func IsAbsent(raw []byte) bool { return raw == nil || string(raw) == "null" }

// Elements returns the elements of a JSON array, each as it stands there; ok is false if raw is no
// array, or has more than MaxElements.
func Elements(raw []byte) (elements [][]byte, ok bool) {
	spans, err := Batch(raw)
	for _, s := range spans {
		elements = append(elements, raw[s.Start:s.End])
	}
	return elements, err == nil
}

// Batch reads line, which may end in a newline and start with a byte order mark, as one JSON array,
// and returns the spans of its elements. The error is ErrNotArray, ErrMany or ErrTrailing, or wraps
// the decoder's own.
func Batch(line []byte) ([]Span, error) {
	var elements []Span
	for span, err := range EachElement(line) {
		switch {
		case err != nil:
			return nil, err
		case len(elements) == MaxElements:
			return nil, ErrMany
		}
		elements = append(elements, span)
	}
	return elements, nil
}

// EachElement yields the elements of a line that [Batch] reads, however many they are. An error
// comes last; then the elements before it do not count, as the line is no array.
func EachElement(line []byte) iter.Seq2[Span, error] {
	return func(yield func(Span, error) bool) {
		d, ok := newDecoder(line, '[')
		if !ok {
			yield(Span{}, ErrNotArray)
			return
		}
		_, err := d.bracket()
		for err == nil && d.PeekKind() != ']' {
			var element Span
			if element, err = d.value(); err == nil && !yield(element, nil) {
				return
			}
		}
		if err == nil {
			_, err = d.bracket()
		}
		if err == nil {
			err = d.end()
		}
		if err != nil {
			yield(Span{}, err)
		}
	}
}
