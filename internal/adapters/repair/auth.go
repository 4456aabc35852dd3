package repair

import (
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Auth is an adapter that adds missing members to the entries of authMethods.
//
//   - Settles: The client ends the connection at the start: the agent offers a login without a
//     name, or names its variable only in the newer spelling.
//   - For: JetBrains' IDEs.
//   - Keys: repair.auth_methods
//   - Read: zed-industries/codex-acp#230, MoonshotAI/kimi-cli#764, MoonshotAI/kimi-cli#1629
type Auth struct{ repair }

// NewAuth returns an Auth adapter.
func NewAuth(isOn IsOn) *Auth { return &Auth{newRepair(isOn)} }

// Handle implements dispatch.Adapter. Every adapter gets the response to initialize.
func (a *Auth) Handle(m *dispatch.Message) {
	value := wire.MapElements(m.Result().Raw("authMethods"), completeMethod)
	if a.On && value != nil {
		m.Because(whyAuthMethods)
		m.Edit(m.Result().Set(wire.Setting{Name: "authMethods", Value: value})...)
	}
}

// completeMethod returns an entry with all required members, or nil if it has no id.
func completeMethod(raw []byte) []byte {
	method, err := wire.Parse(raw)
	if err != nil {
		return nil
	}
	id := method.Raw("id")
	var settings []wire.Setting
	if wire.IsAbsent(id) {
		if id = method.Raw("methodId"); !wire.IsString(id) {
			return nil
		}
		settings = append(settings, wire.Setting{Name: "id", Value: id})
	}
	if wire.IsString(id) && wire.IsAbsent(method.Raw("name")) {
		settings = append(settings, wire.Setting{Name: "name", Value: id})
	}
	variable := wire.Pointer{"vars", "0", "name"}.Raw(raw)
	if kind, _ := method.Text("type"); kind == "env_var" && wire.IsAbsent(method.Raw("varName")) && wire.IsString(variable) {
		settings = append(settings, wire.Setting{Name: "varName", Value: variable})
	}
	return wire.Splice(nil, raw, method.Set(settings...)...)
}
