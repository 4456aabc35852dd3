package versions

import (
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate/entry"
)

// Kinds of update that both versions have, but not with the same values: see TestSchemas.

// sharedTo1 has the member of an update that version 1 restricts, by kind of update.
var sharedTo1 = withBlocks(blockTo1, map[string]field{
	acp.PlanUpdate: {"plan", planTo1, true},
})

// sharedTo2 is sharedTo1 for version 2.
var sharedTo2 = withBlocks(blockTo2, map[string]field{
	acp.SessionInfoUpdate: {name: "updatedAt", form: date},
})

// withBlocks adds the updates that have content blocks.
func withBlocks(block form, fields map[string]field) map[string]field {
	fields[acp.SessionMessage] = field{name: "content", form: each(block)}
	fields[acp.SessionMessageChunk] = field{"content", block, true}
	fields[acp.CompactionUpdate] = field{name: "summary", form: each(block)}
	fields[acp.CompactionSummaryChunk] = field{"content", block, true}
	fields[acp.PromptSuggestionsUpdate] = field{name: "suggestions", form: each(with(field{name: "prompt", form: each(block)}))}
	return fields
}

// fit fits a member of an update. It drops the update if that cannot be without the member.
func fit(m *dispatch.Message, update *wire.Object, f field) {
	is := update.Raw(f.name)
	if f.form == nil || wire.IsAbsent(is) {
		return
	}
	switch fitted := f.form(is); {
	case fitted == nil && f.isRequired:
		m.Because(whyNoMember.With(f.name))
		m.Drop()
	case fitted == nil:
		m.Edit(wire.Edit{Span: update.Span, With: wire.Without(m.Line[update.Start:update.End], f.name)})
	default:
		setMember(m, update, f.name, fitted)
	}
}

// fitParams fits the params of a message.
func fitParams(m *dispatch.Message, f form) {
	params := m.Params()
	if params == nil {
		return
	}
	is := m.Line[params.Start:params.End]
	if fitted := f(is); string(fitted) != string(is) {
		m.Edit(wire.Edit{Span: params.Span, With: fitted})
	}
}

// planTo1 translates the plan of a plan_update to version 1. Clients of before November 2026 know
// plans of type "file". A plan of an unknown type has that of its content. PlanTo1 returns nil if
// it has none.
func planTo1(plan []byte) []byte {
	o := open(plan)
	kind := textOf(o, "type")
	_, isList := wire.Elements(o.Raw("entries"))
	switch {
	case kind == acp.PlanItems, kind == acp.PlanMarkdown, kind == acp.PlanFile:
	case isList:
		plan = wire.With(plan, []string{"type"}, []byte(`"items"`))
	case wire.IsString(o.Raw("content")):
		plan = wire.With(plan, []string{"type"}, []byte(`"markdown"`))
	default:
		return nil
	}
	if isList {
		return with(field{name: "entries", form: each(entryTo1)})(plan)
	}
	return plan
}

// entryTo1 translates a plan entry to version 1, as plans for clients without plan support are.
func entryTo1(raw []byte) []byte {
	o := open(raw)
	is := entry.Entry{Content: textOf(o, "content"), Priority: entry.Priority(textOf(o, "priority")), Status: entry.Status(textOf(o, "status"))}
	e, ok := entry.New(is.Content, is.Priority, is.Status, nil)
	switch {
	case !ok: // without a text, which readers omit
		return nil
	case e.Equal(is):
		return raw
	}
	return wire.Splice(nil, raw, o.Set(
		wire.Setting{Name: "content", Value: wire.Quote(nil, e.Content)},
		wire.Setting{Name: "priority", Value: wire.Quote(nil, string(e.Priority))},
		wire.Setting{Name: "status", Value: wire.Quote(nil, string(e.Status))},
	)...)
}
