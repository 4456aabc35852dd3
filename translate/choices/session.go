package choices

import (
	"bytes"
	"hash/maphash"
	"slices"

	"acpshim/internal/wire"
)

// A session is what can be chosen in one. The conversation's lock protects it. Its slices are never
// written to, so that a copy stays as it is.
type session struct {
	options []byte // the array of configuration options that the agent told last; nil if none
	choices [len(kinds)]choice
	isDue   bool // the client has to be told all options
}

// A choice is one kind's state.
type choice struct {
	offered [2]bool   // by form: the agent offers it
	refused [2]bool   // by form: the agent does not know the method
	id      string    // of the select, the agent's or the made one
	at      wire.Span // of the value of the agent's select in options; empty if there is no such select
	values  []uint64  // hashes of what the agent's select offers, in order
	made    []byte    // what the select that was made of the list offers; nil if none was made
	current string    // what is chosen; may be out of date if the agent offers both forms
	told    string    // what an update of ours told the client; the agent's own may follow
	isDue   bool      // the client has to be told current in the old form

	answered int // the number of the last call whose success is known
}

// A form is one of the two in which a choice can be offered and set.
type form int

const (
	asList form = iota
	asOption
)

func (f form) other() form { return 1 - f }

// maxForms bounds the result or options of which forms are made, in bytes: each update repeats all.
const maxForms = 256 << 10

// read returns what can be chosen in a session that is opened with a result, and the members that
// add the missing forms to that.
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
		found, selects := s.find(i)
		c.offered = [2]bool{len(values) > 0, found != nil}
		switch {
		case found != nil:
			if wire.IsAbsent(result.Raw(k.list)) {
				settings = append(settings, wire.Setting{Name: k.list, Value: k.makeList(found.Raw("currentValue"), selects)})
			}
		case len(values) > 0:
			c.id, c.current, c.made = freeID(k.category, s.ids()), current, array(values)
		}
	}
	if s.isMade() {
		settings = append(settings, wire.Setting{Name: "configOptions", Value: s.all()})
	}
	return s, settings
}

// find notes the select of a kind among the agent's options. It returns nil if there is none.
func (s *session) find(i int) (found *wire.Object, values [][]byte) {
	c := &s.choices[i]
	found, c.at, values = kinds[i].findSelect(s.options)
	c.values = nil
	if found == nil {
		return nil, nil
	}
	c.id, _ = found.Text("id")
	c.current, _ = found.Text("currentValue")
	for _, raw := range values {
		o, _ := wire.Parse(raw)
		id, _ := o.Text(kinds[i].id)
		c.values = append(c.values, maphash.String(seed, id))
	}
	slices.Sort(c.values)
	return found, values
}

var seed = maphash.MakeSeed()

// offersValue reports whether a value can be chosen in the agent's select.
func (c *choice) offersValue(value string) bool {
	_, ok := slices.BinarySearch(c.values, maphash.String(seed, value))
	return ok
}

// freeID returns an id for a select that is not among ids.
func freeID(id string, ids map[string]bool) string {
	for ids[id] {
		id = "acpshim_" + id
	}
	return id
}

// ids are those of the agent's options.
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

// size is about how many bytes the state of a session takes.
func (s *session) size() int {
	size := 512 + len(s.options)
	for _, c := range s.choices {
		size += len(c.made) + len(c.id) + len(c.current) + len(c.told) + 8*len(c.values)
	}
	return size
}

// allSize is about how many bytes an update of a session takes that tells all options.
func (s *session) allSize(id string) int {
	size := 1<<9 + len(id) + len(s.options)
	for _, c := range s.choices {
		size += len(c.made) + len(c.id) + len(c.current)
	}
	return size
}

// all returns all configuration options with what is chosen: the agent's, and those that were made
// after them.
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

// isMade reports whether there are options that the agent does not have.
func (s *session) isMade() bool {
	for _, c := range s.choices {
		if c.made != nil {
			return true
		}
	}
	return false
}

// take notes the configuration options that the agent tells, and returns which kinds are among
// them. Such a kind needs no select of ours any more. A select of ours gets another id if the agent
// has begun to use its id. With very many options none are made.
func (s *session) take(options []byte) (told [len(kinds)]bool) {
	if _, ok := wire.Elements(options); !ok {
		return told
	}
	s.options = bytes.Clone(options)
	for i := range kinds {
		c := &s.choices[i]
		found, _ := s.find(i)
		switch {
		case found != nil:
			c.offered[asOption], c.made, told[i] = true, nil, true
		case len(options) > maxForms:
			c.made = nil
		case c.made != nil:
			if ids := s.ids(); ids[c.id] {
				c.id = freeID(kinds[i].category, ids)
			}
		}
	}
	return told
}

// choose notes what is chosen of a kind, unless the agent's select does not offer it. It reports
// whether that changed a select that was made.
func (s *session) choose(kind int, value string) bool {
	c := &s.choices[kind]
	if c.current == value || c.made == nil && c.at.End > 0 && !c.offersValue(value) {
		return false
	}
	c.current = value
	return c.made != nil
}

// compare notes that the client has to be told in the old form what is chosen otherwise than
// before, where the agent tells it in the other form only.
func (s *session) compare(before session) {
	for i := range s.choices {
		c := &s.choices[i]
		if kinds[i].update != "" && c.current != before.choices[i].current && c.offered[asList] != c.offered[asOption] {
			c.isDue = true
		}
	}
}

// updateOf returns a session update with one member.
func updateOf(id, update, name string, value []byte) []byte {
	b := wire.Quote([]byte(`{"sessionUpdate":`), update)
	b = append(wire.Quote(append(b, ','), name), ':')
	return wire.SessionUpdate(id, append(append(b, value...), '}'))
}
