package repair

import (
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Auth is an adapter that completes the entries of authMethods.
//
//   - Settles: An agent names a way to log in without a name, or with its variable in the newer
//     spelling only; a client with a strict reader ends the connection.
//   - For: JetBrains' IDEs.
//   - Keys: repair.auth_methods
//   - Read: zed-industries/codex-acp#230, MoonshotAI/kimi-cli#764, MoonshotAI/kimi-cli#1629
type Auth struct{ repair }

// NewAuth returns an Auth adapter.
func NewAuth(isOn IsOn) *Auth { return &Auth{newRepair(isOn)} }

// Handle implements dispatch.Adapter. The response to initialize is given to every adapter.
func (a *Auth) Handle(m *dispatch.Message) {
	result := m.Result()
	if m.From != dispatch.Agent || result == nil || m.Request == nil || m.Request.Client == nil {
		return
	}
	agent, _ := wire.Parse(result.Raw("agentInfo"))
	if wire.ID(result.Raw("protocolVersion")) != "1" ||
		!a.For(m.Request.Client.Implementation, conversation.Implementation{Name: agent.Info("name"), Version: agent.Info("version")}) {
		return
	}
	if value := wire.MapElements(result.Raw("authMethods"), completeMethod); value != nil {
		m.Because("some clients refuse a way to log in without its name")
		m.Edit(result.Set(wire.Setting{Name: "authMethods", Value: value})...)
	}
}

// completeMethod returns an entry with the members that it has to have; nil if it cannot be named.
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
	if kind, _ := method.Text("type"); kind == "env_var" && wire.IsAbsent(method.Raw("varName")) {
		vars, _ := wire.Elements(method.Raw("vars"))
		if len(vars) > 0 {
			if first, err := wire.Parse(vars[0]); err == nil && wire.IsString(first.Raw("name")) {
				settings = append(settings, wire.Setting{Name: "varName", Value: first.Raw("name")})
			}
		}
	}
	return wire.Splice(nil, raw, method.Set(settings...)...)
}
