package wire

import (
	"bytes"
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
		for _, escaped := range strings.Split(token, "~")[1:] {
			if escaped == "" || escaped[0] != '0' && escaped[0] != '1' {
				return nil, fmt.Errorf("pointer %q: want ~0 for ~ and ~1 for /", text)
			}
		}
		p[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	}
	return p, nil
}

func (p Pointer) String() string {
	var b strings.Builder
	for _, token := range p {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	return b.String()
}

// ErrNoValue: there is nothing at the place that a [Pointer] names.
var ErrNoValue = errors.New("no such value")

// Find returns the span of the value that the pointer names in a line of JSON.
// Ok is false if there is none, and if two readers may see two: an object on
// the way is ambiguous as in [Parse].
func (p Pointer) Find(line []byte) (value Span, ok bool) {
	value, err := p.Locate(line)
	return value, err == nil
}

// Locate is Find with the reason: ErrNoValue if the value is not there, else an
// error of [Parse] or [Batch] for a container on the way that cannot be read.
func (p Pointer) Locate(line []byte) (value Span, err error) {
	value = Span{0, len(line)}
	for _, token := range p {
		raw := line[value.Start:value.End]
		var inside Span
		switch container(raw) {
		case '{':
			o, err := Parse(raw)
			if err != nil {
				return Span{}, err
			}
			m := o.Get(token)
			if m == nil {
				return Span{}, ErrNoValue
			}
			inside = m.Value
		case '[':
			elements, err := Batch(raw)
			if err != nil {
				return Span{}, err
			}
			i, ok := index(token)
			if !ok || i >= len(elements) {
				return Span{}, ErrNoValue
			}
			inside = elements[i]
		default:
			return Span{}, ErrNoValue
		}
		value = Span{value.Start + inside.Start, value.Start + inside.End}
	}
	return value, nil
}

// container returns what an object or array begins with, and 0 for all else.
func container(raw []byte) byte {
	first := bytes.TrimLeft(bytes.TrimPrefix(raw, bom), " \t\r\n")
	if len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		return first[0]
	}
	return 0
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
