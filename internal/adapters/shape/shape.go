// Package shape has the adapter that corrects messages of the agent for clients that read version 1
// strictly. It has a table of the members that the protocol requires: see member.go.
package shape

import (
	"bytes"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Settings say what is corrected for two peers. The zero value corrects nothing.
type Settings struct {
	Kinds     bool // permission options get one of the four kinds
	Results   bool // results and updates get the required members
	SessionID bool // results of load and resume get their session's id
	Flatten   bool // groups of values become one list
}

// An Adapter corrects messages of the agent. It stands after permission rules, which see the
// agent's own kinds, and before all adapters that read choices.
//
//   - Settles: A message is missing or a session fails: the agent leaves out required members or
//     writes them differently, and a strict client rejects the whole message. Examples are results
//     that are null, kinds of permission options, names, dates, and lists of options.
//   - For: Every client and agent. repair.session_id: Agent of Empires. choices.groups: bb.
//   - Keys: repair.option_kinds, repair.results, repair.session_id, choices.groups
//   - Read: getpaseo/paseo#1854, esengine/DeepSeek-Reasonix#5775, anomalyco/opencode#42442,
//     xinbo-tech/thincoder#9, xinbo-tech/thincoder#11, get-bb/bb#4152, JetBrains/koog#2192
type Adapter struct {
	dispatch.Switched[Settings]
	conversation *conversation.Conversation
	asked        *conversation.Slot[*conversation.Request, choice]
	known        *conversation.Slot[*conversation.Session, state]
}

// A choice is the option that a session/set_config_option sets.
type choice struct {
	id    string
	value []byte // raw
}

// A state is what the agent last reported of a session. Its bytes are never written to.
type state struct {
	options    []byte // nil if unknown
	used, size []byte // numbers of tokens; nil if unknown
}

// opens are the requests whose results have options.
var opens = []string{acp.SessionNew, acp.SessionFork, acp.SessionLoad, acp.SessionResume}

// New returns an Adapter. Settings returns those for two peers.
func New(c *conversation.Conversation, settings func(client, agent conversation.Implementation) Settings) *Adapter {
	a := &Adapter{
		conversation: c,
		asked:        conversation.NewSlot[*conversation.Request, choice](c),
		known:        conversation.NewSlot[*conversation.Session, state](c),
	}
	a.For = settings
	a.Wanted = []dispatch.Want{
		{From: dispatch.Client, Methods: []string{acp.SessionSetConfigOption}},
		{
			From: dispatch.Agent, Sessions: true, Methods: []string{acp.SessionRequestPermission},
			Updates: []string{acp.UsageUpdate, acp.ConfigOptionUpdate, acp.AvailableCommandsUpdate, acp.CurrentModeUpdate},
			Responses: append([]string{
				acp.SessionSetConfigOption, acp.SessionSetMode, acp.SessionClose, acp.SessionDelete, acp.SessionList, acp.Authenticate, acp.Logout, acp.SessionPrompt,
			}, opens...),
		},
	}
	return a
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "shape" }

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	on := a.On
	switch {
	case m.From == dispatch.Client && m.Method == acp.SessionSetConfigOption:
		a.ask(m)
	case m.From == dispatch.Client:
	case m.Method == acp.SessionRequestPermission:
		if options := permissionOptions(m.Params().Raw("options")); on.Kinds && options != nil {
			m.Because(whyKind)
			m.Edit(m.Params().Set(wire.Setting{Name: "options", Value: options})...)
		}
	case m.Update != "":
		a.update(m, on)
	case m.Request != nil && m.Request.From == dispatch.Client && m.Request.Method != acp.Initialize && !m.IsRefusal():
		a.response(m, on)
	}
}

// ask records what a client sets, for the response.
func (a *Adapter) ask(m *dispatch.Message) {
	r := a.conversation.Pending(dispatch.Client, m.ID)
	id, _ := m.Params().Text("configId")
	value := bytes.Clone(m.Params().Raw("value"))
	if value == nil {
		return
	}
	a.asked.Put(r, choice{id, value}, len(id)+len(value))
}

// response corrects the result of a request.
func (a *Adapter) response(m *dispatch.Message, on Settings) {
	raw := m.Object.Raw("result")
	result := raw
	if on.Results && string(raw) == "null" {
		result = []byte("{}")
	}
	o, err := wire.Parse(result)
	if err != nil {
		return
	}
	settings := a.missing(m, o, on)
	if name := required(m.Request); string(raw) == "null" && name != "" && !has(settings, name) {
		return // an empty result would be as wrong
	}
	if result = wire.Splice(nil, result, o.Set(settings...)...); !bytes.Equal(result, raw) {
		m.Because(whyCompleted)
		m.Edit(m.Object.Set(wire.Setting{Name: "result", Value: result})...)
	}
}

