package wire

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzParse: Parse and Batch accept the same lines as a JSON library, and find the same spans.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e-3,"x\\\"\u1234",null]}`, "[[],{}]", `[ "12345678\n1234567" , {} ]`, "{\"a\":\"\x01\"}", "[-0.0E+1,-,01,1.]", ` {"a": true ,"b":falsey}`, "{\"a\":\"\xff\\ud800\"}\r\n", `[1,]`, `{"a":1,}`, "\xef\xbb\xbf{}", `{"a":{"a":1,"\u0061":{}}}x`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.Count(line, []byte("["))+bytes.Count(line, []byte("{")) > 1000 {
			return
		}
		want, wantErr := readByLibrary(line)
		var got []Span
		o, err := Parse(line)
		if o != nil {
			for _, m := range o.Members {
				got = append(got, m.Key, m.Value)
			}
		} else if errors.Is(err, ErrNotObject) {
			got, err = Batch(line)
		}
		if err == ErrAmbiguous {
			err = nil
		}
		if (err == nil) != (wantErr == nil) || err == nil && !slices.Equal(got, want) {
			t.Errorf("%q:\n got %v, %v\nwant %v, %v", line, got, err, want, wantErr)
		}
	})
}

// readByLibrary returns the spans of the names and values of an object, or of the elements of an
// array.
func readByLibrary(line []byte) (spans []Span, err error) {
	body := bytes.TrimPrefix(line, bom)
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if k := d.PeekKind(); k != '{' && k != '[' {
		return nil, ErrNotArray
	}
	_, err = d.ReadToken()
	for err == nil && d.PeekKind() != '}' && d.PeekKind() != ']' {
		var v jsontext.Value
		if v, err = d.ReadValue(); err == nil {
			end := len(line) - len(body) + int(d.InputOffset())
			spans = append(spans, Span{end - len(v), end})
		}
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	if err == nil && len(bytes.Trim(body[d.InputOffset():], " \t\r\n")) > 0 {
		err = ErrTrailing
	}
	return spans, err
}
