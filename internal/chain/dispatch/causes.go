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
	shows *shownPlans // nil if no line shows one
}

// of returns the causes of one of the lines.
func (c causes) of(line []byte) []wire.Cause {
	by := slices.Clone(c.by)
	if c.shows != nil {
		by[0].Shows = c.shows.updates[c.shows.hash(line)]
	}
	return by
}

// shownPlans have the updates of the plans that each line shows, by the hash of the line: see
// [Port.Shows].
type shownPlans struct {
	seed    maphash.Seed
	updates map[uint64][]wire.Origin
}

func newShownPlans() *shownPlans {
	return &shownPlans{maphash.MakeSeed(), map[uint64][]wire.Origin{}}
}

// hash returns the hash of a line without its line end, which is added or removed in batches.
func (s *shownPlans) hash(line []byte) uint64 {
	return maphash.Bytes(s.seed, bytes.TrimSpace(line))
}

// add notes that a line shows an update.
func (s *shownPlans) add(line []byte, update wire.Origin) {
	hash := s.hash(line)
	s.updates[hash] = append(s.updates[hash], update)
}

// causes returns who made the lines of the current adapter, and why.
func (m *Message) causes(a Adapter) causes {
	if len(m.by) == 0 {
		return causes{[]wire.Cause{{Name: a.Name(), Why: m.why}}, m.shows}
	}
	return causes{by: m.by}
}