// required returns the member without which a result is wrong, or "".
func required(r *conversation.Request) string {
	switch {
	case r.Creates():
		return "sessionId"
	case r.IsPrompt():
		return "stopReason"
	case r.Method == acp.SessionList:
		return "sessions"
	case r.Method == acp.SessionSetConfigOption:
		return "configOptions"
	}
	return ""
}

func has(settings []wire.Setting, name string) bool {
	return slices.ContainsFunc(settings, func(s wire.Setting) bool { return s.Name == name })
}

// missing returns the members that a result needs, as far as they are known.
func (a *Adapter) missing(m *dispatch.Message, result *wire.Object, on Settings) (settings []wire.Setting) {
	r := m.Request
	if on.SessionID && r.Opens() && !wire.IsString(result.Raw("sessionId")) {
		settings = with(settings, "sessionId", wire.Quote(nil, r.Session))
	}
	if on.Results && r.Method == acp.SessionList {
		settings = with(settings, "sessions", elements(result.Raw("sessions"), session))
	}
	if on.Results && r.IsPrompt() && !wire.IsString(result.Raw("stopReason")) {
		settings = with(settings, "stopReason", a.stopReason(r))
	}
	if r.Creates() || r.Opens() || r.Method == acp.SessionSetConfigOption {
		session := r.Session
		if r.Creates() {
			session, _ = result.Text("sessionId")
		}
		modes, _ := wire.Parse(result.Raw("modes"))
		if list := elements(modes.Raw("availableModes"), mode); on.Results && list != nil {
			settings = with(settings, "modes", wire.Splice(nil, result.Raw("modes"), modes.Set(wire.Setting{Name: "availableModes", Value: list})...))
		}
		settings = with(settings, "configOptions", a.options(result.Raw("configOptions"), session, r, on))
	}
	return settings
}

// with adds a member to settings, unless its value is nil.
func with(settings []wire.Setting, name string, value []byte) []wire.Setting {
	if value == nil {
		return settings
	}
	return append(settings, wire.Setting{Name: name, Value: value})
}

// stopReason returns a stop reason for a turn that the agent has ended without one.
func (a *Adapter) stopReason(r *conversation.Request) []byte {
	if r.IsCancelled {
		return []byte(`"cancelled"`)
	}
	return []byte(`"end_turn"`)
}

// options records the configuration options of a session, and returns the corrected ones, or nil if
// they are correct. If the response to a set_config_option has no options, it returns the last ones
// with the new value. R is the request; nil for an update.
func (a *Adapter) options(list []byte, session string, r *conversation.Request, on Settings) []byte {
	s, _ := a.conversation.Find(session)
	known, _ := a.known.Get(s)
	var made []byte
	asked, isAsked := a.asked.Get(r)
	switch {
	case !wire.IsAbsent(list):
		made = configOptions(list, on)
		list = or(made, list)
	case on.Results && isAsked && known.options != nil:
		made = or(chosen(known.options, asked.id, asked.value), known.options)
		list = made
	}
	if on.Results && list != nil {
		known.options = bytes.Clone(list)
		a.keep(s, known)
	}
	return made
}

// keep stores the state of a session.
func (a *Adapter) keep(s *conversation.Session, k state) {
	a.known.Put(s, k, len(k.options)+len(k.used)+len(k.size))
}

// update completes a session update.
func (a *Adapter) update(m *dispatch.Message, on Settings) {
	u := m.Params().Open("update")
	var settings []wire.Setting
	m.Because(whyCompleted)
	switch {
	case m.Update == acp.ConfigOptionUpdate:
		settings = with(settings, "configOptions", a.options(u.Raw("configOptions"), m.Session, nil, on))
	case !on.Results:
	case m.Update == acp.AvailableCommandsUpdate:
		settings = with(settings, "availableCommands", elements(u.Raw("availableCommands"), command))
	case m.Update == acp.CurrentModeUpdate:
		settings = missing(u, currentMode)
	case m.Update == acp.UsageUpdate:
		settings = a.usage(m, u)
	}
	m.Edit(u.Set(settings...)...)
}

// usage records the numbers of tokens, and returns the missing members with the last numbers. If
// one was never known, the update stays as it is. Usage drops an update without tokens and cost.
func (a *Adapter) usage(m *dispatch.Message, u *wire.Object) []wire.Setting {
	s, _ := a.conversation.Find(m.Session)
	known, _ := a.known.Get(s)
	used, size := u.Raw("used"), u.Raw("size")
	var settings []wire.Setting
	complete := func(name string, is []byte, known *[]byte) {
		if isNumber(is) {
			*known = bytes.Clone(is)
		} else {
			settings = append(settings, wire.Setting{Name: name, Value: *known})
		}
	}
	complete("used", used, &known.used)
	complete("size", size, &known.size)
	a.keep(s, known)
	switch {
	case len(settings) == 2 && !wire.IsObject(u.Raw("cost")):
		m.Because(whyUsage)
		m.Drop()
	case known.used != nil && known.size != nil:
		return settings
	}
	return nil
}
