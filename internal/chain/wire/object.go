package wire

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"acpshim/internal/text/runes"

	"github.com/go-json-experiment/json/jsontext"
)

// Errors of [Parse] and [Batch]. A line that fails with one of them is forwarded as it is.
var (
	// ErrNotObject: the line is not a JSON object (it is a batch, a scalar, or not JSON).
	ErrNotObject = errors.New("not a JSON object")
	// ErrNotArray: the line is not a JSON array.
	ErrNotArray = errors.New("not a JSON array")
	// ErrAmbiguous: an opened object has a repeated name, or two names that differ only in case, so
	// that two programs may read different messages.
	ErrAmbiguous = errors.New("ambiguous member names")
	// ErrTrailing: something other than space follows the value.
	ErrTrailing = errors.New("data after the JSON value")
	// ErrMany: an opened object has more than MaxMembers members, or an array
	// more than MaxElements elements. No message of the protocol comes near.
	ErrMany = fmt.Errorf("more than %d members of an object or elements of an array", MaxMembers)
)

// Bounds on members and elements: a span takes much more memory than the two bytes of a short
// element.
const (
	MaxMembers  = 10_000
	MaxElements = 10_000
)

// A Span is the range of a line from Start up to End, without End.
type Span struct{ Start, End int }

// An Object is a JSON object in a line, with its members in order.
type Object struct {
	Span    // braces included
	Members []Member

	line []byte
	room [4]Member // of Members, in most objects
}

// A Member is one name and value of an object.
type Member struct {
	Name   string  // unescaped
	Key    Span    // the raw name, with its quotes
	Value  Span    // strings with their quotes
	Object *Object // the opened value, if its path was given
}

// Parse reads line, which may end with a newline and start with a byte order mark, as one JSON
// object. It also opens the objects at the given paths, such as "params.update"; their parents have
// to be among the paths. It checks that the whole line is JSON. Invalid UTF-8 and repeated names in
// objects that are not opened are accepted.
//
// The error is ErrNotObject, ErrAmbiguous, ErrMany or ErrTrailing, or says why the line is not
// JSON. Nesting over 10,000 levels is an error. If the outermost object is ambiguous, it is
// returned with the error and must not be edited.
func Parse(line []byte, paths ...string) (*Object, error) {
	begin, bracket := container(line)
	if bracket != '{' {
		return nil, ErrNotObject
	}
	p := parser{line, begin, paths}
	o, err := p.object("", 0)
	if err == nil || err == ErrAmbiguous && o != nil {
		if SpaceEnd(line, p.i) < len(line) {
			return nil, ErrTrailing
		}
	}
	return o, err
}

// container returns the offset of an object or array after a byte order mark and space, and its
// bracket. The bracket is 0 for anything else.
func container(line []byte) (begin int, bracket byte) {
	if bytes.HasPrefix(line, bom) {
		begin = len(bom)
	}
	begin = SpaceEnd(line, begin)
	if begin < len(line) && (line[begin] == '{' || line[begin] == '[') {
		bracket = line[begin]
	}
	return begin, bracket
}

var bom = []byte("\xef\xbb\xbf")

type parser struct {
	line  []byte
	i     int // the offset of the next byte
	paths []string
}

// object reads the next object at a nesting of depth; path is empty at the top. An ambiguous object
// is returned with the error.
func (p *parser) object(path string, depth int) (*Object, error) {
	o := &Object{Span: Span{Start: p.i}, line: p.line}
	o.Members = o.room[:0]
	for p.i++; ; p.i++ {
		p.i = SpaceEnd(p.line, p.i)
		if len(o.Members) == 0 && p.at('}') {
			break
		}
		if len(o.Members) == MaxMembers {
			return nil, ErrMany
		}
		m, err := p.member(path, depth)
		if err != nil {
			return nil, err
		}
		o.Members = append(o.Members, m)
		if p.i = SpaceEnd(p.line, p.i); p.at('}') {
			break
		}
		if !p.at(',') {
			return nil, whyNoJSON(p.line)
		}
	}
	p.i++
	if o.End = p.i; ambiguous(o.Members) {
		return o, ErrAmbiguous
	}
	return o, nil
}

func (p *parser) at(c byte) bool { return p.i < len(p.line) && p.line[p.i] == c }

// member reads the next member of the object at a path.
func (p *parser) member(path string, depth int) (m Member, err error) {
	m.Key.Start = p.i
	if p.i = checkName(p.line, p.i); p.i < 0 {
		return m, whyNoJSON(p.line)
	}
	m.Key.End = bytes.LastIndexByte(p.line[:p.i], '"') + 1
	m.Name = nameText(p.line[m.Key.Start:m.Key.End])
	if p.at('{') {
		below := m.Name
		if path != "" {
			below = path + "." + m.Name
		}
		if slices.Contains(p.paths, below) {
			if m.Object, err = p.object(below, depth+1); err == nil {
				m.Value = m.Object.Span
			}
			return m, err
		}
	}
	m.Value.Start = p.i
	if p.i = CheckValue(p.line, p.i, depth+1); p.i < 0 {
		return m, whyNoJSON(p.line)
	}
	m.Value.End = p.i
	return m, nil
}

