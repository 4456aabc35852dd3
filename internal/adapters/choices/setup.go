package choices

import (
	"hash/maphash"
	"slices"
	"time"
)

// A setup sets the options that the client wants a session to start with, one after the other.
type setup struct {
	entries []entry   // that have no response yet
	asked   string    // the id of acpshim's pending request; empty if there is none
	by      form      // the form of that request
	kind    int       // the index in kinds of what it sets; -1 if it is another option
	until   time.Time // prompts wait until then; zero before the first one

	// Hashes of what the client knows: all options, and the current values of the lists.
	told   uint64
	listed [len(kinds)]uint64
}

// size returns about how many bytes a setup takes.
func (su *setup) size() int {
	size := 512 + len(su.asked)
	for _, e := range su.entries {
		size += 64 + len(e.id) + len(e.line)
	}
	return size
}

// end marks what the client does not know when a setup ends.
func (s *session) end(su *setup) {
	s.isDue = s.isDue || su.told != maphash.Bytes(seed, s.all())
	for i := range s.choices {
		c := &s.choices[i]
		c.isDue = c.isDue || kinds[i].update != "" && c.offered != [2]bool{} && maphash.String(seed, c.current) != su.listed[i]
	}
}

// withdraw removes the entry that a later call of the client sets.
func (su *setup) withdraw(id string) {
	if su == nil || id == "" {
		return
	}
	isSent := su.asked != ""
	su.entries = slices.DeleteFunc(su.entries, func(e entry) bool {
		isFirst := isSent
		isSent = false
		return e.id == id && !isFirst
	})
}

// shows notes that the client gets all options. A nil setup needs no notes, here and below.
func (su *setup) shows(s *session) {
	if su != nil {
		su.told = maphash.Bytes(seed, s.all())
	}
}

// lists notes that the client gets the current value of a list.
func (su *setup) lists(kind int, value string) {
	if su != nil {
		su.listed[kind] = maphash.String(seed, value)
	}
}

// showsAll notes that the client gets all options and lists.
func (su *setup) showsAll(s *session) {
	su.shows(s)
	for i, c := range s.choices {
		su.lists(i, c.current)
	}
}
