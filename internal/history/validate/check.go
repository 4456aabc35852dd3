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

	"acpshim/internal/history/validate/schema"
	"acpshim/internal/terminal"
)

// maxProblems is how many problems of a value are returned.
const maxProblems = 20

// A problem is a place where a value breaks a rule.
type problem struct {
	at   string // a JSON pointer
	text string

	types     []string // the types that the rule wants, if the value has none of them
	unknown   bool     // the value is a string that is not one of those that the rule has
	extension bool     // so is this, and it begins with _
	readers   string   // what readers do about it; "" if they refuse the message
}

// check returns the places where a value breaks a rule. The value is one that json.Decoder decodes
// with UseNumber. The result is empty if and only if the value satisfies the rule.
func check(s *schema.Schema, r *schema.Rule, v any, at string) (found []problem) {
	if r.Ref != "" {
		found = check(s, s.Rule(r.Ref), v, at)
	}
	if len(r.Types) > 0 && !slices.ContainsFunc(r.Types, func(t string) bool { return is(v, t) }) {
		return append(found, mistyped(v, r.Types, at))
	}
	if r.Enum != nil && !slices.ContainsFunc(r.Enum, func(e any) bool { return equal(v, e) }) {
		found = append(found, unknown(v, r.Enum, at))
	}
	switch v := v.(type) {
	case json.Number:
		found = append(found, checkNumber(r, v, at)...)
	case string:
		if utf8.RuneCountInString(v) < r.MinLength {
			found = append(found, problem{at: at, text: "want a string of at least " + terminal.Count(r.MinLength, "character", "characters")})
		}
	case []any:
		found = append(found, checkArray(s, r, v, at)...)
	case map[string]any:
		found = append(found, checkObject(s, r, v, at)...)
	}
	if chosen := r.Chosen(v); chosen != nil {
		found = append(found, check(s, chosen, v, at)...)
	}
	if r.Any != nil {
		found = append(found, checkUnion(s, r.Any, false, v, at)...)
	}
	if r.One != nil {
		found = append(found, checkUnion(s, r.One, true, v, at)...)
	}
	return bounded(found)
}

// bounded leaves the most that are returned, extensions last: they are no errors, and must
// not hide one.
func bounded(found []problem) []problem {
	if len(found) <= maxProblems {
		return found
	}
	slices.SortStableFunc(found, func(a, b problem) int {
		switch {
		case a.extension == b.extension:
			return 0
		case b.extension:
			return -1
		}
		return 1
	})
	return found[:maxProblems]
}

// full reports whether nothing that follows would be returned.
func full(found []problem) bool {
	return len(found) >= maxProblems && !slices.ContainsFunc(found, func(p problem) bool { return p.extension })
}

func checkNumber(r *schema.Rule, v json.Number, at string) (found []problem) {
	n, _ := strconv.ParseFloat(string(v), 64) // infinite if it is too large
	if r.Min != nil && n < *r.Min {
		found = append(found, problem{at: at, text: fmt.Sprintf("want at least %v, have %s", *r.Min, short(v))})
	}
	if r.Max != nil && n > *r.Max {
		found = append(found, problem{at: at, text: fmt.Sprintf("want at most %v, have %s", *r.Max, short(v))})
	}
	return found
}

func checkArray(s *schema.Schema, r *schema.Rule, v []any, at string) (found []problem) {
	if len(v) < r.MinItems {
		found = append(found, problem{at: at, text: "want at least " + terminal.Count(r.MinItems, "item", "items")})
	}
	if r.Items == nil {
		return found
	}
	for i, item := range v {
		if full(found) {
			break
		}
		p := check(s, r.Items, item, at+"/"+strconv.Itoa(i))
		if r.SkipInvalid {
			p = forgiven(p, "leave the item out")
		}
		found = bounded(append(found, p...))
	}
	return found
}

