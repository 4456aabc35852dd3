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

// ParsePointer reads a JSON Pointer such as "" or "/a/0/b~1c".
func ParsePointer(text string) (Pointer, error) {
	if text == "" {
		return Pointer{}, nil
	}
	if text[0] != '/' {
		return nil, fmt.Errorf("pointer %q: it has to begin with /", text)
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

// unescape replaces ~0 and ~1 in a step; ok is false if there is any other ~.
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

// ErrNoValue: there is no value at the place that a [Pointer] names.
var ErrNoValue = errors.New("no such value")

// Find returns the span of the value that the pointer names in a line of JSON. ok is false if the
// value does not exist, or if [Parse] or [Batch] cannot read an object or array on the way.
func (p Pointer) Find(line []byte) (value Span, ok bool) {
	value = Span{0, len(line)}
	for len(p) > 0 {
		var next Span
		if p, next, ok = p.step(line[value.Start:value.End]); !ok {
			return Span{}, false
		}
		value = Span{value.Start + next.Start, value.Start + next.End}
	}
	return value, true
}

// step returns the value that the first steps lead to, and the steps that are left. Objects that
// are directly in each other are read at once.
func (p Pointer) step(raw []byte) (left Pointer, next Span, ok bool) {
	switch _, bracket := container(raw); bracket {
	case '{':
		o, err := Parse(raw, p.parents()...)
		if err != nil {
			return nil, Span{}, false
		}
		for ; len(p) > 1 && o.Open(p[0]) != nil; p = p[1:] {
			o = o.Open(p[0])
		}
		if m := o.Get(p[0]); m != nil {
			return p[1:], m.Value, true
		}
	case '[':
		elements, err := Batch(raw)
		if i, isIndex := index(p[0]); err == nil && isIndex && i < len(elements) {
			return p[1:], elements[i], true
		}
	}
	return nil, Span{}, false
}

// parents returns the paths of the objects around the value, for [Parse].
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
