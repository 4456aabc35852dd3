package choices

import (
	"bytes"
	"fmt"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// An entry is a value that the client wants an option to have.
type entry struct {
	id   string // of the option
	line []byte // as the client sent it
}

// readEntries returns the entries of configOptions. Of two for the same option it returns the last.
func readEntries(raw []byte) (entries []entry) {
	elements, _ := wire.Elements(raw)
	found := map[string]bool{}
	for _, line := range slices.Backward(elements) {
		o, err := wire.Parse(line)
		id, ok := o.Text("configId")
		if err == nil && ok && len(line) <= maxCall && !found[id] {
			found[id] = true
			entries = append(entries, entry{id, bytes.Clone(line)})
		}
	}
	slices.Reverse(entries)
	return entries[:min(len(entries), maxEntries)]
}

// ask returns the request that sets the first entry, and notes in su what it sets. It returns no
// method if the agent does not offer that.
func (s *session) ask(su *setup, id string) (method string, params []byte) {
	e := su.entries[0]
	o, _ := wire.Parse(e.line) // it was parsed before
	su.kind, su.by = slices.IndexFunc(s.choices[:], func(c choice) bool { return c.id == e.id && c.id != "" }), asOption
	if su.kind >= 0 {
		k, c := &kinds[su.kind], &s.choices[su.kind]
		if value, _ := o.Text("value"); !c.offers(asOption) {
			if !c.offers(asList) || !has(c.listed, value) || !isOfSelect(o) {
				return "", nil
			}
			su.by = asList
			return k.method, fmt.Appendf(nil, `{"sessionId":%s,"%s":%s}`, wire.Quote(nil, id), k.param, o.Raw("value"))
		}
	}
	option := s.option(e.id)
	if !offers(option, o) {
		return "", nil
	}
	set := []wire.Setting{{Name: "sessionId", Value: wire.Quote(nil, id)}}
	line := e.line
	if typ, _ := option.Text("type"); typ == "select" {
		line = wire.Without(line, "type")
		if option.Get("configId") != nil { // the agent speaks version 2, where each value has a type
			set = append(set, wire.Setting{Name: "type", Value: []byte(`"id"`)})
		}
	}
	o, _ = wire.Parse(line)
	return acp.SessionSetConfigOption, wire.Splice(nil, line, o.Set(set...)...)
}

// option returns the agent's option of an id, or nil.
func (s *session) option(id string) *wire.Object {
	options, _ := wire.Elements(s.options)
	for _, raw := range options {
		o, err := wire.Parse(raw)
		if found, _ := o.Text("id"); err == nil && found == id {
			return o
		}
	}
	return nil
}

// offers reports whether an option has the value of an entry, with the entry's type.
func offers(option, entry *wire.Object) bool {
	switch typ, _ := option.Text("type"); typ {
	case "boolean":
		typ, _ := entry.Text("type")
		value := string(entry.Raw("value"))
		return typ == "boolean" && (value == "true" || value == "false")
	case "select":
		value, ok := entry.Text("value")
		return ok && isOfSelect(entry) && slices.ContainsFunc(flat(option.Raw("options")), func(raw []byte) bool {
			o, _ := wire.Parse(raw)
			offered, ok := o.Text("value")
			return ok && offered == value
		})
	}
	return false
}

// isOfSelect reports whether an entry has the type of a select's value. Version 1 has no name for
// it.
func isOfSelect(entry *wire.Object) bool {
	typ, _ := entry.Text("type")
	return wire.IsAbsent(entry.Raw("type")) || typ == "id"
}
