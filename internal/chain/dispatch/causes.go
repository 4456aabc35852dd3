package dispatch

import (
	"bytes"
	"hash/maphash"
	"slices"

	"acpshim/internal/chain/wire"
)

// causes are who made some lines and why, and which plans each of the lines shows.
type causes struct {
	by    []wire.Cause
	shows shownPlans
}

// of returns the causes of one of the lines.
func (c causes) of(line []byte) []wire.Cause {
	by := slices.Clone(c.by)
	if len(c.shows) > 0 {
		by[0].Shows = c.shows[hashOf(line)]
	}
	return by
}

// shownPlans have the updates of the plans that each line shows, by the hash of the line: see
// [Port.Shows].
type shownPlans map[uint64][]wire.Origin

var seed = maphash.MakeSeed()

// hashOf returns the hash of a line without its line end, which is added or removed in batches.
func hashOf(line []byte) uint64 { return maphash.Bytes(seed, bytes.TrimSpace(line)) }

// causes returns who made the lines of the current adapter, and why.
func (m *Message) causes(a Adapter) causes {
	if len(m.by) == 0 {
		return causes{[]wire.Cause{{Name: a.Name(), Why: m.why}}, m.shows}
	}
	return causes{by: m.by}
}
