package repair

import (
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// LoginCode is an adapter that corrects the code of an error that asks for a login.
//
//   - Settles: An agent refuses a prompt because the login has run out, and calls that an internal
//     error (-32603); the client does not offer to log in.
//   - For: codex-acp before 2.
//   - Keys: repair.login_code
//   - Read: agentclientprotocol/codex-acp#495; @agentclientprotocol/codex-acp 1.11.0 (npm),
//     createErrorEvent
type LoginCode struct{ repair }

// NewLoginCode returns a LoginCode adapter.
func NewLoginCode(isOn IsOn) *LoginCode {
	return &LoginCode{newRepair(isOn, dispatch.Want{From: dispatch.Agent, Responses: []string{"session/prompt"}})}
}

// Handle implements dispatch.Adapter. Codex says of an error what it is by a word; texts are not
// looked at.
func (a *LoginCode) Handle(m *dispatch.Message) {
	if m.Code() != "-32603" || m.Request == nil || m.Request.Method != "session/prompt" {
		return
	}
	raw := m.Object.Raw("error")
	failure, err := wire.Parse(raw, "data")
	if word, _ := failure.Open("data").Text("codexErrorInfo"); err == nil && word == "unauthorized" {
		with := wire.Splice(nil, raw, failure.Set(wire.Setting{Name: "code", Value: []byte("-32000")})...)
		m.Because("the error is for want of a login, and gets the code of that")
		m.Edit(m.Object.Set(wire.Setting{Name: "error", Value: with})...)
	}
}
