package choices

import (
	"bytes"

	"acpshim/internal/wire"
)

// A kind is what a person chooses of a session: its mode or its model. Each has two forms. The old
// one is a list of its own in the session's result, with a method to set it. The new one is a
// select among the session's configuration options.
type kind struct {
	category    string // of the select, and its id where one is made
	name        string // of a select that is made
	list        string // the member of the session's result
	available   string // the member of the list with what can be chosen
	current     string // the member of the list with what is chosen
	id          string // the member of each choice that names it
	method      string // sets what is chosen
	param       string // the member of its params that names the choice
	update      string // tells what is chosen; empty if there is no such update
	updatedName string // the member of update with what is chosen
}

var kinds = [...]kind{
	{"mode", "Mode", "modes", "availableModes", "currentModeId", "id", "session/set_mode", "modeId", "current_mode_update", "currentModeId"},
	{"model", "Model", "models", "availableModels", "currentModelId", "modelId", "session/set_model", "modelId", "", ""},
}

// setOption sets a choice in its new form.
const setOption = "session/set_config_option"

// readList reads a choice in its old form: what is chosen, and what can be, each as the agent wrote
// it. It returns no values for what is no such list.
func (k *kind) readList(raw []byte) (current string, values [][]byte) {
	list, err := wire.Parse(raw)
	current, ok := list.Text(k.current)
	if err != nil || !ok {
		return "", nil
	}
	values, _ = wire.Elements(list.Raw(k.available))
	return current, renamed(values, k.id, "value")
}

// findSelect returns the first select of the kind among configuration options: where its value
// stands in them, and what can be chosen, without groups. It returns nil if there is none.
func (k *kind) findSelect(options []byte) (found *wire.Object, at wire.Span, values [][]byte) {
	spans, _ := wire.Batch(options)
	for _, span := range spans {
		o, err := wire.Parse(options[span.Start:span.End])
		category, _ := o.Text("category")
		typ, _ := o.Text("type")
		if err != nil || category != k.category || typ != "select" || !wire.IsString(o.Raw("id")) || !wire.IsString(o.Raw("currentValue")) {
			continue
		}
		if values = renamed(flat(o.Raw("options")), "value", k.id); len(values) > 0 {
			at = o.Get("currentValue").Value
			return o, wire.Span{Start: span.Start + at.Start, End: span.Start + at.End}, values
		}
	}
	return nil, wire.Span{}, nil
}

// flat returns the options of a select, those of groups one after the other.
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

// renamed returns objects with another name for the member that names each. All else stays as it
// is. What has no such member is left out.
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

// appendSelect appends a configuration option that offers values, an array.
func (k *kind) appendSelect(b []byte, id, current string, values []byte) []byte {
	b = wire.Quote(append(b, `{"id":`...), id)
	b = wire.Quote(append(b, `,"name":`...), k.name)
	b = wire.Quote(append(b, `,"category":`...), k.category)
	b = wire.Quote(append(b, `,"type":"select","currentValue":`...), current)
	return append(append(append(b, `,"options":`...), values...), '}')
}

// makeList returns the old form of a select that [kind.findSelect] returned.
func (k *kind) makeList(current []byte, values [][]byte) []byte {
	b := append(wire.Quote([]byte(`{`), k.current), ':')
	b = append(append(b, current...), ',')
	b = append(wire.Quote(b, k.available), ':')
	return append(append(b, array(values)...), '}')
}

// array returns a JSON array of values.
func array(values [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(values, []byte(","))...), ']')
}