// checkObject checks the members that a rule names, and the others by their rule.
func checkObject(s *schema.Schema, r *schema.Rule, v map[string]any, at string) (found []problem) {
	for _, name := range r.Required {
		if _, ok := v[name]; !ok {
			found = append(found, problem{at: at, text: fmt.Sprintf("%q is missing", name)})
		}
	}
	if r.Properties == nil && r.Values == nil {
		return found
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		rule := cmp.Or(r.Properties[name], r.Values)
		if rule == nil || full(found) {
			continue
		}
		p := check(s, rule, v[name], at+"/"+escape(name))
		if rule.DefaultOnError || rule.DefaultOnNull && v[name] == nil {
			p = forgiven(p, "take the default")
		}
		found = bounded(append(found, p...))
	}
	return found
}

// forgiven are problems about which readers do something, unless they did within.
func forgiven(found []problem, readers string) []problem {
	for i := range found {
		if found[i].readers == "" {
			found[i].readers = readers
		}
	}
	return found
}

// checkUnion checks that a value satisfies one of the alternatives, or at least one. If it satisfies
// none, the problems are those of the nearest alternative: one that is for the value's type and tag,
// and has the fewest problems.
func checkUnion(s *schema.Schema, alternatives []*schema.Rule, exactlyOne bool, v any, at string) (nearest []problem) {
	satisfied := 0
	var types []string
	for _, r := range alternatives {
		found := check(s, r, v, at)
		switch {
		case len(found) == 0:
			if satisfied++; !exactlyOne {
				return nil
			}
		case found[0].types != nil && found[0].at == at:
			types = append(types, found[0].types...)
		case r.Tag != "" && r.Chosen(v) == nil: // the tag is missing, or one of another alternative
		case nearest == nil || len(found) < len(nearest):
			nearest = found
		}
	}
	switch {
	case satisfied == 1:
		return nil
	case satisfied > 1:
		return []problem{{at: at, text: "matches more than one alternative, want exactly one"}}
	case nearest != nil:
		return nearest
	}
	return []problem{mistyped(v, slices.Compact(types), at)}
}

// mistyped returns the problem of a value that has none of the types.
func mistyped(v any, types []string, at string) problem {
	return problem{at: at, types: types, text: fmt.Sprintf("want %s, have %s", strings.Join(types, " or "), kind(v))}
}

// unknown returns the problem of a value that is not one of those that are known.
func unknown(v any, known []any, at string) problem {
	words := make([]string, len(known))
	for i, w := range known {
		words[i] = short(w)
	}
	p := problem{at: at, text: "unknown value " + short(v)}
	switch {
	case len(words) == 1:
		p.text += ", want " + words[0]
	case len(words) <= 10: // a longer list would not help
		p.text += ", want one of " + strings.Join(words, ", ")
	}
	text, isString := v.(string)
	p.unknown, p.extension = isString, strings.HasPrefix(text, "_")
	return p
}

// is reports whether a value is of a type of JSON Schema.
func is(v any, typ string) bool {
	n, number := v.(json.Number)
	if typ == "integer" && number {
		f, _ := strconv.ParseFloat(string(n), 64)
		return f == math.Trunc(f)
	}
	return kind(v) == typ
}

// kind is the type of a value.
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

// equal compares a value with one of a schema, where numbers are float64.
func equal(v, want any) bool {
	if n, ok := v.(json.Number); ok {
		f, err := strconv.ParseFloat(string(n), 64)
		return err == nil && f == want
	}
	text, ok := v.(string)
	return ok && text == want
}

// short is a value in few characters.
func short(v any) string {
	switch v := v.(type) {
	case string:
		if runes := []rune(v); len(runes) > 40 {
			return strconv.Quote(string(runes[:40])) + "…"
		}
		return strconv.Quote(v)
	case json.Number:
		return string(v[:min(len(v), 40)])
	case float64, bool:
		return fmt.Sprint(v)
	case nil:
		return "null"
	}
	return "of type " + kind(v)
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func escape(name string) string { return pointerEscaper.Replace(name) }
