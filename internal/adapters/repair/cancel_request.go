package repair

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// CancelRequest is an adapter for clients that send session/cancel as a request. The client gets
// null, and the agent gets the notification. If no prompt of the session is open, the agent gets
// nothing, because the notification could cancel the next prompt.
//
//   - Settles: A turn goes on although you cancel it: the client sends session/cancel as a request,
//     and the agent refuses it as unknown.
//   - For: devspace, and Open Design before 2026-09-09.
//   - Keys: repair.cancel_request
//   - Read: Waishnav/devspace#358, nexu-io/open-design#7959, xenodium/acp.el#1
type CancelRequest struct{ repair }

// NewCancelRequest returns a CancelRequest adapter.
func NewCancelRequest(isOn IsOn) *CancelRequest {
	return &CancelRequest{newRepair(isOn, dispatch.Want{From: dispatch.Client, Methods: []string{acp.SessionCancel}, Sessions: true})}
}

// Handle implements dispatch.Adapter.
func (a *CancelRequest) Handle(m *dispatch.Message) {
	if m.Method != acp.SessionCancel || m.Kind != dispatch.Request {
		return
	}
	m.Because(whyCancelAsked)
	m.Answer(wire.Result(m.ID, []byte("null")))
	if a.Cancel(m.Session) {
		a.Pass(dispatch.Client, wire.EndLine(wire.Without(m.Line, "id")), whyCancelAsked)
	} else {
		m.Because(whyNoTurn)
	}
}
