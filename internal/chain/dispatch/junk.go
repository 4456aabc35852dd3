package dispatch

import (
	"bytes"

	"acpshim/internal/chain/wire"
)

// Junk decides what happens to lines of the agent that are not messages.
type Junk interface {
	// Moves reports whether such lines are removed, so that whole lines are needed. Otherwise no
	// line is held to find out whether it is junk.
	Moves() bool
	// IsJunk reports whether a whole line is junk.
	IsJunk(line []byte) bool
	// Take gets a line of junk. If Moves is false, it gets the beginning, and the line passes.
	Take(line []byte)
}

// junk returns the verdict on a line that is or may be junk; ok is false for other lines.
func (d *Direction) junk(h wire.Head, reading wire.Reading, head []byte) (v wire.Verdict, ok bool) {
	j := d.d.opts.Junk
	switch {
	case d.from == Client || j == nil || h.Method != nil || h.Response || len(bytes.TrimSpace(head)) == 0:
		return wire.Pass, false
	case reading == wire.Array && !j.Moves(): // its end would show whether it is one
		return wire.Pass, false
	case j.Moves() && reading == wire.Incomplete:
		return wire.More, true
	case j.Moves():
		return wire.Hold, true
	case reading == wire.NotJSON || reading == wire.Decided && j.IsJunk(head):
		j.Take(head)
		return wire.Pass, true
	}
	return wire.Pass, false
}
