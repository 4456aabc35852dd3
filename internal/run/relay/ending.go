package relay

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// An Ending is the error that the client's pending requests get when the agent gives no more
// responses.
type Ending struct {
	Message string // how the agent ended, as a sentence without a period
	Data    []byte // raw JSON, or nil
}

// EndingOf returns the Ending with the message and the data of an error.
func EndingOf(failure []byte) (e Ending) {
	o, _ := wire.Parse(failure)
	e.Message, _ = o.Text("message")
	e.Data = o.Raw("data")
	return e
}

// End responds to the client's pending requests in place of an agent that has ended: see
// [proxy.Options]. Any goroutine may call it.
func (r *Relay) End(e Ending) {
	r.isEarly.Store(r.EndedEarly())
	r.dispatcher.End(func(id []byte) []byte { return wire.RefusalWith(id, -32603, e.Message, e.Data) })
}

// EndedEarly reports whether the agent has ended before it responded to the client's initialize. It
// may be called when the run has ended.
func (r *Relay) EndedEarly() (is bool) {
	r.dispatcher.Do(func() { is = r.conversation.Awaits(conversation.Client, acp.Initialize) })
	return is || r.isEarly.Load()
}
