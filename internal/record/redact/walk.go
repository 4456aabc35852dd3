package redact

import (
	"bytes"
	"encoding/base64"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"acpshim/internal/chain/wire"
)

// A walker reads one JSON value and adds the edits that it needs.
type walker struct {
	*Redactor
	text    []byte
	base    int // where the decoder's offset 0 stands in text
	dec     *jsontext.Decoder
	depth   int    // how many strings are around the text
	command []byte // the program that the last member named
}

// walk reads the value that begins at base, and returns its end. After an error the edits stay, and
// end is how far it came. The edits are not sorted: a value may turn out to be secret after others
// were read.
func (s *scanner) walk(base int) (end int, err error) {
	w := walker{Redactor: s.Redactor, text: s.text, base: base, depth: s.depth}
	w.dec = jsontext.NewDecoder(bytes.NewBuffer(s.text[base:]),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, err = w.readValue(anyPlace, Key)
	return w.offset(), err
}

func (w *walker) offset() int { return w.base + int(w.dec.InputOffset()) }

// readRaw reads the next value as a whole.
func (w *walker) readRaw() (wire.Span, error) {
	v, err := w.dec.ReadValue()
	end := w.offset()
	return wire.Span{Start: end - len(v), End: end}, err
}

// plain is the text of the string v.
func (w *walker) plain(v wire.Span) []byte {
	return unescape(w.text[v.Start+1 : v.End-1])
}

// readValue reads the next value, which stands at a place where secrets are of a kind.
func (w *walker) readValue(at place, kind Kind) (v wire.Span, err error) {
	next := w.dec.PeekKind()
	if at == secretPlace || next != '{' && next != '[' {
		if v, err = w.readRaw(); err == nil {
			w.redact(v, at, kind)
		}
		return v, err
	}
	if _, err = w.dec.ReadToken(); err != nil {
		return v, err
	}
	v.Start = w.offset() - 1
	if next == '{' {
		err = w.readMembers(at, kind)
	} else {
		err = w.readElements(at, kind)
	}
	if err == nil {
		_, err = w.dec.ReadToken()
	}
	v.End = w.offset()
	return v, err
}

// redact looks for secrets in a value that is not an object or an array, or is secret as a whole.
func (w *walker) redact(v wire.Span, at place, kind Kind) {
	text, isString := bytes.CutPrefix(w.text[v.Start:v.End], []byte(`"`))
	text = bytes.TrimSuffix(text, []byte(`"`))
	switch {
	case at == secretPlace, at == leavesPlace, isString && at == textPlace,
		isString && (at == likelyPlace || at == schemaPlace) && looksMade(text),
		isString && at == keyedPlace && isKey(text):
		w.replace(v, 0, kind)
	case at == sessionPlace && (isString || isDecimal(text)):
		if id := unescape(text); w.sessions.fingerprintEnd(id, 0) < len(id) {
			w.learn(string(id))
			w.edits = append(w.edits, edit{start: v.Start, end: v.End, kind: Session, with: `"` + w.sessions.fingerprint(string(id)) + `"`})
		}
	case isString:
		w.scanString(v)
	}
}

// replace makes a value a marker, unless there is nothing to hide. If a string has no escapes, its
// bytes before from stay.
func (w *walker) replace(v wire.Span, from int, kind Kind) {
	e := edit{start: v.Start, end: v.End, kind: kind, with: `"` + marker(kind) + `"`}
	switch c := w.text[v.Start]; {
	case v.End == 0, c == 't', c == 'f', c == 'n', len(bytes.Trim(w.text[v.Start:v.End], "{}[] \t\r\n")) == 0:
		return
	case c == '"':
		e.start, e.end, e.with = v.Start+1, v.End-1, marker(kind)
		if bytes.IndexByte(w.text[e.start:e.end], '\\') < 0 {
			e.start += from
		}
		if markerEnd(w.text, e.start) == e.end {
			return
		}
	}
	w.edits = append(w.edits, e)
}

// dataURIs match the beginning of a URI with base64.
var dataURIs = lazily(`\Adata:[\w.+/;=-]*;base64,`)

// scanString looks for secrets in a string.
func (w *walker) scanString(v wire.Span) {
	if bytes.HasPrefix(w.text[v.Start:], []byte(`"data:`)) {
		if m := dataURIs().FindIndex(w.text[v.Start+1 : v.End-1]); m != nil {
			w.scanEncoded(wire.Span{Start: v.Start + m[1], End: v.End})
		}
	}
	from := len(w.edits)
	w.scan(w.plain(v), w.depth+1)
	lift(w.edits[from:], w.text, v.Start+1)
}

// base64s are the ways to write base64. The protocol has the first.
var base64s = []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding}

// scanEncoded looks for secrets in the bytes that a string has as base64, and encodes them again
// without these. The span has a byte before and after the base64, such as the quotes.
func (w *walker) scanEncoded(v wire.Span) {
	text := w.plain(v)
	for _, encoding := range base64s {
		raw, err := encoding.AppendDecode(nil, text)
		if err != nil {
			continue
		}
		from := len(w.edits)
		w.scan(raw, w.depth+1)
		found := slices.Clone(w.edits[from:])
		if w.edits = w.edits[:from]; len(found) > 0 {
			with := encoding.EncodeToString(apply(nil, raw, found))
			w.edits = append(w.edits, edit{start: v.Start + 1, end: v.End - 1, with: with, within: found})
		}
		return
	}
}
