package paths

import (
	"errors"
	"fmt"
)

// A Prefix is a folder as the client and the agent spell it.
type Prefix struct{ Client, Agent string }

// A pair is a parsed Prefix: the client's folder, then the agent's.
type pair [2]folder

// CheckFolder returns an error if text cannot be a side of a Prefix.
func CheckFolder(text string) error {
	_, err := parseFolder(text)
	return err
}

func (p Prefix) parse() (both pair, err error) {
	var errs [2]error
	both[0], errs[0] = parseFolder(p.Client)
	both[1], errs[1] = parseFolder(p.Agent)
	return both, errors.Join(errs[:]...)
}

// SameClient reports whether two prefixes have the same folder of the client, however it is
// spelled.
func (p Prefix) SameClient(other Prefix) bool {
	a, err := parseFolder(p.Client)
	b, err2 := parseFolder(other.Client)
	return err == nil && err2 == nil && a.holds(b) && b.holds(a)
}

// Conflict returns an error if two prefixes cannot be used together, because paths would not map
// back. A folder may be in the other one if that is so on only one side, or on both sides in the
// same direction.
func (p Prefix) Conflict(earlier Prefix) error {
	a, err := earlier.parse()
	b, err2 := p.parse()
	if err != nil || err2 != nil {
		return nil // reported by CheckFolder
	}
	switch {
	case a[0].holds(b[0]) && b[0].holds(a[0]):
		return fmt.Errorf("client %q is in an earlier [[path]], too", p.Client)
	case a[1].holds(b[1]) && b[1].holds(a[1]):
		return fmt.Errorf("agent %q is in an earlier [[path]], too, whose client is %q: want a folder of its own for each", p.Agent, earlier.Client)
	case a[0].holds(b[0]) && b[1].holds(a[1]), b[0].holds(a[0]) && a[1].holds(b[1]):
		return fmt.Errorf("overlaps with client = %q, agent = %q: the one lies in the other at the client's side, and the other way round at the agent's", earlier.Client, earlier.Agent)
	}
	return nil
}
