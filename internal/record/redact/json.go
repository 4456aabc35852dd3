package redact

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"acpshim/internal/chain/wire"
)

// readDocument reads a text that is one JSON value, and reports whether it is. A block that an
// earlier text left open stays open, unless the value may be a line of it.
func (s *scanner) readDocument() bool {
	if s.unfinished.kind != "" && len(s.text) > 0 && s.text[0] <= ' ' {
		return false
	}
	base := len(s.text) - len(bytes.TrimPrefix(s.text, []byte("\xef\xbb\xbf")))
	end, err := s.walk(base)
	if err == nil && len(bytes.TrimSpace(s.text[end:])) == 0 {
		return true
	}
	s.edits = s.edits[:0]
	return false
}

// maxDepth is the greatest depth of JSON in strings of JSON.
const maxDepth = 6

// objectStarts matches the beginning of a JSON object.
var objectStarts = lazily(`\A\{\s*"(?:[^"\\]|\\.)*(?:\\?\z|"\s*(?::|\z))`)

// readJSON reads the JSON object that may begin at i. It returns its end, or i if no object begins
// there.
func (s *scanner) readJSON(i int) int {
	if s.text[i] != '{' || i < s.notJSON || s.depth > maxDepth || !objectStarts().Match(s.near(i, longValue)) {
		return i
	}
	from := len(s.edits)
	end, err := s.walk(i)
	if err != nil {
		s.edits = s.edits[:from]
		s.notJSON = end
		return i
	}
	s.consumed = end
	return end
}

// A walker reads one JSON value and adds the edits that it needs.
type walker struct {
	*scanner
	base    int // the position of the decoder's offset 0 in the text
	dec     *jsontext.Decoder
	command []byte // the program that the last member names
}

