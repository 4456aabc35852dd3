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

// walk reads the value that begins at base and stands at a place, and returns its end. After an
// error
// the edits that were found stay, and end is how far it came.
func (r *Redactor) walk(text []byte, base, depth int, at place, kind Kind) (end int, err error) {
	w := walker{Redactor: r, text: text, base: base, depth: depth, dec: jsontext.NewDecoder(bytes.NewBuffer(text[base:]),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	err = w.value(at, kind)
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
func (w *walker) value(at place, kind Kind) error {
	next := w.dec.PeekKind()
	if at == secretHere && (next == '{' || next == '[') {
		v, err := w.raw()
		if err == nil && !isEmpty(w.text[v.Start:v.End]) {
			w.replace(v, kind)
		}
		return err
	}
	switch next {
	case '{':
		return w.object(at, kind)
	case '[':
		return w.array(at, kind)
	}
	v, err := w.raw()
	if err != nil {
		return err
	}
	switch {
	case next == '"' && (at == secretHere || at == textHere || at == leaves):
		w.replace(v, kind)
	case next == '"' && at == ids:
		w.session(v)
	case next == '"':
		w.string(v)
	case next == '0' && (at == secretHere || at == leaves):
		w.replace(v, kind)
	case next == '0' && at == ids:
		w.edits = append(w.edits, edit{start: v.Start, end: v.End, kind: Session, with: `"` + w.sessions.fingerprint(string(w.text[v.Start:v.End])) + `"`})
	}
	return nil
}

// isEmpty reports whether a raw object or array has nothing in it.
func isEmpty(raw []byte) bool { return len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0 }

// isDone reports whether a raw value is a string that is empty or a marker.
func isDone(raw []byte) bool { return raw[0] == '"' && markerEnd(raw, 1) == len(raw)-1 }

// replace makes a string or number a marker, and an object or array too.
func (w *walker) replace(v wire.Span, kind Kind) {
	if !isDone(w.text[v.Start:v.End]) {
		w.edits = append(w.edits, edit{start: v.Start, end: v.End, kind: kind, with: quotedMarkers[kind]})
	}
}

// session replaces the session id that is the string v, and remembers it.
func (w *walker) session(v wire.Span) {
	id := plain(w.text[v.Start+1 : v.End-1])
	if len(id) == 0 || w.sessions.fingerprintEnd(id, 0) == len(id) {
		return
	}
	w.learn(string(id))
	w.edits = append(w.edits, edit{start: v.Start, end: v.End, kind: Session, with: `"` + w.sessions.fingerprint(string(id)) + `"`})
}

// string looks for secrets in a string.
func (w *walker) string(v wire.Span) {
	raw := w.text[v.Start+1 : v.End-1]
	if len(raw) == 0 {
		return
	}
	from := len(w.edits)
	text := raw
	if bytes.IndexByte(raw, '\\') >= 0 {
		w.scratch[w.depth] = unescape(w.scratch[w.depth][:0], raw)
		text = w.scratch[w.depth]
	}
	w.scan(text, w.depth+1)
	if len(w.edits) > from {
		w.edits = w.edits[:from+len(lift(w.edits[from:], raw, v.Start+1))]
	}
}

func (w *walker) array(at place, kind Kind) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	if at == variables {
		at = pair
	}
	var c call
	if name, _, _ := bytes.Cut(w.command, []byte(" ")); len(name) > 0 {
		c.next(w.Redactor, name)
		w.command = nil
	}
	var first []byte // the first of what may be a name with its value
	for n := 0; ; n++ {
		next := w.dec.PeekKind()
		if next == ']' {
			_, err := w.dec.ReadToken()
			return err
		}
		if next != '"' || at != anywhere && at != pair && at != message {
			c.before = nil
			if err := w.value(at, kind); err != nil {
				return err
			}
			continue
		}
		v, err := w.raw()
		if err != nil {
			return err
		}
		raw := w.text[v.Start+1 : v.End-1]
		text := plain(raw)
		from, as := c.next(w.Redactor, text), Key
		if sign := signIn(text, kind); at == pair && sign > 0 && from < 0 && !openly(text[:sign], bytes.TrimSpace(text[sign+1:])) {
			from, as = sign+1, kind
		}
		edits := len(w.edits)
		switch {
		case from >= 0 && len(text) < len(raw): // it is escaped
			w.replace(v, as)
		case from >= 0:
			w.replaceFrom(v, from, as)
		default:
			w.string(v)
		}
		if n == 0 && len(text) < maxName {
			first = text
		} else if n == 1 && from < 0 && w.dec.PeekKind() == ']' && looksMade(text) && w.classify(first) == strong {
			w.edits = w.edits[:edits]
			w.replace(v, Key)
		}
	}
}

// signIn is where the value of an element of an environment or headers begins that has
// name and value in one, or 0.
func signIn(text []byte, kind Kind) int {
	n := bytes.IndexByte(text, '=')
	if kind == Header {
		n = bytes.IndexByte(text, ':')
	}
	return max(n, 0)
}

// replaceFrom replaces a string from a byte of its text on.
func (w *walker) replaceFrom(v wire.Span, n int, kind Kind) {
	if start := v.Start + 1 + n; start < v.End-1 && markerEnd(w.text, start) != v.End-1 {
		w.edits = append(w.edits, edit{start: start, end: v.End - 1, kind: kind, with: marker(kind)})
	}
}

// plain returns the text of a JSON string that is given without its quotes.
func plain(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return unescape(nil, raw)
}

// An object is what is known of one while its members are read.
type object struct {
	at            place
	kind          Kind
	method        bool   // its method was read
	authenticates bool   // and is one that sends credentials
	names         bool   // a member names a secret that stands beside it
	value, params int    // the edits reserved for these members, -1 for none
	named         []byte // of a pair
}

func (w *walker) object(at place, kind Kind) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	o := object{at: at, kind: kind, value: -1, params: -1}
	for w.dec.PeekKind() != '}' {
		if err := w.member(&o); err != nil {
			return err
		}
	}
	if o.names && o.value >= 0 {
		w.use(o.value, Key)
	}
	if o.authenticates && o.params >= 0 {
		w.use(o.params, Auth)
	}
	_, err := w.dec.ReadToken()
	return err
}

// member reads a name and its value.
func (w *walker) member(o *object) error {
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
	at, kind := o.place(says, does, next)
	reserved := -1
	if at == anywhere && (does == valuing && o.at == anywhere || does == params && o.at == message && !o.method) {
		reserved = len(w.edits)
		w.edits = append(w.edits, edit{})
	}
	from := len(w.edits)
	if err := w.value(at, kind); err != nil {
		return err
	}
	end := w.offset()
	start := name.End
	for w.text[start] <= ' ' || w.text[start] == ':' {
		start++
	}
	if reserved >= 0 && next != 't' && next != 'f' && next != 'n' {
		w.edits[reserved] = edit{start: start, end: end}
		if does == valuing {
			o.value = reserved
		} else {
			o.params = reserved
		}
	}
	if next != '"' {
		return nil
	}
	if does == running {
		w.command = w.text[start+1 : min(end-1, start+1+maxName)]
	}
	if o.at == variables {
		o.named = label
	}
	switch text := w.text[start+1 : end-1]; {
	case (o.at == variables || o.at == pair && does == valuing) && openly(o.named, plain(text)),
		(says == likely || says == keyed) && at == secretHere && !isValue(says, text):
		w.edits = w.edits[:from]
		w.string(wire.Span{Start: start, End: end})
	case o.at == pair && does == naming:
		o.named = plain(text)
	case does == method && o.at == message:
		o.method = true
		o.authenticates = string(plain(text)) == "authenticate" || string(plain(text)) == "auth/login"
	case does == naming:
		// A name with spaces in it is for people, and the value is an option's.
		id := plain(text)
		says := w.classify(id)
		o.names = o.names || wordEnd(id, 0) == len(id) && (says == strong || says == prose || says == header)
	}
	return nil
}

// place is where the value of a member stands.
func (o *object) place(says class, does role, next jsontext.Kind) (place, Kind) {
	switch {
	case o.at == leaves && does == methodID:
		return anywhere, ""
	case o.at == leaves, o.at == secretHere:
		return o.at, o.kind
	case o.at == pair && does == naming:
		return anywhere, ""
	case o.at == variables, o.at == pair:
		return secretHere, o.kind
	case o.at == message && does == params && o.authenticates:
		return leaves, Auth
	case (o.at == anywhere || o.at == schema) && does == describing:
		return properties, ""
	case o.at == schema && does == schemaWord:
		return schema, ""
	case o.at == schema:
		return secretHere, Key
	case o.at == properties && says != ordinary && next == '{':
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

// use makes a reserved edit count, unless there is nothing to hide.
func (w *walker) use(reserved int, kind Kind) {
	e := &w.edits[reserved]
	raw := w.text[e.start:e.end]
	if (raw[0] == '{' || raw[0] == '[') && isEmpty(raw) || isDone(raw) {
		return
	}
	e.kind, e.with = kind, quotedMarkers[kind]
}

// A role is what a member does in objects of some places.
type role uint8

const (
	other role = iota
	method
	params
	methodID
	naming
	valuing
	describing // the properties of a schema
	schemaWord
	running
)

var roles = map[string]role{
	"method": method, "params": params, "methodid": methodID, "properties": describing, "command": running,
	"name": naming, "key": naming, "id": naming, "configid": naming, "variable": naming, "header": naming,
	"value": valuing, "currentvalue": valuing, "val": valuing,
	"type": schemaWord, "description": schemaWord, "title": schemaWord, "format": schemaWord, "pattern": schemaWord, "ref": schemaWord, "required": schemaWord,
	"enum": schemaWord, "items": schemaWord, "anyof": schemaWord, "oneof": schemaWord, "allof": schemaWord, "not": schemaWord, "minlength": schemaWord, "maxlength": schemaWord,
	"minimum": schemaWord, "maximum": schemaWord, "additionalproperties": schemaWord, "readonly": schemaWord, "writeonly": schemaWord, "nullable": schemaWord,
}
