package redact

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"acpshim/wire"
)

// A place is where a value stands, as far as it says what is secret in it.
type place uint8

const (
	anywhere   place = iota
	message          // a JSON-RPC message or a batch of them
	secretHere       // the value is secret as a whole
	textHere         // the value is secret if it is a string
	leaves           // every string and number in it is secret
	ids              // session ids
	variables        // names with values: an object, or a list of pairs
	pair             // an element of variables
	properties       // the properties of a JSON Schema
	schema           // a JSON Schema that is named like a secret
)

// A walker reads one JSON value and leaves the edits that it needs.
type walker struct {
	*Redactor
	text  []byte
	base  int // where the decoder's offset 0 stands in text
	dec   *jsontext.Decoder
	depth int // how many strings around

	command []byte // the last one that a member named
}

// walk reads the value that begins at base and stands at a place, and returns its end. After an error
// the edits that were found stay, and end is how far it came.
func (r *Redactor) walk(text []byte, base, depth int, at place, kind Kind) (end int, err error) {
	w := walker{Redactor: r, text: text, base: base, depth: depth, dec: jsontext.NewDecoder(bytes.NewBuffer(text[base:]),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	_, err = w.value(at, kind)
	return w.offset(), err
}

func (w *walker) offset() int { return w.base + int(w.dec.InputOffset()) }

// raw reads the next value as a whole.
func (w *walker) raw() (wire.Span, error) {
	v, err := w.dec.ReadValue()
	end := w.offset()
	return wire.Span{Start: end - len(v), End: end}, err
}

// value reads the next value; kind is what secrets in it are.
func (w *walker) value(at place, kind Kind) (v wire.Span, err error) {
	next := w.dec.PeekKind()
	if (next == '{' || next == '[') && at != secretHere {
		if _, err = w.dec.ReadToken(); err == nil {
			v.Start = w.offset() - 1
			if next == '{' {
				err = w.members(at, kind)
			} else {
				err = w.elements(at, kind)
			}
		}
		if err == nil {
			_, err = w.dec.ReadToken()
		}
		v.End = w.offset()
		return v, err
	}
	if v, err = w.raw(); err == nil {
		w.leaf(v, at, kind)
	}
	return v, err
}

// leaf looks at a string, a number, or what is secret as a whole.
func (w *walker) leaf(v wire.Span, at place, kind Kind) {
	isString := w.text[v.Start] == '"'
	switch {
	case at == secretHere, at == leaves, at == textHere && isString:
		w.replace(v, kind)
	case at == ids:
		w.session(v)
	case isString:
		w.string(v)
	}
}

// isBare matches what is nothing to hide as a whole: an empty object, array or string, a
// marker, and words of JSON.
var isBare = lazily(`\A(?:\{\s*\}|\[\s*\]|""|"\[redacted:[a-z]{3,7}\]"|true|false|null)\z`)

// replace makes a value a marker.
func (w *walker) replace(v wire.Span, kind Kind) {
	if raw := w.text[v.Start:v.End]; raw[0] == '"' && raw[1] != '[' && raw[1] != '"' || !isBare().Match(raw) {
		w.edits = append(w.edits, edit{v.Start, v.End, kind, `"` + marker(kind) + `"`, ""})
	}
}

// session replaces the session id that v is, and remembers it.
func (w *walker) session(v wire.Span) {
	id := w.text[v.Start:v.End]
	switch {
	case id[0] == '"':
		id = plain(id[1 : len(id)-1])
	case id[0] > '9':
		return
	}
	if len(id) > 0 && w.sessions.fingerprintEnd(id, 0) < len(id) {
		w.learn(string(id))
		w.edits = append(w.edits, edit{v.Start, v.End, Session, `"` + w.sessions.fingerprint(string(id)) + `"`, ""})
	}
}

// string looks for secrets in a string.
func (w *walker) string(v wire.Span) {
	raw := w.text[v.Start+1 : v.End-1]
	from := len(w.edits)
	text := raw
	if bytes.IndexByte(raw, '\\') >= 0 {
		w.scratch[w.depth] = unescape(w.scratch[w.depth][:0], raw)
		text = w.scratch[w.depth]
	}
	w.scan(text, w.depth+1)
	if len(w.edits) > from {
		w.merge(from)
		lift(w.edits[from:], raw, v.Start+1)
	}
}

// elements reads those of an array, which may be the arguments of a program.
func (w *walker) elements(at place, kind Kind) error {
	if at == variables {
		at = pair
	}
	name, _, _ := bytes.Cut(w.command, []byte(" "))
	w.command = nil
	args, spans := [][]byte{name}, []wire.Span{{}}
	for w.dec.PeekKind() != ']' {
		v, err := w.value(at, kind)
		if err != nil {
			return err
		}
		if w.text[v.Start] != '"' || at != anywhere && at != pair && at != message {
			if n := len(args) - 1; args[n] != nil {
				args, spans = append(args, nil), append(spans, v)
			}
			continue
		}
		text := plain(w.text[v.Start+1 : v.End-1])
		args, spans = append(args, text), append(spans, v)
		sign := byte('=')
		if kind == Header {
			sign = ':'
		}
		if n := bytes.IndexByte(text, sign); at == pair && n > 0 && !openly(text[:n], bytes.TrimSpace(text[n+1:])) {
			w.replaceFrom(v, n+1, len(text), kind)
		}
	}
	if len(args) == 1 {
		return nil
	}
	for i, from := range w.secretArgs(args) {
		if from >= 0 && i > 0 {
			w.replaceFrom(spans[i], from, len(args[i]), Key)
		}
	}
	if len(args) == 3 && len(args[1]) < maxName && looksMade(args[2]) && w.classify(args[1]) == strong {
		w.replace(spans[2], Key)
	}
	return nil
}

// replaceFrom replaces a string, whose text is so long, from a byte of its text on.
func (w *walker) replaceFrom(v wire.Span, n, length int, kind Kind) {
	if start := v.Start + 1 + n; length < v.End-v.Start-2 { // it is escaped
		w.replace(v, kind)
	} else if n < length && markerEnd(w.text, start) != v.End-1 {
		w.edits = append(w.edits, edit{start, v.End - 1, kind, marker(kind), ""})
	}
}

// plain returns the text of a JSON string that is given without its quotes.
func plain(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return unescape(nil, raw)
}

// members reads those of an object.
func (w *walker) members(at place, kind Kind) error {
	var named, method []byte    // what members say
	var value, params wire.Span // where they stand, if they may be secret
	secret := false             // a member names a secret that stands beside it
	for w.dec.PeekKind() != '}' {
		name, err := w.raw()
		if err != nil {
			return err
		}
		label := plain(w.text[name.Start+1 : name.End-1])
		said := w.say(label)
		says, does := said.class, said.role
		if len(label) >= minSession || wordEnd(label, 0) < len(label) || w.pattern != nil {
			w.string(name)
		}
		next := w.dec.PeekKind()
		to, as := at.member(says, does, next, kind)
		if at == message && does == paramsOf && isAuthenticate(method) {
			to, as = leaves, Auth
		}
		from := len(w.edits)
		v, err := w.value(to, as)
		if err != nil {
			return err
		}
		var text []byte
		if next == '"' && (does != other || at == variables || to == secretHere) {
			text = plain(w.text[v.Start+1 : v.End-1])
		}
		switch {
		case (does == valuing && at == anywhere || does == paramsOf && at == message) && to == anywhere && bytes.IndexByte([]byte("tfn"), byte(next)) < 0:
			if does == valuing {
				value = v
			} else {
				params = v
			}
		case next != '"':
			continue
		case at == variables:
			named = label
		case does == naming && at == pair:
			named = text
		case does == naming: // A name with spaces in it is for people, and the value is an option's.
			secret = secret || wordEnd(text, 0) == len(text) && w.isNameOfSecret(text) && w.classify(text) != proseText
		case does == methodName:
			method = bytes.Clone(text)
		case does == running:
			w.command = text[:min(len(text), maxName)]
		}
		if next == '"' && ((at == variables || at == pair && does == valuing) && openly(named, text) ||
			(says == likely || says == keyed) && to == secretHere && !isValue(says, text)) {
			w.edits = w.edits[:from]
			w.string(v)
		}
	}
	if secret && value.End > 0 {
		w.replace(value, Key)
	}
	if params.End > 0 && isAuthenticate(method) {
		w.replace(params, Auth)
	}
	return nil
}

func isAuthenticate(method []byte) bool {
	return string(method) == "authenticate" || string(method) == "auth/login"
}

// member is the place of the value of a member of an object that stands at a place.
func (at place) member(says class, does role, next jsontext.Kind, kind Kind) (place, Kind) {
	switch {
	case at == leaves && does == methodID, at == pair && does == naming:
		return anywhere, ""
	case at == leaves:
		return at, kind
	case at == variables, at == pair:
		return secretHere, kind
	case (at == anywhere || at == schema) && does == describing:
		return properties, ""
	case at == schema && does == schemaWord:
		return schema, ""
	case at == schema:
		return secretHere, Key
	case at == properties && says != ordinary && next == '{':
		return schema, ""
	}
	switch says {
	case strong, prose, header:
		return secretHere, Key
	case proseText:
		return textHere, Key
	case likely, keyed:
		if next == '"' {
			return secretHere, Key
		}
	case sessionID:
		return ids, Session
	case environment:
		return variables, Env
	case headers:
		return variables, Header
	}
	return anywhere, ""
}

// isValue reports whether the value of a name that may be one of a secret looks so.
func isValue(says class, text []byte) bool {
	return says == likely && looksMade(text) || len(text) >= 16 && bytes.IndexByte(text, ' ') < 0 && isOpaque(text)
}

// A role is what a member does in objects of some places.
type role uint8

const (
	other role = iota
	methodName
	paramsOf
	methodID
	naming
	valuing
	describing // the properties of a schema
	schemaWord
	running
)

var roles = map[string]role{
	"method": methodName, "params": paramsOf, "methodid": methodID, "properties": describing, "command": running,
	"name": naming, "key": naming, "id": naming, "configid": naming, "variable": naming, "header": naming,
	"value": valuing, "currentvalue": valuing, "val": valuing,
	"type": schemaWord, "description": schemaWord, "title": schemaWord, "format": schemaWord, "pattern": schemaWord, "ref": schemaWord, "required": schemaWord,
	"enum": schemaWord, "items": schemaWord, "anyof": schemaWord, "oneof": schemaWord, "allof": schemaWord, "not": schemaWord, "minlength": schemaWord, "maxlength": schemaWord,
	"minimum": schemaWord, "maximum": schemaWord, "additionalproperties": schemaWord, "readonly": schemaWord, "writeonly": schemaWord, "nullable": schemaWord,
}
