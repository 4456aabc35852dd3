package versions

import (
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

func isNull(raw []byte) bool { return raw != nil && wire.IsAbsent(raw) }

// schemaTo1 translates the schema of a form to version 1, which knows four formats of texts.
func schemaTo1(schema []byte) []byte {
	return eachProperty(schema, with(field{name: "format", form: oneOf("email", "uri", "date", "date-time")}))
}

// schemaTo2 translates the schema of a form to version 2, which requires more members. There, a
// list of choices has at least one.
func schemaTo2(schema []byte) []byte {
	schema = withDefault(withDefault(schema, "type", `"object"`), "properties", "{}")
	choices := []field{{"enum", some(asIs), true}, {"oneOf", some(asIs), true}, {"anyOf", some(asIs), true}}
	return eachProperty(schema, then(with(choices...), with(field{"items", with(choices...), true})))
}

// withDefault sets a member of an object if that is missing or null.
func withDefault(raw []byte, name, value string) []byte {
	if o := open(raw); o != nil && wire.IsAbsent(o.Raw(name)) {
		return wire.With(raw, []string{name}, []byte(value))
	}
	return raw
}

// eachProperty fits the properties of a form. It removes those of which nothing can stay.
func eachProperty(schema []byte, f form) []byte {
	properties := open(open(schema).Raw("properties"))
	if properties == nil {
		return schema
	}
	var fields []field
	for _, m := range properties.Members {
		fields = append(fields, field{name: m.Name, form: f})
	}
	return with(field{name: "properties", form: with(fields...)})(schema)
}

// elicit translates a question of the agent to version 2. It refuses one about a request with the
// id null, because version 2 has none.
func (a *Client) elicit(m *dispatch.Message) {
	m.Because(whyClient2)
	params := m.Params()
	isOfSession := params.Get("sessionId") != nil
	if isNull(params.Raw("requestId")) && !isOfSession {
		m.Answer(wire.Refusal(m.ID, -32602, "Invalid params: the client speaks version 2, where no request has the id null"))
		return
	}
	a.asks(m, a.c.Pending(dispatch.Agent, m.ID), "")
	fitParams(m, func(params []byte) []byte {
		if isOfSession { // version 2 wants only one of them
			params = wire.Without(params, "requestId")
		}
		return with(field{name: "requestedSchema", form: schemaTo2})(params)
	})
}
