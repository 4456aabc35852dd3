package repair

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Authenticate is an adapter for agents that offer a login but have no method for it. The client
// gets a result for its authenticate. If a login is missing, the agent refuses the next session.
//
//   - Settles: The client cannot log in and opens no session: the agent offers a login although you
//     are logged in, and does not know authenticate.
//   - For: Kiro CLI.
//   - Keys: repair.authenticate
//   - Read: aws/amazon-q-developer-cli#3684, kirodotdev/Kiro#6603
type Authenticate struct {
	repair
	accepted func()
}

// NewAuthenticate returns an Authenticate adapter. Accepted is called when the client gets a result
// instead of the agent's error; it must not block, and may be nil.
func NewAuthenticate(accepted func(), isOn IsOn) *Authenticate {
	return &Authenticate{
		accepted: accepted,
		repair:   newRepair(isOn, dispatch.Want{From: dispatch.Agent, Responses: []string{acp.Authenticate}}),
	}
}

// Handle implements dispatch.Adapter.
func (a *Authenticate) Handle(m *dispatch.Message) {
	if m.Request == nil || m.Request.Method != acp.Authenticate || m.Code() != wire.MethodNotFound {
		return
	}
	failure := m.Object.Get("error")
	m.Because(whyNoLogin)
	m.Edit(wire.Edit{Span: failure.Key, With: []byte(`"result"`)}, wire.Edit{Span: failure.Value, With: []byte("{}")})
	if a.accepted != nil {
		a.accepted()
	}
}
