package redact

import "acpshim/internal/chain/wire"

// An object is the one whose members are read.
type object struct {
	place   place
	kind    Kind                       // what secrets in it are
	name    []byte                     // of the variable or the header that it has
	members [encodedRole + 1]wire.Span // by role; another one may say that one is secret
	encoded []wire.Span                // strings that may be base64
}

// readMembers reads those of an object.
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
	to, kind := o.place.member(meaning, next, o.kind)
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
		w.apply(o, meaning.role, text)
	}
	return nil
}

// apply does what the text of a member says about the other members of its object.
func (w *walker) apply(o *object, role role, text []byte) {
	switch role {
	case nameRole:
		// A name with spaces in it is for people, and the value is an option's.
		if wordEnd(text, 0) == len(text) && w.namesSecret(text) {
			o.place = namedPlace
			w.replace(o.members[valueRole], 0, Key)
		}
	case methodRole:
		if string(text) == "authenticate" || string(text) == "auth/login" {
			o.place = loginPlace
			w.replace(o.members[paramsRole], 0, Auth)
		}
	case programRole:
		w.command = text[:min(len(text), maxName)]
	case encodedRole:
		o.encoded = append(o.encoded, o.members[role])
	}
}
