package agents

import (
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
	"acpshim/internal/text/spelling"
	"acpshim/internal/text/terminal"
)

// modes sets another mode, the first one again, and one that does not exist.
func (p *process) modes(s *session) {
	const rule = "modes"
	result, _ := wire.Parse(s.new.Result(), "modes")
	state := result.Open("modes")
	if state == nil {
		p.skip(say("the agent offers no modes"), rule)
		return
	}
	p.tried(rule)
	current, isText := state.Text("currentModeId")
	ids := idsOf(state.Raw("availableModes"), "id")
	if !slices.Contains(ids, current) {
		if isText { // another type is against the schema
			p.fail(rule, fault{got: say(s.new.Response, " modes.currentModeId ", terminal.Quote(current), ", which is not in availableModes", nearest(current, ids)), text: "the current mode is one of availableModes"})
		}
		return
	}
	other := slices.IndexFunc(ids, func(id string) bool { return id != current })
	for _, mode := range []string{ids[max(other, 0)], current} {
		e, ok := p.ask(p.times.request, acp.SessionSetMode, map[string]string{"sessionId": s.id, "modeId": mode})
		if p.isLost() {
			return
		}
		if !ok || !wire.IsAbsent(e.Failure()) {
			p.fail(rule, fault{sent: say(request{e}, " with ", terminal.Quote(mode), ", which is in availableModes"), got: say(reply{e, in(p.times.request)}), text: "each of availableModes can be set"})
			return
		}
	}
	e, ok := p.ask(p.times.request, acp.SessionSetMode, map[string]string{"sessionId": s.id, "modeId": "no-such-mode"})
	if ok && wire.IsAbsent(e.Failure()) {
		p.fail(rule, fault{sent: say(request{e}, ` with "no-such-mode"`), got: say(reply{Exchange: e}), text: "an unknown mode gives an error", isAdvice: true})
	}
}

// idsOf returns a text member of each element of a list.
func idsOf(list []byte, name string) (ids []string) {
	elements, _ := wire.Elements(list)
	for _, raw := range elements {
		o, _ := wire.Parse(raw)
		if id, ok := o.Text(name); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// nearest returns what was perhaps meant, or "".
func nearest(wrong string, names []string) string {
	if hint := spelling.DidYouMean(wrong, names); hint != "" {
		return "; " + hint
	}
	return ""
}

// An option is a configuration option.
type option struct {
	id, kind, category string
	current            string // of a select; raw for others
	values             []string
}

// optionsOf reads a list of options.
func optionsOf(list []byte) (options []option) {
	elements, _ := wire.Elements(list)
	for _, raw := range elements {
		o, _ := wire.Parse(raw)
		var of option
		of.id, _ = o.Text("id")
		of.kind, _ = o.Text("type")
		of.category, _ = o.Text("category")
		if of.kind == "select" {
			of.current, _ = o.Text("currentValue")
			groups, _ := wire.Elements(o.Raw("options"))
			of.values = idsOf(o.Raw("options"), "value")
			for _, group := range groups {
				g, _ := wire.Parse(group)
				of.values = append(of.values, idsOf(g.Raw("options"), "value")...)
			}
		}
		options = append(options, of)
	}
	return options
}

// options sets an option to the value that it has, to another one, and back.
func (p *process) options(s *session) {
	const rule = "config-options"
	result, _ := wire.Parse(s.new.Result())
	all := optionsOf(result.Raw("configOptions"))
	if len(all) == 0 {
		p.skip(say("the agent offers no options"), rule, "boolean-option")
		return
	}
	p.tried(rule, "boolean-option")
	p.invalid(s.new, all)
	i := slices.IndexFunc(all, func(o option) bool { return o.kind == "select" && slices.Contains(o.values, o.current) })
	if i < 0 {
		return
	}
	same, e := p.setOption(s, all[i], all[i].current)
	if same == nil {
		return
	}
	for _, o := range all {
		if !slices.ContainsFunc(same, func(is option) bool { return is.id == o.id }) {
			p.fail(rule, fault{sent: say(request{e}, " with the value that ", terminal.Quote(all[i].id), " has"), got: say(e.Response, " without the option ", terminal.Quote(o.id)), text: "the response has the complete list"})
		}
	}
	p.otherValue(s, all)
}

// invalid judges whether options have values that exist.
func (p *process) invalid(e *peer.Exchange, all []option) {
	for i, o := range all {
		if o.kind == "select" && o.current != "" && !slices.Contains(o.values, o.current) {
			p.fail("config-options", fault{got: say(e.Response, " configOptions[", i, "].currentValue ", terminal.Quote(o.current), ", which is not in its options", nearest(o.current, o.values)), text: "each option has a valid currentValue"})
		}
	}
}

// otherValue sets an option to another value, and back. A level of thinking is left alone: it may
// depend on the model.
func (p *process) otherValue(s *session, all []option) {
	const rule = "config-options"
	i := slices.IndexFunc(all, func(o option) bool {
		return o.kind == "select" && len(o.values) > 1 && slices.Contains(o.values, o.current) && o.category != "thought_level"
	})
	if i < 0 {
		return
	}
	o := all[i]
	value := o.values[slices.IndexFunc(o.values, func(v string) bool { return v != o.current })]
	after, e := p.setOption(s, o, value)
	if after == nil {
		return
	}
	if j := slices.IndexFunc(after, func(is option) bool { return is.id == o.id }); j >= 0 && after[j].current != value {
		p.fail(rule, fault{sent: say(request{e}, " of ", terminal.Quote(o.id), " to ", terminal.Quote(value)), got: say(e.Response, " with the value ", terminal.Quote(after[j].current)), text: "the response has the new value", isAdvice: true})
	}
	p.setOption(s, o, o.current)
}

// setOption sets an option. It returns the options in the response, or nil if it failed.
func (p *process) setOption(s *session, o option, value string) ([]option, *peer.Exchange) {
	e, ok := p.ask(p.times.request, acp.SessionSetConfigOption, map[string]string{"sessionId": s.id, "configId": o.id, "value": value})
	if p.isLost() {
		return nil, e
	}
	if !ok || !wire.IsAbsent(e.Failure()) {
		p.fail("config-options", fault{sent: say(request{e}, " of ", terminal.Quote(o.id), " to ", terminal.Quote(value), ", which is in its options"),
			got: say(reply{e, in(p.times.request)}), text: "an option can be set to each of its values", isAdvice: value != o.current})
		return nil, e
	}
	result, _ := wire.Parse(e.Result())
	after := optionsOf(result.Raw("configOptions"))
	if after == nil && wire.IsAbsent(result.Raw("configOptions")) {
		return nil, e // that is against the schema
	}
	return append([]option{}, after...), e
}
