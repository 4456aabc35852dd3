package versions

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// An object is a JSON object under construction. It has no closing brace. Nil is empty.
type object []byte

// with adds a member with a raw value. A nil value adds nothing.
func (o object) with(name string, value []byte) object {
	if value == nil {
		return o
	}
	if len(o) == 0 {
		o = append(o, '{')
	} else {
		o = append(o, ',')
	}
	o = append(wire.Quote(o, name), ':')
	return append(o, value...)
}

// members adds members of another object. Convert returns their values, or nil to omit one.
func (o object) members(from *wire.Object, convert func(raw []byte) []byte, names ...string) object {
	for _, name := range names {
		o = o.with(name, convert(from.Raw(name)))
	}
	return o
}

func (o object) text(name, text string) object { return o.with(name, wire.Quote(nil, text)) }

// rest adds the members of another object that the object does not have.
func (o object) rest(other object) object {
	has, all := open(o.json()), open(other.json())
	for _, m := range all.Members {
		if has.Get(m.Name) == nil {
			o = o.with(m.Name, all.Raw(m.Name))
		}
	}
	return o
}

func (o object) json() []byte {
	if len(o) == 0 {
		return []byte("{}")
	}
	return append(o[:len(o):len(o)], '}')
}

// open parses an object. It returns nil for other values, and for an ambiguous object.
func open(raw []byte, paths ...string) *wire.Object {
	o, err := wire.Parse(raw, paths...)
	if err != nil {
		return nil
	}
	return o
}

// present returns a raw value, or nil if it is missing or null.
func present(raw []byte) []byte {
	if wire.IsAbsent(raw) {
		return nil
	}
	return raw
}

// withAlias copies a member of an object to another name, unless the object has a member with that
// name.
func withAlias(raw []byte, name, other string) []byte {
	o := open(raw)
	value := o.Raw(name)
	if value == nil || o.Get(other) != nil {
		return raw
	}
	return wire.Splice(nil, raw, o.Set(wire.Setting{Name: other, Value: value})...)
}

// mapElements replaces each element of an array with the result of f. Nil removes an element. It
// returns raw itself if nothing changed.
func mapElements(raw []byte, f func(element []byte) []byte) []byte {
	if with := wire.MapElements(raw, f); with != nil {
		return with
	}
	return raw
}

// textOf returns the text of a member, or "" if it is not a string.
func textOf(o *wire.Object, name string) string {
	text, _ := o.Text(name)
	return text
}

// setMember sets a member of an object in a message, if its value differs.
func setMember(m *dispatch.Message, o *wire.Object, name string, value []byte) {
	if string(value) != string(o.Raw(name)) {
		m.Edit(o.Set(wire.Setting{Name: name, Value: value})...)
	}
}

// refusal returns the line of a response with an error. Id and failure are raw JSON.
func refusal(id, failure []byte) []byte {
	return append(object(nil).text("jsonrpc", "2.0").with("id", id).with("error", failure).json(), '\n')
}

func textBlock(text string) []byte {
	return object(nil).text("type", acp.ContentText).text("text", text).json()
}