// nameText returns the text of a name. It allocates nothing for common names.
func nameText(raw []byte) string {
	switch string(raw) {
	case `"jsonrpc"`:
		return "jsonrpc"
	case `"id"`:
		return "id"
	case `"method"`:
		return "method"
	case `"params"`:
		return "params"
	case `"result"`:
		return "result"
	case `"sessionId"`:
		return "sessionId"
	case `"update"`:
		return "update"
	case `"sessionUpdate"`:
		return "sessionUpdate"
	}
	name, _ := Text(raw)
	return name
}

// ambiguous reports whether two members have the same name, ignoring case: programs that ignore
// case, such as encoding/json, could take either one.
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

// Raw returns the raw value of that name, or nil.
func (o *Object) Raw(name string) []byte {
	if m := o.Get(name); m != nil {
		return o.line[m.Value.Start:m.Value.End]
	}
	return nil
}

// Text returns the string of that name as [Text] does; ok is false if it is missing.
func (o *Object) Text(name string) (text string, ok bool) {
	return Text(o.Raw(name))
}

// Text unescapes a JSON string; ok is false for any other value. Bytes and escapes that are not
// valid Unicode become U+FFFD.
func Text(raw []byte) (text string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), true
	}
	// The error can only be invalid UTF-8, because the value has been parsed.
	b, _ := jsontext.AppendUnquote(nil, raw)
	return strings.ToValidUTF8(string(b), "\ufffd"), true
}

// Exact is [Text] for valid Unicode only; ok is false for any other string.
func Exact(raw []byte) (text string, ok bool) {
	if !IsString(raw) {
		return "", false
	}
	b, err := jsontext.AppendUnquote(nil, raw)
	return string(b), err == nil
}

// Info returns the first 256 bytes of the string of that name, for fields of clientInfo and
// agentInfo.
func (o *Object) Info(name string) string {
	text, _ := o.Text(name)
	return text[:runes.Before(text, 256)]
}

// Quote appends text as a JSON string, on one line.
func Quote(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(text, "\ufffd"))
	return dst
}

// QuotedLen returns the number of bytes that Quote appends.
func QuotedLen(text string) int {
	text = strings.ToValidUTF8(text, "\ufffd")
	n := len(text) + len(`""`)
	for i := range len(text) {
		switch c := text[i]; {
		case strings.IndexByte("\"\\\b\f\n\r\t", c) >= 0:
			n += len(`\n`) - 1
		case c < ' ':
			n += len(`\u0000`) - 1
		}
	}
	return n
}

// IsObject reports whether a raw value is a JSON object. Only objects are capabilities; true, null
// and strings count as absent (schema: malformed capabilities fall back to absent).
func IsObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// IsString reports whether a raw value is a JSON string.
func IsString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }

// IsAbsent reports whether a member is missing or null, which peers treat alike.
func IsAbsent(raw []byte) bool { return raw == nil || string(raw) == "null" }

// Elements returns the raw elements of a JSON array; ok is false if raw is not an array or has more
// than MaxElements.
func Elements(raw []byte) (elements [][]byte, ok bool) {
	spans, err := Batch(raw)
	for _, s := range spans {
		elements = append(elements, raw[s.Start:s.End])
	}
	return elements, err == nil
}

// Batch reads line, which may end with a newline and start with a byte order mark, as one JSON
// array, and returns the spans of its elements. The error is ErrNotArray, ErrMany or ErrTrailing,
// or says why the line is not JSON.
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

// EachElement yields the elements of an array without a limit. An error comes last; then the line
// is not an array, and the elements before it do not count.
func EachElement(line []byte) iter.Seq2[Span, error] {
	return func(yield func(Span, error) bool) {
		i, bracket := container(line)
		if bracket != '[' {
			yield(Span{}, ErrNotArray)
			return
		}
		closing := []byte("]")
		if i = SpaceEnd(line, i+1); i < len(line) && line[i] == ']' {
			i, closing = i+1, nil
		}
		for len(closing) > 0 {
			begin := i
			if i = CheckValue(line, i, 1); i < 0 {
				break
			}
			if !yield(Span{begin, i}, nil) {
				return
			}
			i, closing = checkNext(line, i, closing)
		}
		switch {
		case i < 0:
			yield(Span{}, whyNoJSON(line))
		case SpaceEnd(line, i) < len(line):
			yield(Span{}, ErrTrailing)
		}
	}
}
