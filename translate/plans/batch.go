package plans

import (
	"slices"

	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// What is put before or after a message of a batch stands before or after the whole array. So that
// the plan that the client gets last is the newest one, plans go behind the array as soon as one
// does, and none goes before it once one stands in it. The lock is held here.

// after puts lines with plans after a message.
func (a *Adapter) after(m *dispatch.Message, lines []byte) {
	if len(lines) > 0 && m.InBatch() {
		a.behind = m.Number
	}
	m.After(lines)
}

// place puts a line with a plan in the place of a message, or behind the batch.
func (a *Adapter) place(m *dispatch.Message, line []byte) {
	if a.goesBehind(m) {
		a.after(m, wire.EndLine(line))
		m.Replace()
		return
	}
	a.placed = m.Number
	m.Replace(line)
}

// pass lets a plan of the agent's pass where it stands, or puts it behind the batch.
func (a *Adapter) pass(m *dispatch.Message) {
	if a.goesBehind(m) {
		a.place(m, slices.Clone(m.Line))
		return
	}
	a.placed = m.Number
}

func (a *Adapter) goesBehind(m *dispatch.Message) bool { return m.InBatch() && a.behind == m.Number }

// releaseBefore is release for lines that go before a message. In a batch in which a plan stands or
// a session was opened, or behind which there is a plan, they wait for the next Flush.
func (a *Adapter) releaseBefore(m *dispatch.Message, first string, at moment) []byte {
	if m.InBatch() && (a.placed == m.Number || a.goesBehind(m)) {
		a.due = a.due || len(a.waiting) > 0
		return nil
	}
	return a.release(first, at)
}
