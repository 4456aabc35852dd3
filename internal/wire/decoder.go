package wire

import (
	"bytes"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// A decoder checks a line of JSON and finds where its values are. Errors say what is no JSON.
type decoder struct {
	*jsontext.Decoder
	base int // where its offset 0 is in the line
}

// newDecoder returns the decoder of a line that begins with a bracket; ok is false for another.
func newDecoder(line []byte, bracket byte) (d decoder, ok bool) {
	if container(line) != bracket {
		return decoder{}, false
	}
	body := bytes.TrimPrefix(line, bom)
	return decoder{
		jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		len(line) - len(body),
	}, true
}

var bom = []byte("\xef\xbb\xbf")

// container returns the bracket that an object or array begins with; 0 for all else.
func container(line []byte) byte {
	first := bytes.TrimLeft(bytes.TrimPrefix(line, bom), " \t\r\n")
	if len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		return first[0]
	}
	return 0
}

// bracket reads a bracket and returns where it is.
func (d decoder) bracket() (int, error) {
	if _, err := d.ReadToken(); err != nil {
		return 0, fmt.Errorf("reading JSON: %w", err)
	}
	return d.base + int(d.InputOffset()) - 1, nil
}

// value reads a value, or a name.
func (d decoder) value() (Span, error) {
	v, err := d.ReadValue()
	if err != nil {
		return Span{}, fmt.Errorf("reading JSON: %w", err)
	}
	end := d.base + int(d.InputOffset())
	return Span{end - len(v), end}, nil
}

// end returns ErrTrailing if there is something behind the value.
func (d decoder) end() error {
	if _, err := d.ReadToken(); err != io.EOF {
		return ErrTrailing
	}
	return nil
}
