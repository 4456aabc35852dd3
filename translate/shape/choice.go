package shape

import (
	"acpshim/internal/wire"
)

// configOptions returns a list of configuration options as strict readers take it, flat where
// groups are flattened; nil if it is so.
//
// Old versions of JetBrains' Kotlin SDK (0.13.1) write the options of a select as an object, with
// the list in "options" or "groups".
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

// completeValue returns a value that can be chosen, or a group of them, with a name each.
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

// flatten returns a list of groups as one of values that are named after their group, too; nil if
// it is none.
func flatten(values []byte) []byte {
	groups, _ := wire.Elements(values)
	flat, isGrouped := []byte{'['}, false
	add := func(raw []byte) {
		if len(flat) > 1 {
			flat = append(flat, ',')
		}
		flat = append(flat, raw...)
	}
	for _, raw := range groups {
		g, err := wire.Parse(raw)
		if err != nil {
			return nil
		}
		inner, isGroup := wire.Elements(g.Raw("options"))
		if !isGroup {
			add(raw)
			continue
		}
		isGrouped = true
		name, _ := g.Text("name")
		for _, v := range inner {
			add(named(v, name))
		}
	}
	if !isGrouped {
		return nil
	}
	return append(flat, ']')
}

// named returns a value with its group's name before its own.
func named(raw []byte, group string) []byte {
	o, err := wire.Parse(raw)
	name, _ := o.Text("name")
	if err != nil || group == "" {
		return raw
	}
	return wire.Splice(nil, raw, o.Set(wire.Setting{Name: "name", Value: wire.Quote(nil, group+" / "+name)})...)
}

// chosen returns a list of configuration options with another value of one of them; nil if that is
// not among them.
func chosen(list []byte, id string, to []byte) []byte {
	return wire.MapElements(list, func(raw []byte) []byte {
		o, _ := wire.Parse(raw)
		if name, ok := o.Text("id"); !ok || name != id {
			return raw
		}
		return wire.Splice(nil, raw, o.Set(wire.Setting{Name: "currentValue", Value: to})...)
	})
}

// or is the first of two that is not nil.
func or(a, b []byte) []byte {
	if a != nil {
		return a
	}
	return b
}