// walk reads the value that begins at base, and returns its end. After an error the edits stay, and
// end is the position of the error. The edits are not sorted, because a later member may say that
// an earlier value is secret.
func (s *scanner) walk(base int) (end int, err error) {
	w := walker{scanner: s, base: base, dec: jsontext.NewDecoder(bytes.NewBuffer(s.text[base:]),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	_, err = w.readValue(anyPlace, Key)
	return w.offset(), err
}

func (w *walker) offset() int { return w.base + int(w.dec.InputOffset()) }

// readRaw reads the next value without looking into it.
func (w *walker) readRaw() (wire.Span, error) {
	v, err := w.dec.ReadValue()
	end := w.offset()
	return wire.Span{Start: end - len(v), End: end}, err
}

// plain returns the text of the string v.
func (w *walker) plain(v wire.Span) []byte { return unescape(w.text[v.Start+1 : v.End-1]) }

// readValue reads the next value. At is its place, and kind is the kind of secrets there.
func (w *walker) readValue(at place, kind Kind) (v wire.Span, err error) {
	next := w.dec.PeekKind()
	if at == secretPlace || next != '{' && next != '[' {
		if v, err = w.readRaw(); err == nil {
			w.redactScalar(v, at, kind)
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

// redactScalar redacts a value that is not an object or an array, or that is secret as a whole.
func (w *walker) redactScalar(v wire.Span, at place, kind Kind) {
	text, isString := bytes.CutPrefix(w.text[v.Start:v.End], []byte(`"`))
	text = bytes.TrimSuffix(text, []byte(`"`))
	switch {
	case at == secretPlace, at == leavesPlace, isString && at == textPlace,
		isString && (at == likelyPlace || at == schemaPlace) && looksGenerated(text),
		isString && at == keyedPlace && isKey(text):
		w.replaceValue(v, 0, kind)
	case at == sessionPlace && (isString || isDecimal(text)):
		if id := unescape(text); w.fingerprintEnd(id, 0) < len(id) {
			w.learn(string(id))
			w.edits = append(w.edits, edit{start: v.Start, end: v.End, kind: Session, with: `"` + w.fingerprint(string(id)) + `"`})
		}
	case isString:
		w.scanString(v)
	}
}

// replaceValue replaces a value by a marker, unless it has nothing to hide. In a string without
// escapes, the bytes before from stay.
func (w *walker) replaceValue(v wire.Span, from int, kind Kind) {
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

// An object is the state of reading an object.
type object struct {
	place   place
	kind    Kind                       // of secrets in it
	name    []byte                     // of its variable or header
	members [encodedRole + 1]wire.Span // by role; a later member may say that an earlier one is secret
	encoded []wire.Span                // strings that may be base64
}

// readMembers reads the members of an object.
func (w *walker) readMembers(at place, kind Kind) error {
	o := object{place: at, kind: kind}
	for w.dec.PeekKind() != '}' {
		label, err := w.readRaw()
		if err != nil {
			return err
		}
		name := w.plain(label)
		if len(name) >= minSession || wordEnd(name, 0) < len(name) || w.patterns != nil {
			w.scanString(label)
		}
		if err := w.readMember(&o, name); err != nil {
			return err
		}
	}
	for _, v := range o.encoded {
		w.scanEncoded(v)
	}
	return nil
}

// readMember reads the value of the member with a name.
func (w *walker) readMember(o *object, name []byte) error {
	if o.place == pairsPlace {
		o.name = name
	}
	edits, next, meaning := len(w.edits), w.dec.PeekKind(), w.meaningOf(name)
	to, kind := o.place.memberPlace(meaning, next, o.kind)
	v, err := w.readValue(to, kind)
	if err != nil {
		return err
	}
	o.members[meaning.role] = v
	if next != '"' || meaning.role == noRole && to != secretPlace {
		return nil
	}
	text := w.plain(v)
	isOfPair := o.place == pairsPlace || o.place == pairPlace && meaning.role == valueRole
	switch {
	case isOfPair && isHarmless(o.name, text):
		w.edits = w.edits[:edits]
		w.scanString(v)
	case o.place == pairPlace && meaning.role == nameRole:
		o.name = text
	case to == anyPlace:
		w.applyRole(o, meaning.role, text)
	}
	return nil
}

// applyRole applies what a member says about the other members of its object.
func (w *walker) applyRole(o *object, role role, text []byte) {
	switch role {
	case nameRole:
		// A name with spaces is for people, and then the value is that of an option.
		if wordEnd(text, 0) == len(text) && w.namesSecret(text) {
			o.place = namedPlace
			w.replaceValue(o.members[valueRole], 0, Key)
		}
	case methodRole:
		if string(text) == "authenticate" || string(text) == "auth/login" {
			o.place = loginPlace
			w.replaceValue(o.members[paramsRole], 0, Auth)
		}
	case programRole:
		w.command = text[:min(len(text), maxName)]
	case encodedRole:
		o.encoded = append(o.encoded, o.members[role])
	}
}

// readElements reads the elements of an array. Strings may be arguments of a program, assignments
// of an environment, or a name and its value.
func (w *walker) readElements(at place, kind Kind) error {
	if at == pairsPlace {
		at = pairPlace
	}
	var c call
	program, _, _ := bytes.Cut(w.command, []byte(" "))
	c.readArgument(&w.classifier, program)
	w.command = nil
	isNamed := false // the first element is a secret name, and there is no other before this one
	for n := 0; w.dec.PeekKind() != ']'; n++ {
		edits, isText := len(w.edits), w.dec.PeekKind() == '"' && (at == anyPlace || at == pairPlace)
		v, err := w.readValue(at, kind)
		if err != nil {
			return err
		}
		if !isText {
			c.previous = nil
			continue
		}
		text, kind := w.plain(v), kind
		from := -1
		if at == pairPlace {
			from = assignedSecret(text)
		}
		if inCall := c.readArgument(&w.classifier, text); from < 0 {
			from, kind = inCall, Key
		}
		if isNamed && looksGenerated(text) && w.dec.PeekKind() == ']' {
			from = 0
		}
		isNamed = n == 0 && w.classify(text) == strong
		if from >= 0 {
			w.edits = w.edits[:edits]
			w.replaceValue(v, from, kind)
		}
	}
	return nil
}

// assignedSecret returns where the value begins in NAME=value or in the line of a header. It
// returns -1 if the value is harmless.
func assignedSecret(text []byte) (from int) {
	sign := bytes.IndexAny(text[:min(len(text), longValue)], "=:")
	if sign <= 0 || text[0] == '[' || isHarmless(text[:sign], bytes.TrimSpace(text[sign+1:])) {
		return -1
	}
	return sign + 1
}

// dataURIs matches the beginning of a URI with base64.
var dataURIs = lazily(`\Adata:[\w.+/;=-]*;base64,`)

// scanString redacts a string.
func (w *walker) scanString(v wire.Span) {
	if bytes.HasPrefix(w.text[v.Start:], []byte(`"data:`)) {
		if m := dataURIs().FindIndex(w.text[v.Start+1 : v.End-1]); m != nil {
			w.scanEncoded(wire.Span{Start: v.Start + m[1], End: v.End})
		}
	}
	from := len(w.edits)
	w.scan(w.plain(v), w.depth+1)
	escapeEdits(w.edits[from:], w.text, v.Start+1)
}

// base64s has the encodings of base64. The protocol uses the first one.
var base64s = []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding}

// scanEncoded redacts the bytes of a base64 string, and encodes them again. The span includes one
// byte before and one after the base64, such as the quotes.
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

// escapeEdits changes edits of an unescaped text into edits of the line that has the text escaped,
// from i on.
func escapeEdits(edits []edit, line []byte, i int) {
	text := 0 // the position in the text
	var one []byte
	for n := range edits {
		e := &edits[n]
		start := i
		for text < e.end {
			width, size := 1, 1
			if line[i] == '\\' {
				one, size = unescapeOne(one[:0], line[i:])
				width = len(one)
			}
			text, i = text+width, i+size
			if text <= e.start {
				start = i
			}
		}
		e.start, e.end = start, i
		e.with = strings.ReplaceAll(strings.ReplaceAll(e.with, `\`, `\\`), `"`, `\"`)
	}
}
