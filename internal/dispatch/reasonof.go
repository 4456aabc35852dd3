package dispatch

import "acpshim/internal/wire"

// ReasonOf is for the time until all reasons have codes.
func ReasonOf(why any) wire.Reason {
	if r, ok := why.(wire.Reason); ok {
		return r
	}
	return wire.Reason{Text: why.(string)}
}
