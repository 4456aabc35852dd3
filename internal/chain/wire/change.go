package wire

import "slices"

// A Cause names what changed or made a line, such as an adapter or a rule, and why. Why is the zero
// Reason if the name says it.
type Cause struct {
	Name  string
	Why   Reason
	Shows []Origin // the latest update of each plan whose state the line shows
}

// maxShows bounds Cause.Shows.
const maxShows = 128

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
	Span   // in what was appended
	By     []Cause
	From   Origin // the line that was held and goes on, or that was handled as these lines were made
	IsHeld bool   // it was held and goes on
	For    Origin // the request to which these lines respond
}

// maxWhy bounds the reasons of one name, in bytes.
const maxWhy = 500

// AddCause adds a cause to others. A name has one cause for each of its reasons for which there is
// room, and one without a reason if it has none. AddCause never cuts a reason: records would not
// recognize a piece of a secret.
func AddCause(to []Cause, c Cause) []Cause {
	size := c.Why.Size()
	if size > maxWhy {
		c.Why, size = Reason{}, 0
	}
	isKnown := false
	for i := range to {
		switch known := &to[i]; {
		case known.Name != c.Name:
			continue
		case known.Why.Size() == 0, size == 0, known.Why.equal(c.Why):
			if known.Why.Size() == 0 {
				known.Why = c.Why
			}
			known.show(c.Shows)
			return to
		default:
			size += known.Why.Size()
		}
		isKnown = true
	}
	if isKnown && size > maxWhy {
		return to
	}
	return append(to, c)
}

// show adds to Shows what is not there yet. Copies of the Cause share the old Shows.
func (c *Cause) show(more []Origin) {
	c.Shows = slices.Clip(c.Shows)
	for _, origin := range more {
		if len(c.Shows) < maxShows && !slices.Contains(c.Shows, origin) {
			c.Shows = append(c.Shows, origin)
		}
	}
}

// MadeBy returns the Change of lines that a named cause made without a line.
func MadeBy(name string, why Reason) Change { return Change{By: []Cause{{Name: name, Why: why}}} }

// Names returns the names of all causes, each once.
func (c Change) Names() (names []string) {
	names = NamesOf(names, c.By)
	for _, a := range c.Added {
		names = NamesOf(names, a.By)
	}
	return names
}

// NamesOf adds the names of causes to names, each once.
func NamesOf(names []string, by []Cause) []string {
	for _, cause := range by {
		if !slices.Contains(names, cause.Name) {
			names = append(names, cause.Name)
		}
	}
	return names
}
