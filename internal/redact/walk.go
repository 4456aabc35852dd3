package redact

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"acpshim/internal/wire"
)

// A walker reads one JSON value and leaves the edits that it needs.
type walker struct {
	*Redactor
	text    []byte
	base    int // where the decoder's offset 0 stands in text
	dec     *jsontext.Decoder
	depth   int    // how many strings around
	command []byte // the last one that a member named
}

// walk reads the value that begins at base, and returns its end. After an error the edits stay, and
// end is how far it came. The edits have no order: a value may turn out to be secret after those
// behind it were read.
func (s *scanner) walk(base int) (end int, err error) {
	w := walker{Redactor: s.Redactor, text: s.text, base: base, depth: s.depth}
	w.dec = jsontext.NewDecoder(bytes.NewBuffer(s.text[base:]),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, err = w.value(ordinary, Key)
	return w.offset(), err
}

func (w *walker) offset() int { return w.base + int(w.dec.InputOffset()) }

// raw reads the next value as a whole.
func (w *walker) raw() (wire.Span, error) {
	v, err := w.dec.ReadValue()
	end := w.offset()
	return wire.Span{Start: end - len(v), End: end}, err
}

// plain is the text of the string v.
func (w *walker) plain(v wire.Span) []byte {
	return unescape(w.text[v.Start+1 : v.End-1])
}

// value reads the next value; kind is what secrets in it are.
func (w *walker) value(at class, kind Kind) (v wire.Span, err error) {
	next := w.dec.PeekKind()
	if at == strong || next != '{' && next != '[' {
		if v, err = w.raw(); err == nil {
			w.leaf(v, at, kind)
		}
		return v, err
	}
	if _, err = w.dec.ReadToken(); err != nil {
		return v, err
	}
	v.Start = w.offset() - 1
	if next == '{' {
		err = w.members(at, kind)
	} else {
		err = w.elements(at, kind)
	}
	if err == nil {
		_, err = w.dec.ReadToken()
	}
	v.End = w.offset()
	return v, err
}

// leaf looks at a value that is no object or array, or secret as a whole.
func (w *walker) leaf(v wire.Span, at class, kind Kind) {
	text, isString := bytes.CutPrefix(w.text[v.Start:v.End], []byte(`"`))
	text = bytes.TrimSuffix(text, []byte(`"`))
	switch {
	case at == strong, at == leaves, isString && at == proseText,
		isString && (at == likely || at == schema) && looksMade(text),
		isString && at == keyed && len(text) >= 16 && looksMade(text) && isOpaque(text):
		w.replace(v, 0, kind)
	case at == sessionID && (isString || isDecimal(text)):
		if id := unescape(text); w.sessions.fingerprintEnd(id, 0) < len(id) {
			w.learn(string(id))
			w.edits = append(w.edits, edit{v.Start, v.End, Session, `"` + w.sessions.fingerprint(string(id)) + `"`, ""})
		}
	case isString:
		w.string(v)
	}
}

// replace makes a value a marker, a string that is not escaped from a byte on, unless there is
// nothing to hide.
func (w *walker) replace(v wire.Span, from int, kind Kind) {
	e := edit{v.Start, v.End, kind, `"` + marker(kind) + `"`, ""}
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

// string looks for secrets in a string.
func (w *walker) string(v wire.Span) {
	from := len(w.edits)
	w.scan(w.plain(v), w.depth+1)
	lift(w.edits[from:], w.text, v.Start+1)
}

// elements reads those of an array, which may be the arguments of a program, or a name and a value.
func (w *walker) elements(at class, kind Kind) error {
	if at == environment {
		at = pair
	}
	var c call
	name, _, _ := bytes.Cut(w.command, []byte(" "))
	c.read(w.Redactor, name)
	w.command = nil
	isNamed := false // the first is the name of a secret
	for n := 0; w.dec.PeekKind() != ']'; n++ {
		edits, isText := len(w.edits), w.dec.PeekKind() == '"' && (at == ordinary || at == pair)
		v, err := w.value(at, kind)
		if err != nil {
			return err
		}
		if !isText {
			c.before = nil
			continue
		}
		text := w.plain(v)
		from, as := c.read(w.Redactor, text), Key
		sign := bytes.IndexAny(text[:min(len(text), sure)], "=:")
		switch {
		case at == pair && sign > 0 && text[0] != '[' && !openly(text[:sign], bytes.TrimSpace(text[sign+1:])):
			from, as = sign+1, kind
		case isNamed && looksMade(text) && w.dec.PeekKind() == ']':
			from = 0
		}
		isNamed = n == 0 && w.classify(text) == strong
		if from >= 0 {
			w.edits = w.edits[:edits]
			w.replace(v, from, as)
		}
	}
	return nil
}

// members reads those of an object.
func (w *walker) members(at class, kind Kind) error {
	var name []byte                    // of a pair
	var beside [methodID + 1]wire.Span // members by role; another may say that one is secret
	for w.dec.PeekKind() != '}' {
		label, err := w.raw()
		if err != nil {
			return err
		}
		text := w.plain(label)
		if len(text) >= minSession || wordEnd(text, 0) < len(text) || w.patterns != nil {
			w.string(label)
		}
		if at == environment {
			name = text
		}
		said, next, edits := w.say(text), w.dec.PeekKind(), len(w.edits)
		to, as := at.member(said, next, kind)
		v, err := w.value(to, as)
		if err != nil {
			return err
		}
		beside[said.role] = v
		if next != '"' || said.role == ordinary && to != strong {
			continue
		}
		text = w.plain(v)
		switch {
		case (at == environment || at == pair && said.role == valuing) && openly(name, text):
			w.edits = w.edits[:edits]
			w.string(v)
		case at == pair && said.role == naming:
			name = text
		case to == ordinary && said.role == naming:
			// A name with spaces in it is for people, and the value is an option's.
			if wordEnd(text, 0) == len(text) && w.namesSecret(text) {
				at = named
				w.replace(beside[valuing], 0, Key)
			}
		case to == ordinary && said.role == method && (string(text) == "authenticate" || string(text) == "auth/login"):
			at = login
			w.replace(beside[params], 0, Auth)
		case said.role == running:
			w.command = text[:min(len(text), maxName)]
		}
	}
	return nil
}

// member is where the value of a member stands, in an object that stands at a place.
func (at class) member(said saying, next jsontext.Kind, kind Kind) (class, Kind) {
	switch {
	case at == leaves && said.role == methodID, at == pair && said.role == naming:
		return ordinary, Key
	case at == leaves:
		return leaves, kind
	case at == login && said.role == params:
		return leaves, Auth
	case at == environment, at == pair, (at == schema || at == named) && said.role == valuing:
		return strong, kind
	case (at == ordinary || at == schema) && said.role == describing:
		return properties, Key
	case at == schema && said.class == ordinary, at == properties && said.class != ordinary && next == '{':
		return schema, Key
	}
	switch said.class {
	case prose, header:
		return strong, Key
	case environment:
		return environment, Env
	case headers:
		return environment, Header
	case query:
		return ordinary, Key
	}
	return said.class, Key
}
