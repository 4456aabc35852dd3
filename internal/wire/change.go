package wire

import (
	"slices"
	"strings"
)

// A Cause names what changed or made a line, such as an adapter or a rule, and why. Why is "" if
// the name says it.
type Cause struct{ Name, Why string }

// A Change says what an Interceptor did with a line. The zero Change means nothing.
type Change struct {
	Number int64      // of the line among those of its side that were held, from 1; 0 if it has none
	By     []Cause    // what changed the line; it is ignored if the line is the same
	Added  []Addition // lines that were added before or after the line, in order
}

// An Origin names a line that was held by its sender and its [Change].Number. The zero Origin names
// none.
type Origin struct {
	From   Side
	Number int64
}

// An Addition is a span of lines that were added before or after the rewritten line. If it is
// empty, the lines were dropped again.
type Addition struct {
	Span // in what was appended
	By   []Cause
	From Origin // the line that was held and goes on, or that was handled as these lines were made
	For  Origin // the request to which these lines respond
}

// maxWhy bounds the reasons of one cause, in bytes.
const maxWhy = 500

// AddCause adds a cause to others. Each name is there once, with as many of its reasons as there is
// room for. It never cuts a reason: records would not recognize a piece of a secret.
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

// MadeBy returns the Change of lines that a named cause made without a line.
func MadeBy(name, why string) Change { return Change{By: []Cause{{name, why}}} }

// Names returns the names of all causes, each once.
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
