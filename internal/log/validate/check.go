package validate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"acpshim/internal/log/validate/schema"
	"acpshim/internal/text/terminal"
)

// check returns the places where a value breaks a rule. The value is one that json.Decoder decodes
// with UseNumber. The result is empty if and only if the value satisfies the rule.
func check(s *schema.Schema, r *schema.Rule, v any) (found []problem) {
	if r.Ref != "" {
		found = check(s, s.Rule(r.Ref), v)
	}
	if len(r.Types) > 0 && !slices.ContainsFunc(r.Types, func(t string) bool { return is(v, t) }) {
		return append(found, mistyped(v, r.Types))
	}
	if r.Enum != nil && !slices.ContainsFunc(r.Enum, func(e any) bool { return equal(v, e) }) {
		found = append(found, unknown(v, r))
	}
	switch v := v.(type) {
	case json.Number:
		found = append(found, checkNumber(r, v)...)
	case string:
		if utf8.RuneCountInString(v) < r.MinLength {
			found = append(found, problem{text: "want a string of at least " + terminal.Count(r.MinLength, "character", "characters")})
		}
		if r.MaxLength > 0 && utf8.RuneCountInString(v) > r.MaxLength {
			found = append(found, problem{text: "want a string of at most " + terminal.Count(r.MaxLength, "character", "characters")})
		}
	case []any:
		found = append(found, checkArray(s, r, v)...)
	case map[string]any:
		found = append(found, checkObject(s, r, v)...)
	}
	if chosen := r.Chosen(v); chosen != nil {
		found = append(found, check(s, chosen, v)...)
	}
	if r.Any != nil {
		found = append(found, checkUnion(s, r.Any, false, v)...)
	}
	if r.One != nil {
		found = append(found, checkUnion(s, r.One, true, v)...)
	}
	return bounded(found)
}

func checkNumber(r *schema.Rule, v json.Number) (found []problem) {
	n, _ := strconv.ParseFloat(string(v), 64) // infinite if it is too large
	if r.Min != nil && n < *r.Min {
		found = append(found, problem{text: fmt.Sprintf("want at least %v, have %s", *r.Min, short(v))})
	}
	if r.Max != nil && n > *r.Max {
		found = append(found, problem{text: fmt.Sprintf("want at most %v, have %s", *r.Max, short(v))})
	}
	return found
}

func checkArray(s *schema.Schema, r *schema.Rule, v []any) (found []problem) {
	if len(v) < r.MinItems {
		found = append(found, problem{text: "want at least " + terminal.Count(r.MinItems, "item", "items")})
	}
	if r.Items == nil {
		return found
	}
	readers := ""
	if r.SkipInvalid {
		readers = "skip the item"
	}
	for i, item := range v {
		if isFull(found) {
			break
		}
		found = bounded(append(found, within(strconv.Itoa(i), check(s, r.Items, item), readers)...))
	}
	return found
}

// checkObject checks which members are there, and checks each member by its rule.
func checkObject(s *schema.Schema, r *schema.Rule, v map[string]any) (found []problem) {
	for _, name := range r.Required {
		if _, ok := v[name]; !ok {
			found = append(found, missing(name))
		}
	}
	for _, name := range r.Without {
		if _, ok := v[name]; ok {
			found = append(found, problem{text: fmt.Sprintf("%q is not allowed here", name)})
		}
	}
	if r.Properties == nil && r.Values == nil {
		return found
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		rule := cmp.Or(r.Properties[name], r.Values)
		if rule == nil || isFull(found) {
			continue
		}
		readers := ""
		if rule.DefaultOnError || rule.DefaultOnNull && v[name] == nil {
			readers = "use the default"
		}
		found = bounded(append(found, within(name, check(s, rule, v[name]), readers)...))
	}
	return found
}

// checkUnion checks that a value satisfies one of the alternatives, or at least one. If it
// satisfies none, the problems are those of the nearest alternative: one that is for the value's
// type and tag, and whose problems are nearer.
func checkUnion(s *schema.Schema, alternatives []*schema.Rule, exactlyOne bool, v any) (nearest []problem) {
	satisfied := 0
	var types []string
	for _, r := range alternatives {
		found := check(s, r, v)
		switch {
		case len(found) == 0:
			if satisfied++; !exactlyOne {
				return nil
			}
		case found[0].types != nil && found[0].at == "":
			types = append(types, found[0].types...)
		case r.Tag != "" && r.Chosen(v) == nil: // the tag is missing, or one of another alternative
		case nearest == nil || slices.Compare(depths(found), depths(nearest)) < 0:
			nearest = found
		}
	}
	switch {
	case satisfied == 1:
		return nil
	case satisfied > 1:
		return []problem{{text: "matches more than one alternative, want exactly one"}}
	case nearest != nil:
		return nearest
	}
	return []problem{mistyped(v, slices.Compact(types))}
}

// depths returns how many problems are at each depth of a value. A value is nearer to a rule if
// fewer of its outer members are wrong: a group of options in which an option is wrong is a group,
// and not an option without a value.
func depths(found []problem) (counts []int) {
	for _, p := range found {
		at := strings.Count(p.at, "/")
		for len(counts) <= at {
			counts = append(counts, 0)
		}
		counts[at]++
	}
	return counts
}

// is reports whether a value has a type of JSON Schema.
func is(v any, typ string) bool {
	n, number := v.(json.Number)
	if typ == "integer" && number {
		f, _ := strconv.ParseFloat(string(n), 64)
		return f == math.Trunc(f)
	}
	return kind(v) == typ
}

// kind returns the type of a value.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// equal compares a value with a value in a schema, where numbers are float64.
func equal(v, want any) bool {
	if n, ok := v.(json.Number); ok {
		f, err := strconv.ParseFloat(string(n), 64)
		return err == nil && f == want
	}
	text, ok := v.(string)
	return ok && text == want
}
