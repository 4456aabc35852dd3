package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Errors of [Parse] and [Batch]. A line that fails with one of them is somebody else's
// business: it is forwarded as it is and never edited.
var (
	// ErrNotObject: the line is no JSON object (a batch, a scalar, no JSON).
	ErrNotObject = errors.New("not a JSON object")
	// ErrNotArray: the line is no JSON array.
	ErrNotArray = errors.New("not a JSON array")
	// ErrAmbiguous: an opened object names a member twice, or in two spellings
	// that differ only in case, so that two readers may see two messages.
	ErrAmbiguous = errors.New("ambiguous member names")
	// ErrTrailing: something other than space follows the value.
	ErrTrailing = errors.New("data after the JSON value")
	// ErrMany: an opened object has more than MaxMembers members, or an array
	// more than MaxElements elements. No message of the protocol comes near.
	ErrMany = fmt.Errorf("more than %d members of an object or elements of an array", MaxMembers)
)

// Bounds on what is noted of a line: a span takes several times the memory of
// the two bytes that an element may have.
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

// Parse reads line, which may end in a newline and start with a byte order
// mark, as one JSON object. The objects at the given paths, such as
// "params.update", are opened too; a path needs its parents listed before it.
// The whole line is checked to be JSON; invalid UTF-8 and duplicate names in
// objects that are not opened are accepted, as they are not ours to judge.
//
// The error is ErrNotObject, ErrAmbiguous, ErrMany or ErrTrailing, or wraps the
// decoder's own (nesting over 10,000 levels is one). Where it is the outermost
// object that is ambiguous, that is returned too, for reading only.
func Parse(line []byte, paths ...string) (*Object, error) {
	body := bytes.TrimPrefix(line, bom)
	if first := bytes.TrimLeft(body, " \t\r\n"); len(first) == 0 || first[0] != '{' {
		return nil, ErrNotObject
	}
	p := parser{
		line:  line,
		base:  len(line) - len(body),
		paths: paths,
		dec: jsontext.NewDecoder(bytes.NewBuffer(body),
			jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
	}
	o, err := p.object("")
	if err != nil {
		return o, err
	}
	if _, err := p.dec.ReadToken(); err != io.EOF {
		return nil, ErrTrailing
	}
	return o, nil
}

var bom = []byte("\xef\xbb\xbf")

type parser struct {
	line  []byte
	base  int // where the decoder's offset 0 stands in line
	paths []string
	dec   *jsontext.Decoder
}

// object reads the object that comes next; path is empty at the top.
func (p *parser) object(path string) (*Object, error) {
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	o := &Object{line: p.line, Span: Span{Start: p.offset() - 1}}
	for p.dec.PeekKind() != '}' {
		if len(o.Members) == MaxMembers {
			return nil, ErrMany
		}
		name, err := p.dec.ReadValue()
		if err != nil {
			return nil, fmt.Errorf("reading JSON: %w", err)
		}
		m := Member{Key: Span{p.offset() - len(name), p.offset()}}
		m.Name, _ = Text(name)
		below := m.Name
		if path != "" {
			below = path + "." + m.Name
		}
		if p.dec.PeekKind() == '{' && p.opens(below) {
			if m.Object, err = p.object(below); err != nil {
				return nil, err
			}
			m.Value = m.Object.Span
		} else {
			v, err := p.dec.ReadValue()
			if err != nil {
				return nil, fmt.Errorf("reading JSON: %w", err)
			}
			m.Value = Span{p.offset() - len(v), p.offset()}
		}
		o.Members = append(o.Members, m)
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	o.End = p.offset()
	if ambiguous(o.Members) {
		return o, ErrAmbiguous
	}
	return o, nil
}

func (p *parser) offset() int { return p.base + int(p.dec.InputOffset()) }

func (p *parser) opens(path string) bool {
	for _, want := range p.paths {
		if want == path {
			return true
		}
	}
	return false
}

// ambiguous reports whether two members share a name, case aside: a reader
// that ignores case (encoding/json) would take either.
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

// Text returns the string of that name, unescaped and made valid UTF-8; ok is
// false if there is none or it is no string.
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

// Info returns the string of that name as far as it is kept of a clientInfo or an
// agentInfo: 256 bytes of it. A name that is longer is none that anybody looks for.
func (o *Object) Info(name string) string {
	text, _ := o.Text(name)
	return strings.ToValidUTF8(text[:min(len(text), 256)], "")
}

// Quote appends text as a JSON string, on one line.
func Quote(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(text, "\ufffd"))
	return dst
}

// IsObject reports whether a raw value is a JSON object. A capability counts
// as supported only then; true, null and strings are not (schema: malformed
// capabilities fall back to absent).
func IsObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// Elements returns the elements of a raw JSON array, each as it stands there;
// ok is false if raw is no array, or has more than MaxElements.
func Elements(raw []byte) (elements [][]byte, ok bool) {
	spans, err := Batch(raw)
	for _, s := range spans {
		elements = append(elements, raw[s.Start:s.End])
	}
	return elements, err == nil
}

// Batch reads line, which may end in a newline and start with a byte order mark,
// as one JSON array, and returns the spans of its elements. The error is
// ErrNotArray, ErrMany or ErrTrailing, or wraps the decoder's own.
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

// EachElement reads a line as Batch does, however many elements it has. An
// error comes last; elements before it are not to be trusted.
func EachElement(line []byte) iter.Seq2[Span, error] {
	return func(yield func(Span, error) bool) {
		body := bytes.TrimPrefix(line, bom)
		if first := bytes.TrimLeft(body, " \t\r\n"); len(first) == 0 || first[0] != '[' {
			yield(Span{}, ErrNotArray)
			return
		}
		base := len(line) - len(body)
		dec := jsontext.NewDecoder(bytes.NewBuffer(body),
			jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		_, err := dec.ReadToken()
		for err == nil && dec.PeekKind() != ']' {
			var v jsontext.Value
			if v, err = dec.ReadValue(); err == nil {
				end := base + int(dec.InputOffset())
				if !yield(Span{end - len(v), end}, nil) {
					return
				}
			}
		}
		if err == nil {
			_, err = dec.ReadToken()
		}
		if err != nil {
			yield(Span{}, fmt.Errorf("reading JSON: %w", err))
		} else if _, err := dec.ReadToken(); err != io.EOF {
			yield(Span{}, ErrTrailing)
		}
	}
}
