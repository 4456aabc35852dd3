package repair

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// LoginCode is an adapter that corrects the code of an error that asks for a login.
//
//   - Settles: The client does not offer to log in after the login has expired: the agent reports
//     that as an internal error (-32603).
//   - For: codex-acp before version 2.
//   - Keys: repair.login_code
//   - Read: agentclientprotocol/codex-acp#495; @agentclientprotocol/codex-acp 1.11.0 (npm),
//     createErrorEvent
type LoginCode struct{ repair }

// NewLoginCode returns a LoginCode adapter.
func NewLoginCode(isOn IsOn) *LoginCode {
	return &LoginCode{newRepair(isOn, dispatch.Want{From: dispatch.Agent, Responses: []string{acp.SessionPrompt}})}
}

// Handle implements dispatch.Adapter. It reads Codex's word for the kind of error, never the text
// of an error.
func (a *LoginCode) Handle(m *dispatch.Message) {
	if m.Request == nil || !m.Request.IsPrompt() || m.Code() != "-32603" {
		return
	}
	word, _ := wire.Text(wire.Pointer{"error", "data", "codexErrorInfo"}.Raw(m.Line))
	if code, ok := (wire.Pointer{"error", "code"}).Find(m.Line); ok && word == "unauthorized" {
		m.Because(whyLoginCode)
		m.Edit(wire.Edit{Span: code, With: []byte("-32000")})
	}
}
