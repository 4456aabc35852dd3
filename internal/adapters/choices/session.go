package choices

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"slices"

	"acpshim/internal/chain/wire"
)

// A session is the state of a session's choices. Its slices are never written to, so a copy stays
// valid.
type session struct {
	options []byte // the last configuration options of the agent; nil if there are none
	choices [len(kinds)]choice
	isDue   bool // the client has to get all options
}

// A choice is the state of one kind.
type choice struct {
	offered  [2]bool   // by form: the agent offers it
	refused  [2]bool   // by form: the agent does not know the method
	id       string    // of the select
	at       wire.Span // of the current value in options; empty if the agent has no select
	values   []uint64  // sorted hashes of the values of the agent's select
	listed   []uint64  // of the agent's list, likewise
	option   string    // the id of the agent's select with the values of its list and another category
	made     []byte    // the values of a select that acpshim made from the list; nil if there is none
	current  string    // the current value; may be outdated if the agent offers both forms
	reported string    // a value that acpshim has reported; the agent may report it again
	isDue    bool      // the client has to get current in the old form

	answered int // the number of the last call whose success is known
}

// A form is one of the two ways to offer and set a choice.
type form int

const (
	asList form = iota
	asOption
)

func (f form) other() form { return 1 - f }

// maxForms is the largest result, or list of options, that gets missing forms, in bytes: every
// update repeats all options.
const maxForms = 256 << 10

// read returns the choices of a session's result, and the members that add the missing forms.
func read(result *wire.Object) (s *session, settings []wire.Setting) {
	s = &session{}
	if result.End-result.Start > maxForms {
		return s, nil
	}
	if raw := result.Raw("configOptions"); !wire.IsAbsent(raw) {
		if _, ok := wire.Elements(raw); !ok {
			return s, nil
		}
		s.options = bytes.Clone(raw)
	}
	for i := range kinds {
		k, c := &kinds[i], &s.choices[i]
		current, values := k.readList(result.Raw(k.list))
		c.current, c.listed = current, hashes(values, "value")
		found, selects := s.find(i)
		c.offered = [2]bool{len(values) > 0, found != nil}
		switch {
		case found != nil:
			if wire.IsAbsent(result.Raw(k.list)) {
				settings = append(settings, wire.Setting{Name: k.list, Value: k.makeList(found.Raw("currentValue"), selects)})
			}
		case len(values) > 0:
			c.id, c.made = freeID(k.category, s.ids()), wire.List(values)
		}
	}
	if s.hasMade() {
		settings = append(settings, wire.Setting{Name: "configOptions", Value: s.all()})
	}
	return s, settings
}

// find records the select of a kind among the agent's options. It returns nil if there is none. The
// select has the kind's category, or the values of the agent's list: some agents offer a choice as
// modes, and the same as an option of another category.
func (s *session) find(i int) (found *wire.Object, values [][]byte) {
	k, c := &kinds[i], &s.choices[i]
	found, c.at, values = k.findSelect(s.options, func(o *wire.Object, _ [][]byte) bool {
		return categoryOf(o) == k.category
	})
	if found == nil && len(c.listed) > 0 {
		found, c.at, values = k.findSelect(s.options, func(o *wire.Object, values [][]byte) bool {
			id, _ := o.Text("id")
			current, _ := o.Text("currentValue")
			isSame := c.option == "" && current == c.current && slices.Equal(hashes(values, k.id), c.listed)
			return !isKind(categoryOf(o)) && (isSame || c.option != "" && id == c.option)
		})
		c.option, _ = found.Text("id")
	}
	c.values = nil
	if found == nil {
		return nil, nil
	}
	c.id, _ = found.Text("id")
	c.current, _ = found.Text("currentValue")
	c.values = hashes(values, k.id)
	return found, values
}

func categoryOf(option *wire.Object) string {
	category, _ := option.Text("category")
	return category
}

func isKind(category string) bool {
	return slices.ContainsFunc(kinds[:], func(k kind) bool { return k.category == category })
}

// hashes returns sorted hashes of the ids of values. Name is the member with the id.
func hashes(values [][]byte, name string) (hashes []uint64) {
	for _, raw := range values {
		o, _ := wire.Parse(raw)
		id, _ := o.Text(name)
		hashes = append(hashes, maphash.String(seed, id))
	}
	slices.Sort(hashes)
	return hashes
}

