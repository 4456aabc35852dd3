package dispatch

import (
	"testing"

	"acpshim/internal/chain/wire"
)

func TestEditsAddUp(t *testing.T) {
	set := func(m *Message, name, value string) {
		m.Edit(m.Object.Set(wire.Setting{Name: name, Value: []byte(value)})...)
	}
	k := converse(t, &actor{name: "a", wants: everything(), handles: func(m *Message) {
		if requests(m) {
			set(m, "params", "[2]")
			set(m, "id", "3")
		}
	}})
	k.send(Agent, `{"id":1,"method":"x","params":[1]}`)
	k.gets(Client, `{"id":3,"method":"x","params":[2]}`)
}

func TestOffer(t *testing.T) {
	k := converse(t, &actor{name: "a", handles: func(m *Message) {
		m.Offer(wire.Setting{Name: "fs/readTextFile", Value: []byte("true")}, wire.Setting{Name: "terminal", Value: []byte("true")})
	}})
	for params, want := range map[string]string{
		`{}`:                          `{"clientCapabilities":{"fs":{"readTextFile":true},"terminal":true}}`,
		`{"clientCapabilities":null}`: `{"clientCapabilities":{"fs":{"readTextFile":true},"terminal":true}}`,
		`{"clientCapabilities":{"fs":{"x":1},"y":2},"z":3}`: `{"clientCapabilities":{"fs":{"x":1,"readTextFile":true},"y":2,"terminal":true},"z":3}`,
		`{"clientCapabilities":{"fs":1}}`:                   `{"clientCapabilities":{"fs":1}}`,
		`{"clientCapabilities":{"fs":{},"fs":{}}}`:          `{"clientCapabilities":{"fs":{},"fs":{}}}`,
	} {
		k.send(Client, `{"id":1,"method":"initialize","params":`+params+`}`)
		k.gets(Agent, `{"id":1,"method":"initialize","params":`+want+`}`)
	}
}
