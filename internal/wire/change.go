package wire

import (
	"slices"
	"strings"
)

// A Cause is what changed a line or made it, such as an adapter or a rule, and why: "" if its name
// says it.
type Cause struct{ Name, Why string }

// A Change says what an Interceptor did with a line. The zero Change is for a line that stayed the
// same.
type Change struct {
	By    []Cause // what changed the line; it is ignored if the line is the same
	Added []Added // what was put before or behind the line, in order
}

// An Added is lines that do not take the place of the one that was rewritten: they stand before or
// behind it. An empty one was dropped again.
type Added struct {
	Span // in what was appended
	By   []Cause
}

// maxWhy bounds the reasons of one cause, in bytes.
const maxWhy = 500

// AddCause adds a cause to others, each name once, with all its reasons for which there is room. No
// reason is cut: a piece of a secret would not be known as one where records take secrets out.
func AddCause(to []Cause, c Cause) []Cause {
	if len(c.Why) > maxWhy {
		c.Why = ""
	}
	i := slices.IndexFunc(to, func(known Cause) bool { return known.Name == c.Name })
	switch {
	case i < 0:
		return append(to, c)
	case to[i].Why == "":
		to[i].Why = c.Why
	case !strings.Contains(to[i].Why, c.Why) && len(to[i].Why)+len(c.Why) < maxWhy:
		to[i].Why += "; " + c.Why
	}
	return to
}

// MadeBy is the Change of lines that were made without one, by what is named.
func MadeBy(name, why string) Change { return Change{By: []Cause{{name, why}}} }

// Names are those of all causes, each once.
func (c Change) Names() (names []string) {
	var all []Cause
	for _, cause := range c.By {
		all = AddCause(all, cause)
	}
	for _, a := range c.Added {
		for _, cause := range a.By {
			all = AddCause(all, cause)
		}
	}
	for _, cause := range all {
		names = append(names, cause.Name)
	}
	return names
}
