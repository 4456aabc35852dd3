package history

import (
	"slices"

	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Ending returns the error with which acpshim ended a request because the agent had ended, or nil
// for other messages. A client of version 2 gets it in an update.
func (m *Message) Ending() []byte {
	i := slices.Index(m.Message.By, dispatch.Ended)
	if i < 0 || i >= len(m.Message.Why) || m.Message.Why[i] != dispatch.WhyEnded || m.Message.Received() {
		return nil
	}
	if failure := (wire.Pointer{"error"}).Raw(m.Message.Line); failure != nil {
		return failure
	}
	return wire.Pointer{"params", "update", "error"}.Raw(m.Message.Line)
}
