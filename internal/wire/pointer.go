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

// Find returns the span of the value that the pointer names in a line, which is JSON: the first, if
// it names several as a [Selector]. Ok is false if there is none, or an object on the way cannot be
// read.
func (p Pointer) Find(line []byte) (value Span, ok bool) {
	for value, err := range Selector(p).Each(line) {
		return value, err == nil
	}
	return Span{}, false
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
