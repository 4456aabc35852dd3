package shape

import (
	"bytes"

	"acpshim/internal/chain/wire"
)

// configOptions returns corrected configuration options, or nil if they are correct. With Flatten,
// they have no groups.
//
// JetBrains' Kotlin SDK 0.13.1 writes the options of a select as an object, with the list in
// "options" or "groups".
func configOptions(list []byte, s Settings) []byte {
	return wire.MapElements(list, func(raw []byte) []byte {
		if s.Results {
			raw = complete(raw, option)
		}
		o, err := wire.Parse(raw, "options")
		if err != nil {
			return raw
		}
		was := o.Raw("options")
		values := was
		if wrapped := o.Open("options"); s.Results && wrapped != nil {
			for _, name := range []string{"options", "groups"} {
				if list := wrapped.Raw(name); !wire.IsAbsent(list) {
					values = list
				}
			}
		}
		if s.Results {
			values = or(wire.MapElements(values, completeValue), values)
		}
		if s.Flatten {
			values = or(flatten(values), values)
		}
		if string(values) == string(was) {
			return raw
		}
		return wire.Splice(nil, raw, o.Set(wire.Setting{Name: "options", Value: values})...)
	})
}

// completeValue returns a value, or a group of values, with all required members.
func completeValue(raw []byte) []byte {
	o, err := wire.Parse(raw)
	if err != nil {
		return raw
	}
	if o.Get("group") == nil {
		return complete(raw, value)
	}
	settings := missing(o, group)
	if inner := elements(o.Raw("options"), value); inner != nil {
		settings = append(settings, wire.Setting{Name: "options", Value: inner})
	}
	return wire.Splice(nil, raw, o.Set(settings...)...)
}

// flatten returns a list of values without groups. Their names get the name of the group. It
// returns nil if there are no groups.
func flatten(values []byte) []byte {
	groups, _ := wire.Elements(values)
	var flat [][]byte
	isGrouped := false
	for _, raw := range groups {
		g, err := wire.Parse(raw)
		if err != nil {
			return nil
		}
		inner, isGroup := wire.Elements(g.Raw("options"))
		if !isGroup {
			flat = append(flat, raw)
			continue
		}
		isGrouped = true
		name, _ := g.Text("name")
		for _, v := range inner {
			flat = append(flat, named(v, name))
		}
	}
	if !isGrouped {
		return nil
	}
	return append(append([]byte{'['}, bytes.Join(flat, []byte{','})...), ']')
}

// named returns a value with its group's name before its own name.
func named(raw []byte, group string) []byte {
	o, err := wire.Parse(raw)
	name, _ := o.Text("name")
	if err != nil || group == "" {
		return raw
	}
	return wire.Splice(nil, raw, o.Set(wire.Setting{Name: "name", Value: wire.Quote(nil, group+" / "+name)})...)
}

// chosen returns configuration options with a new value of one of them, or nil if there is no such
// option.
func chosen(list []byte, id string, to []byte) []byte {
	return wire.MapElements(list, func(raw []byte) []byte {
		o, _ := wire.Parse(raw)
		if name, ok := o.Text("id"); !ok || name != id {
			return raw
		}
		return wire.Splice(nil, raw, o.Set(wire.Setting{Name: "currentValue", Value: to})...)
	})
}

// or returns the first of two that is not nil.
func or(a, b []byte) []byte {
	if a != nil {
		return a
	}
	return b
}
