package wire

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Pointer is a JSON Pointer (RFC 6901), split at its slashes and unescaped.
// The empty Pointer is the whole value.
type Pointer []string

// ParsePointer reads a JSON Pointer as it is written: "" or "/a/0/b~1c".
func ParsePointer(text string) (Pointer, error) {
	if text == "" {
		return Pointer{}, nil
	}
	if text[0] != '/' {
		return nil, fmt.Errorf("pointer %q: want a / at its beginning", text)
	}
	p := strings.Split(text[1:], "/")
	for i, token := range p {
		var ok bool
		if p[i], ok = unescape(token); !ok {
			return nil, fmt.Errorf("pointer %q: want ~0 for ~ and ~1 for /", text)
		}
	}
	return p, nil
}

// unescape reads a step as it is written; ok is false if a ~ is none of ~0 and ~1.
func unescape(token string) (step string, ok bool) {
	for _, escaped := range strings.Split(token, "~")[1:] {
		if escaped == "" || escaped[0] != '0' && escaped[0] != '1' {
			return "", false
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"), true // in this order, says the RFC
}

func (p Pointer) String() string {
	var b strings.Builder
	for _, token := range p {
		b.WriteString("/" + strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// ErrNoValue: there is nothing at the place that a [Pointer] names.
var ErrNoValue = errors.New("no such value")

// Find returns the span of the value that the pointer names in a line of JSON. Ok is false if there
// is none, or if an object on the way is ambiguous as in [Parse].
func (p Pointer) Find(line []byte) (value Span, ok bool) {
	value, err := p.Locate(line)
	return value, err == nil
}

// Locate is Find with an error: ErrNoValue if the value is not there, or one of [Parse] or [Batch]
// for an object or array on the way that cannot be read.
func (p Pointer) Locate(line []byte) (value Span, err error) {
	if len(p) == 0 {
		return Span{0, len(line)}, nil
	}
	in, err := p.open(line)
	if err != nil {
		return Span{}, err
	}
	last := p[len(p)-1]
	if m := in.object.Get(last); m != nil {
		value = m.Value
	} else if i, ok := index(last); ok && i < len(in.elements) {
		value = in.elements[i]
	} else {
		return Span{}, ErrNoValue
	}
	return Span{in.base + value.Start, in.base + value.End}, nil
}

// inside is the object or array that a value stands in.
type inside struct {
	raw      []byte
	base     int     // where raw stands in the line, as the spans count from it
	object   *Object // nil for an array, which is raw
	elements []Span
}

// open returns the object or array that the last step of the pointer leads into. Objects that are
// directly in each other are read at once.
func (p Pointer) open(line []byte) (in inside, err error) {
	in.raw = line
	for {
		var next Span
		switch container(in.raw) {
		case '{':
			o, err := Parse(in.raw, p.parents()...)
			if err != nil {
				return inside{}, err
			}
			for ; len(p) > 1 && o.Open(p[0]) != nil; p = p[1:] {
				o = o.Open(p[0])
			}
			m := o.Get(p[0])
			if len(p) == 1 {
				in.object = o
				return in, nil
			} else if m == nil {
				return inside{}, ErrNoValue
			}
			next = m.Value
		case '[':
			elements, err := Batch(in.raw)
			if err != nil {
				return inside{}, err
			}
			if len(p) == 1 {
				in.elements = elements
				return in, nil
			}
			i, ok := index(p[0])
			if !ok || i >= len(elements) {
				return inside{}, ErrNoValue
			}
			next = elements[i]
		default:
			return inside{}, ErrNoValue
		}
		in.raw, in.base, p = in.raw[next.Start:next.End], in.base+next.Start, p[1:]
	}
}

// parents are the paths, as [Parse] wants them, of what the value stands in.
func (p Pointer) parents() []string {
	paths := make([]string, len(p)-1)
	for i := range paths {
		paths[i] = strings.Join(p[:i+1], ".")
	}
	return paths
}

// Raw returns the value that the pointer names, or nil.
func (p Pointer) Raw(line []byte) []byte {
	if value, ok := p.Find(line); ok {
		return line[value.Start:value.End]
	}
	return nil
}

// index reads an array index: digits without a leading zero.
func index(token string) (int, bool) {
	i, err := strconv.Atoi(token)
	return i, err == nil && i >= 0 && strconv.Itoa(i) == token
}
