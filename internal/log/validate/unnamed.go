package validate

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"acpshim/internal/chain/wire"
	"acpshim/internal/log/validate/schema"
	"acpshim/internal/record/history"
)

// Unnamed returns the members in the messages of a peer that no schema of the negotiated version
// names. Peers that want members of their own have _meta for them.
func Unnamed(h *history.History, of wire.Side) (found []Finding) {
	var n negotiation
	for _, m := range h.Messages {
		n.add(m)
	}
	v := newValidation(n)
	if !v.report.Known {
		return nil
	}
	for _, m := range h.Messages {
		if m.Message.Dir != of || m.JSON == nil || m.Failed {
			continue
		}
		c := messageCheck{m: m, schemas: v.schemas(m)}
		name, rule := c.part()
		if rule == nil {
			continue
		}
		f := unnamed{schema: c.schemas.Unstable, at: wire.Pointer{name}}
		f.find([]*schema.Rule{rule}, c.value(name))
		for _, at := range f.found {
			finding := c.finding()
			finding.Note, finding.Pointer, finding.Text = true, at, "the schema does not name this member"
			found = append(found, finding)
		}
	}
	return found
}

// part returns the name of the member that the method describes, and its rule; nil if there is
// none.
func (c *messageCheck) part() (name string, rule *schema.Rule) {
	m := c.schemas.Unstable.Methods[c.m.Method]
	if m == nil {
		return "", nil
	}
	name, of := "params", m.Request
	switch c.m.Kind {
	case history.Response:
		name, of = "result", m.Result
	case history.Notification:
		of = m.Notification
	}
	return name, c.schemas.Unstable.Rules[of]
}

// value returns the value of a member of the message.
func (c *messageCheck) value(name string) any {
	decoder := json.NewDecoder(bytes.NewReader(c.m.JSON))
	decoder.UseNumber()
	var message map[string]any
	if decoder.Decode(&message) != nil {
		return nil
	}
	return message[name]
}

// unnamed finds the members of a value that its rules do not name.
type unnamed struct {
	schema *schema.Schema
	at     wire.Pointer
	found  []string // JSON pointers
}

// find adds the members of a value, and of those in it. All of the rules are for the value.
func (f *unnamed) find(rules []*schema.Rule, v any) {
	if len(f.found) >= maxProblems {
		return
	}
	var all []*schema.Rule
	for _, r := range rules {
		all = append(all, f.flat(r, v)...)
	}
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			f.within(strconv.Itoa(i), all, func(r *schema.Rule) *schema.Rule { return r.Items }, item)
		}
	case map[string]any:
		f.members(all, v)
	}
}

// flat returns a rule and the rules that it refers to, chosen by the value.
func (f *unnamed) flat(r *schema.Rule, v any) (all []*schema.Rule) {
	if r == nil {
		return nil
	}
	all = append(all, r)
	if r.Ref != "" {
		all = append(all, f.flat(f.schema.Rule(r.Ref), v)...)
	}
	if r.Tag != "" {
		all = append(all, f.flat(r.Chosen(v), v)...)
	}
	for _, alternative := range slices.Concat(r.Any, r.One) {
		if len(check(f.schema, alternative, v)) == 0 {
			all = append(all, f.flat(alternative, v)...)
		}
	}
	return all
}

func (f *unnamed) members(rules []*schema.Rule, v map[string]any) {
	isType, isOpen := false, false
	for _, r := range rules {
		isType = isType || r.Properties != nil
		isOpen = isOpen || r.Values != nil
	}
	if !isType {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if name == "_meta" {
			continue
		}
		isNamed := slices.ContainsFunc(rules, func(r *schema.Rule) bool { return r.Properties[name] != nil || r.Tag == name })
		if !isNamed && !isOpen && len(f.found) < maxProblems {
			f.found = append(f.found, append(slices.Clone(f.at), name).String())
		}
		f.within(name, rules, func(r *schema.Rule) *schema.Rule { return r.Properties[name] }, v[name])
	}
}

// within finds members in a member or item, by the rules that choose returns for it.
func (f *unnamed) within(name string, rules []*schema.Rule, choose func(*schema.Rule) *schema.Rule, v any) {
	var inner []*schema.Rule
	for _, r := range rules {
		if rule := choose(r); rule != nil {
			inner = append(inner, rule)
		}
	}
	f.at = append(f.at, name)
	f.find(inner, v)
	f.at = f.at[:len(f.at)-1]
}
