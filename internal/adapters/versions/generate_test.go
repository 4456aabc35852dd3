package versions

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"acpshim/internal/log/validate/schema"
)

// A generator makes random values that satisfy the schema of one version of the protocol.
type generator struct {
	*rand.Rand
	version string
	schema  *schema.Schema
	other   *schema.Schema // of the other version, which may list values where this one does not
	pools   map[string][]any
	depth   int
}

// The values of types whose schema does not say which values make sense. Few ids, so that messages
// are about the same things.
var pools = map[string][]any{
	"SessionId":    {"s1", "s2"},
	"ToolCallId":   {"t1", "t2"},
	"TerminalId":   {"x1", "x2"},
	"MessageId":    {"m1", "m2"},
	"PlanId":       {"main", "p2"},
	"AbsolutePath": {"/a", "/b c/d.go"},
	"MediaType":    {"text/plain", "image/png"},
}

// texts are strings for members whose schema allows any.
var texts = []any{"", "a", "_x", "line\nline", "é\u0000", "pending", "2026-11-28T01:02:03Z"}

// dates are the values of updatedAt: only version 2 demands a format.
var dates = map[string][]any{"1": {"2026-11-28T01:02:03.5Z", "yesterday", "", nil}, "2": {"2026-11-28T01:02:03+01:00", nil}}

func newGenerator(random *rand.Rand, version string) *generator {
	of := func(version string) *schema.Schema {
		if random.IntN(3) == 0 {
			return schema.Load()[version].Unstable
		}
		return schema.Load()[version].Stable
	}
	return &generator{Rand: random, version: version, schema: of(version), other: of(otherVersion[version]), pools: maps.Clone(pools)}
}

// pick returns one of these.
func pick[T any](g *rand.Rand, from []T) T { return from[g.IntN(len(from))] }

// named returns a value for the rule with a name.
func (g *generator) named(name string) any { return g.value(&schema.Rule{Ref: "#/$defs/" + name}) }

func (g *generator) value(r *schema.Rule) any {
	name := strings.TrimPrefix(r.Ref, "#/$defs/")
	if pool := g.pools[name]; pool != nil {
		return pick(g.Rand, pool)
	}
	rule := g.schema.Rules[name]
	switch {
	case name != "" && rule.Enum == nil && slices.Equal(rule.Types, []string{"string"}) && rule.MinLength == 0:
		return g.open(name)
	case isObject(g.schema, r):
		o := map[string]any{}
		g.depth++
		g.members(r, o, []float64{0, 0.2, 0.6, 1}[g.IntN(4)])
		g.depth--
		return o
	case name != "":
		return g.value(rule)
	case r.Any != nil:
		return g.value(pick(g.Rand, r.Any))
	case r.One != nil:
		return g.value(pick(g.Rand, r.One))
	case r.Enum != nil:
		return pick(g.Rand, r.Enum)
	case r.Types == nil:
		return pick(g.Rand, []any{nil, 1, "a", true, []any{}, map[string]any{"a": nil}})
	}
	return g.typed(r, pick(g.Rand, r.Types))
}

// open returns a string of a type that only the other version may restrict.
func (g *generator) open(name string) any {
	values := []any{"_x", "future", "cancelled", "paused"}
	if rule := g.other.Rules[name]; rule != nil {
		values = append(values, rule.Enum...)
	}
	if strings.HasSuffix(name, "Id") {
		values = []any{"a", "b"}
	}
	return pick(g.Rand, values)
}

// typed returns a value of one of the types of a rule.
func (g *generator) typed(r *schema.Rule, typ string) any {
	switch typ {
	case "null":
		return nil
	case "boolean":
		return g.IntN(2) == 0
	case "string":
		text := pick(g.Rand, texts).(string)
		if len(text) < r.MinLength {
			return "aaaa"
		}
		return text
	case "integer", "number":
		return g.number(r, typ)
	case "object":
		return map[string]any{}
	}
	list := []any{}
	for range r.MinItems + pick(g.Rand, []int{0, 0, 1, 1, 2}) {
		if g.depth > 8 && len(list) == r.MinItems {
			break
		}
		list = append(list, g.value(r.Items))
	}
	return list
}

func (g *generator) number(r *schema.Rule, typ string) any {
	values := []any{0, 1, 7, -1, 1 << 40}
	if typ == "number" {
		values = append(values, 0.5, -2.25)
	}
	if r.Min != nil {
		values = []any{*r.Min, *r.Min, *r.Min + 1, *r.Min + 70}
	}
	if r.Max != nil {
		values = append([]any{*r.Max}, values[:2]...)
	}
	return pick(g.Rand, values)
}

// isObject reports whether the values of a rule are objects.
func isObject(s *schema.Schema, r *schema.Rule) bool {
	switch {
	case r.Ref != "":
		return isObject(s, s.Rule(r.Ref))
	case r.Properties != nil, r.Tag != "", len(r.Types) == 1 && r.Types[0] == "object":
		return true
	}
	all := slices.Concat(r.Any, r.One)
	return len(all) > 0 && !slices.ContainsFunc(all, func(r *schema.Rule) bool { return !isObject(s, r) })
}

// members adds the members of a rule to an object: all that are required, and each other one with
// a chance.
func (g *generator) members(r *schema.Rule, o map[string]any, chance float64) {
	if r.Ref != "" {
		g.members(g.schema.Rule(r.Ref), o, chance)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Properties)) {
		isRequired := slices.Contains(r.Required, name)
		if name == r.Tag || !isRequired && (g.depth > 5 || g.Float64() >= chance) {
			continue
		}
		if o[name] = g.value(r.Properties[name]); name == "updatedAt" {
			o[name] = pick(g.Rand, dates[g.version])
		}
	}
	if r.Values != nil && r.Properties == nil {
		for _, name := range []string{"a", "b"}[:g.IntN(3)] {
			o[name] = g.value(r.Values)
		}
	}
	if r.Tag != "" {
		g.tag(r, o, chance)
	}
	for _, union := range [][]*schema.Rule{r.Any, r.One} {
		if union != nil {
			g.members(pick(g.Rand, union), o, chance)
		}
	}
}

// tag chooses the tag of an object, and adds the members of its alternative.
func (g *generator) tag(r *schema.Rule, o map[string]any, chance float64) {
	if _, isSet := o[r.Tag]; !isSet {
		tags := slices.Sorted(maps.Keys(r.Of))
		if r.Others != nil {
			tags = append(tags, "_x", "future")
		}
		o[r.Tag] = pick(g.Rand, tags)
	}
	if of := r.Chosen(o); of != nil {
		set := o[r.Tag]
		g.members(of, o, chance)
		o[r.Tag] = set
	}
}
