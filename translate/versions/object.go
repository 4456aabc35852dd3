package versions

import (
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// An object is JSON that is made member by member.
type object []byte

// with adds a member with a value, which is JSON; nil adds nothing.
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

// text adds a member that is a string.
func (o object) text(name, text string) object { return o.with(name, wire.Quote(nil, text)) }

// json is the object as a value.
func (o object) json() []byte {
	if len(o) == 0 {
		return []byte("{}")
	}
	return append(o, '}')
}

// list returns a JSON array of values.
func list(values [][]byte) []byte {
	all := []byte("[")
	for i, v := range values {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, v...)
	}
	return append(all, ']')
}

// open reads a value that is an object; nil if it is none, or ambiguous.
func open(raw []byte, paths ...string) *wire.Object {
	o, err := wire.Parse(raw, paths...)
	if err != nil {
		return nil
	}
	return o
}

// present is a value that is there and not null, or nil.
func present(raw []byte) []byte {
	if wire.IsAbsent(raw) {
		return nil
	}
	return raw
}

// named returns an object that has a member under another name, too; the object itself if there is
// nothing to add.
func named(raw []byte, name, other string) []byte {
	o := open(raw)
	value := o.Raw(name)
	if value == nil || o.Get(other) != nil {
		return raw
	}
	return wire.Splice(nil, raw, o.Set(wire.Setting{Name: other, Value: value})...)
}

// mapped is an array with its elements as f returns them; nil takes one out. It is the array itself
// if nothing changed.
func mapped(raw []byte, f func(element []byte) []byte) []byte {
	if with := wire.MapElements(raw, f); with != nil {
		return with
	}
	return raw
}

// textOf is the text of a member, "" if it is none.
func textOf(o *wire.Object, name string) string {
	text, _ := o.Text(name)
	return text
}

// setMember gives an object of a message a member, if it has another value there.
func setMember(m *dispatch.Message, o *wire.Object, name string, value []byte) {
	if string(value) != string(o.Raw(name)) {
		m.Edit(o.Set(wire.Setting{Name: name, Value: value})...)
	}
}

// refusal returns the line that answers the request with that raw id with an error, which is JSON.
func refusal(id, failure []byte) []byte {
	return append(object(nil).text("jsonrpc", "2.0").with("id", id).with("error", failure).json(), '\n')
}

// textBlock is content that is a text.
func textBlock(text string) []byte {
	return object(nil).text("type", "text").text("text", text).json()
}