var seed = maphash.MakeSeed()

// offersValue reports whether the agent's select has a value.
func (c *choice) offersValue(value string) bool { return has(c.values, value) }

// has reports whether sorted hashes have that of a value.
func has(hashes []uint64, value string) bool {
	_, ok := slices.BinarySearch(hashes, maphash.String(seed, value))
	return ok
}

// freeID returns an id for a select that is not in ids.
func freeID(id string, ids map[string]bool) string {
	for ids[id] {
		id = "acpshim_" + id
	}
	return id
}

// ids returns the ids of the agent's options.
func (s *session) ids() map[string]bool {
	ids := map[string]bool{}
	options, _ := wire.Elements(s.options)
	for _, raw := range options {
		o, _ := wire.Parse(raw)
		id, _ := o.Text("id")
		ids[id] = true
	}
	return ids
}

// size returns about how many bytes the state takes.
func (s *session) size() int {
	size := 512 + len(s.options)
	for _, c := range s.choices {
		size += len(c.made) + len(c.id) + len(c.current) + len(c.reported) + len(c.option) + 8*(len(c.values)+len(c.listed))
	}
	return size
}

// allSize returns about how many bytes an update with all options takes.
func (s *session) allSize(id string) int {
	size := 1<<9 + len(id) + len(s.options)
	for _, c := range s.choices {
		size += len(c.made) + len(c.id) + len(c.current)
	}
	return size
}

// all returns the agent's configuration options, with current values, and then the selects that
// acpshim made.
func (s *session) all() []byte {
	options := s.options
	if options == nil {
		options = []byte("[]")
	}
	end := bytes.LastIndexByte(options, ']')
	var edits []wire.Edit
	var made []byte
	isEmpty := len(bytes.TrimSpace(options[1:end])) == 0
	for i, c := range s.choices {
		if c.made != nil {
			if !isEmpty {
				made = append(made, ',')
			}
			made, isEmpty = kinds[i].appendSelect(made, c.id, c.current, c.made), false
		}
		if value, _ := wire.Text(options[c.at.Start:c.at.End]); c.at.End > 0 && value != c.current {
			edits = append(edits, wire.Edit{Span: c.at, With: wire.Quote(nil, c.current)})
		}
	}
	if made != nil {
		edits = append(edits, wire.Edit{Span: wire.Span{Start: end, End: end}, With: made})
	}
	if edits == nil {
		return options
	}
	return wire.Splice(nil, options, edits...)
}

// hasMade reports whether acpshim has made a select.
func (s *session) hasMade() bool {
	return slices.ContainsFunc(s.choices[:], func(c choice) bool { return c.made != nil })
}

// take records the configuration options that the agent reports, and returns which kinds are among
// them. For those kinds acpshim needs no select. If the agent uses the id of a select of acpshim,
// that gets another one. If there are very many options, acpshim makes none.
func (s *session) take(options []byte) (named [len(kinds)]bool) {
	if _, ok := wire.Elements(options); !ok {
		return named
	}
	s.options = bytes.Clone(options)
	for i := range kinds {
		c := &s.choices[i]
		found, _ := s.find(i)
		switch {
		case found != nil:
			c.offered[asOption], c.made, named[i] = true, nil, true
		case len(options) > maxForms:
			c.made = nil
		case c.made != nil:
			if ids := s.ids(); ids[c.id] {
				c.id = freeID(kinds[i].category, ids)
			}
		}
	}
	return named
}

// choose records the current value of a kind, unless the agent's select does not have it. It
// reports whether a select of acpshim has changed.
func (s *session) choose(kind int, value string) bool {
	c := &s.choices[kind]
	if c.current == value || c.made == nil && c.at.End > 0 && !c.offersValue(value) {
		return false
	}
	c.current = value
	return c.made != nil
}

// compare marks changed values that the client has to get in the old form, because the agent
// reports them only in the new one.
func (s *session) compare(before session) {
	for i := range s.choices {
		c := &s.choices[i]
		if kinds[i].update != "" && c.current != before.choices[i].current && c.offered[asList] != c.offered[asOption] {
			c.isDue = true
		}
	}
}

func updateOf(id, update, name string, value []byte) []byte {
	return wire.SessionUpdate(id, fmt.Appendf(nil, `{"sessionUpdate":"%s","%s":%s}`, update, name, value))
}
