package choices

import (
	"fmt"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// A kind is a choice of a session: its mode or its model. In the old form it is a list in the
// session's result, with a method to set it. In the new form it is a select among the configuration
// options.
type kind struct {
	category    string // of a select; also the id of one that acpshim makes
	name        string // of a select that acpshim makes
	list        string // the member of the session's result with the list
	available   string // the list's member with all values
	current     string // the list's member with the current value
	id          string // the member of a value with its id
	method      string // sets the current value
	param       string // the parameter of method with the id
	update      string // reports the current value; empty if there is no such update
	updatedName string // the member of update with the id
}

var kinds = [...]kind{
	{"mode", "Mode", "modes", "availableModes", "currentModeId", "id", acp.SessionSetMode, "modeId", acp.CurrentModeUpdate, "currentModeId"},
	{"model", "Model", "models", "availableModels", "currentModelId", "modelId", acp.SessionSetModel, "modelId", "", ""},
}

// readList returns the current value and all values of a list, as the new form spells them. It
// returns no values if raw is not a list of the kind.
func (k *kind) readList(raw []byte) (current string, values [][]byte) {
	list, err := wire.Parse(raw)
	current, ok := list.Text(k.current)
	if err != nil || !ok {
		return "", nil
	}
	values, _ = wire.Elements(list.Raw(k.available))
	return current, renamed(values, k.id, "value")
}

// findSelect returns the first select of the kind among configuration options, the span of its
// current value in options, and its values without groups, as the old form spells them. It returns
// nil if there is none. Is decides which selects are of the kind.
func (k *kind) findSelect(options []byte, is func(o *wire.Object, values [][]byte) bool) (found *wire.Object, at wire.Span, values [][]byte) {
	spans, _ := wire.Batch(options)
	for _, span := range spans {
		o, err := wire.Parse(options[span.Start:span.End])
		typ, _ := o.Text("type")
		if err != nil || typ != "select" || !wire.IsString(o.Raw("id")) || !wire.IsString(o.Raw("currentValue")) {
			continue
		}
		if values = renamed(flat(o.Raw("options")), "value", k.id); len(values) > 0 && is(o, values) {
			at = o.Get("currentValue").Value
			return o, wire.Span{Start: span.Start + at.Start, End: span.Start + at.End}, values
		}
	}
	return nil, wire.Span{}, nil
}

// flat returns the values of a select without its groups.
func flat(options []byte) (values [][]byte) {
	elements, _ := wire.Elements(options)
	for _, raw := range elements {
		if o, err := wire.Parse(raw); err == nil && o.Get("options") != nil {
			group, _ := wire.Elements(o.Raw("options"))
			values = append(values, group...)
			continue
		}
		values = append(values, raw)
	}
	return values
}

// renamed returns objects with one member renamed. It leaves out objects without that member.
func renamed(values [][]byte, from, to string) (out [][]byte) {
	for _, raw := range values {
		o, err := wire.Parse(raw)
		if err != nil || !wire.IsString(o.Raw(from)) || o.Get(to) != nil {
			continue
		}
		out = append(out, wire.Splice(nil, raw, wire.Edit{Span: o.Get(from).Key, With: wire.Quote(nil, to)}))
	}
	return out
}

// appendSelect appends a select. Values is an array.
func (k *kind) appendSelect(b []byte, id, current string, values []byte) []byte {
	return fmt.Appendf(b, `{"id":%s,"name":"%s","category":"%s","type":"select","currentValue":%s,"options":%s}`,
		wire.Quote(nil, id), k.name, k.category, wire.Quote(nil, current), values)
}

// makeList returns the list for the result of [kind.findSelect].
func (k *kind) makeList(current []byte, values [][]byte) []byte {
	return fmt.Appendf(nil, `{"%s":%s,"%s":%s}`, k.current, current, k.available, wire.List(values))
}
