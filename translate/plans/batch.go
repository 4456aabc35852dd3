package plans

import (
	"slices"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Lines before or after a message of a batch are written before or after the whole array. The
// client must get the newest plan last. So once a plan goes after the array, all later ones do,
// too. And once a plan is in the array, none goes before it.

// after adds lines with plans after a message.
func (a *Adapter) after(m *dispatch.Message, lines []byte) {
	if len(lines) > 0 && m.InBatch() {
		a.batchWithPlans = m.Number
	}
	m.After(lines)
}

// place replaces a message by a line with a plan, or adds the line after the batch.
func (a *Adapter) place(m *dispatch.Message, line []byte) {
	if a.goesAfterBatch(m) {
		a.after(m, wire.EndLine(line))
		m.Replace()
		return
	}
	a.planLine = m.Number
	m.Replace(line)
}

// pass lets a plan of the agent pass, or moves it after the batch.
func (a *Adapter) pass(m *dispatch.Message) {
	if a.goesAfterBatch(m) {
		a.place(m, slices.Clone(m.Line))
		return
	}
	a.planLine = m.Number
}

func (a *Adapter) goesAfterBatch(m *dispatch.Message) bool {
	return m.InBatch() && a.batchWithPlans == m.Number
}

// releaseBefore is release for lines before a message. They wait for the next Flush if the message
// is in a batch that has a plan, opened a session, or has a plan after it.
func (a *Adapter) releaseBefore(m *dispatch.Message, first string, at moment) []byte {
	if m.InBatch() && (a.planLine == m.Number || a.goesAfterBatch(m)) {
		a.flushDue = a.flushDue || len(a.waiting) > 0
		return nil
	}
	return a.release(first, at)
}
