package history

import (
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Ending returns the error with which acpshim ended a request because the agent had ended. It
// returns nil for any other message. For a client of version 2, the error is in an update.
func (m *Message) Ending() []byte {
	if m.Message.Received() || !m.Message.Has(dispatch.WhyEnded.Code) {
		return nil
	}
	if failure := (wire.Pointer{"error"}).Raw(m.Message.Line); failure != nil {
		return failure
	}
	return wire.Pointer{"params", "update", "error"}.Raw(m.Message.Line)
}
