package wire

import (
	"bytes"
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

// Find returns the span of the value that the pointer names in a line of JSON.
// Ok is false if there is none, and if two readers may see two: an object on
// the way is ambiguous as in [Parse].
func (p Pointer) Find(line []byte) (value Span, ok bool) {
	value = Span{0, len(line)}
	for _, token := range p {
		raw := line[value.Start:value.End]
		var inside Span
		switch first := bytes.TrimLeft(bytes.TrimPrefix(raw, bom), " \t\r\n"); {
		case len(first) > 0 && first[0] == '{':
			o, err := Parse(raw)
			if err != nil {
				return Span{}, false
			}
			m := o.Get(token)
			if m == nil {
				return Span{}, false
			}
			inside = m.Value
		case len(first) > 0 && first[0] == '[':
			elements, err := Batch(raw)
			i, ok := index(token)
			if err != nil || !ok || i >= len(elements) {
				return Span{}, false
			}
			inside = elements[i]
		default:
			return Span{}, false
		}
		value = Span{value.Start + inside.Start, value.Start + inside.End}
	}
	return value, true
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
