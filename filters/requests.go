package filters

import (
	"strings"

	"acpshim/wire"
)

// Requests are those that acpshim itself sends to the client, past this
// package. Their answers never reach the agent. The zero value is none.
type Requests struct {
	// Prefix begins their ids, which are strings, and nobody else's.
	Prefix string

	// Sent reports whether there has been one. An answer that gives its id
	// late is held from then on.
	Sent func() bool

	// Answered is told of each answer: its result or its error, the other is
	// nil, as raw JSON. It is called from FromClient's goroutine, must not block
	// and must not keep the bytes.
	Answered func(id string, result, failure []byte)
}

// have reports whether a raw id is one of these requests'.
func (r Requests) have(rawID []byte) bool {
	return r.Prefix != "" && len(rawID) > 0 && rawID[0] == '"' && strings.HasPrefix(wire.ID(rawID), `"`+r.Prefix)
}

func (r Requests) sent() bool { return r.Prefix != "" && r.Sent() }
