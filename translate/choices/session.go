package choices

import (
	"bytes"

	"acpshim/internal/wire"
)

// A session is what can be chosen in one. It is protected by the conversation's lock.
type session struct {
	options []byte // the array of configuration options that the agent told last; nil if none
	choices [len(kinds)]choice
}

// A choice is one kind's state.
type choice struct {
	offered [2]bool // by form: the agent offers it
	refused [2]bool // by form: the agent does not know the method
	id      string  // of the select, the agent's or the made one
	made    []byte  // the select that was made of the list; nil if none was
	current string  // what is chosen; may be out of date if the agent offers both forms
	told    string  // what an update of ours told the client; the agent's own may follow

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
		found, selects := k.findSelect(s.options)
		c.offered = [2]bool{len(values) > 0, found != nil}
		switch {
		case found != nil:
			c.id, _ = found.Text("id")
			c.current, _ = found.Text("currentValue")
			if wire.IsAbsent(result.Raw(k.list)) {
				settings = append(settings, wire.Setting{Name: k.list, Value: k.makeList(found.Raw("currentValue"), selects)})
			}
		case len(values) > 0:
			c.id, c.current = s.freeID(k.category), current
			c.made = k.makeSelect(c.id, current, values)
		}
	}
	if s.isMade() {
		settings = append(settings, wire.Setting{Name: "configOptions", Value: s.all()})
	}
	return s, settings
}

// freeID returns an id for a select that none of the agent's options has.
func (s *session) freeID(category string) string {
	id := category
	for s.has(id) {
		id = "acpshim_" + id
	}
	return id
}

// has reports whether one of the agent's options has that id.
func (s *session) has(id string) bool {
	options, _ := wire.Elements(s.options)
	for _, raw := range options {
		o, _ := wire.Parse(raw)
		if of, _ := o.Text("id"); of == id {
			return true
		}
	}
	return false
}

// size is about how many bytes the state of a session takes.
func (s *session) size() int {
	if s == nil {
		return 0
	}
	size := 512 + len(s.options)
	for _, c := range s.choices {
		size += len(c.made) + len(c.id) + len(c.current) + len(c.told)
	}
	return size
}

// all returns all configuration options: the agent's, and behind them those that were made.
func (s *session) all() []byte {
	all := s.options
	if all == nil {
		all = []byte("[]")
	}
	for _, c := range s.choices {
		if c.made == nil {
			continue
		}
		end := bytes.LastIndexByte(all, ']')
		with := c.made
		if values, _ := wire.Elements(all); len(values) > 0 {
			with = append([]byte{','}, with...)
		}
		all = wire.Splice(nil, all, wire.Edit{Span: wire.Span{Start: end, End: end}, With: with})
	}
	return all
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

// current returns what is chosen of each kind.
func (s *session) current() (all [len(kinds)]string) {
	for i, c := range s.choices {
		all[i] = c.current
	}
	return all
}

// take notes the configuration options that the agent tells, and returns which kinds are among
// them. Such a kind needs no select of ours any more. A select of ours gets another id if the agent
// has begun to use its id. Behind very many options none are made.
func (s *session) take(options []byte) (told [len(kinds)]bool) {
	if _, ok := wire.Elements(options); !ok {
		return told
	}
	s.options = bytes.Clone(options)
	for i := range kinds {
		c := &s.choices[i]
		found, _ := kinds[i].findSelect(options)
		switch {
		case found != nil:
			c.offered[asOption], c.made, told[i] = true, nil, true
			c.id, _ = found.Text("id")
			c.current, _ = found.Text("currentValue")
		case len(options) > maxForms:
			c.made = nil
		case c.made != nil && s.has(c.id):
			c.id = s.freeID(kinds[i].category)
			c.made = set(c.made, "id", c.id)
		}
	}
	return told
}

// choose notes what is chosen of a kind, and reports whether that changed a select that was made.
// A select of the agent's is changed in what we keep of it, as all options may have to be told
// before the agent tells them.
func (s *session) choose(kind int, value string) bool {
	c := &s.choices[kind]
	if c.current == value {
		return false
	}
	if c.made != nil {
		c.current, c.made = value, set(c.made, "currentValue", value)
		return true
	}
	_, values := kinds[kind].findSelect(s.options)
	if values == nil {
		c.current = value
	}
	for _, raw := range values {
		o, _ := wire.Parse(raw)
		if id, _ := o.Text(kinds[kind].id); id == value {
			c.current = value
			s.setOption(c.id, value)
		}
	}
	return false
}

// setOption sets the value of one of the agent's options.
func (s *session) setOption(id, value string) {
	options := wire.MapElements(s.options, func(raw []byte) []byte {
		o, _ := wire.Parse(raw)
		if of, _ := o.Text("id"); of != id {
			return raw
		}
		return set(raw, "currentValue", value)
	})
	if options != nil {
		s.options = options
	}
}

// set returns a JSON object with another string as the value of a member.
func set(object []byte, name, value string) []byte {
	o, err := wire.Parse(object)
	if err != nil {
		return object
	}
	return wire.Splice(nil, object, o.Set(wire.Setting{Name: name, Value: wire.Quote(nil, value)})...)
}

// tellOptions returns the update that tells all configuration options.
func (s *session) tellOptions(id string) []byte {
	return tell(id, "config_option_update", "configOptions", s.all())
}

// tellCurrent returns the updates that tell in the old form what is chosen otherwise than before,
// where the agent tells it in the new one only.
func (s *session) tellCurrent(id string, before [len(kinds)]string) (lines []byte) {
	for i, k := range kinds {
		c := &s.choices[i]
		if k.update == "" || c.current == before[i] || c.offered[asList] == c.offered[asOption] {
			continue
		}
		c.told = c.current
		lines = append(lines, tell(id, k.update, k.updatedName, wire.Quote(nil, c.current))...)
	}
	return lines
}

// tell returns a session update with one member.
func tell(id, update, name string, value []byte) []byte {
	b := wire.Quote([]byte(`{"sessionUpdate":`), update)
	b = append(wire.Quote(append(b, ','), name), ':')
	return wire.SessionUpdate(id, append(append(b, value...), '}'))
}
