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

// most is how many problems of a value are returned.
const most = 20

// A problem is one place where a value is not what a rule says.
type problem struct {
	at   string // a JSON pointer
	text string

	tag       bool   // an unknown value where the alternatives of a union have their names
	extension bool   // an unknown value that begins with _
	readers   string // what readers do about it by the schema; "" is to refuse the message
}

// check returns where a value, as json.Decoder.UseNumber decodes it, breaks a rule: none
// if and only if it keeps it.
func check(s *schema.Schema, r *schema.Rule, v any, at string) (found []problem) {
	if r.Ref != "" {
		found = check(s, s.Rule(r.Ref), v, at)
	}
	if len(r.Types) > 0 && !slices.ContainsFunc(r.Types, func(t string) bool { return is(v, t) }) {
		return append(found, problem{at: at, text: fmt.Sprintf("want %s, have %s", strings.Join(r.Types, " or "), kind(v))})
	}
	if r.Enum != nil && !slices.ContainsFunc(r.Enum, func(e any) bool { return equal(v, e) }) {
		found = append(found, unknown(at, v, r.Enum))
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
	for _, all := range r.All {
		found = append(found, check(s, all, v, at)...)
	}
	if r.Any != nil {
		found = append(found, checkUnion(s, r.Any, false, v, at)...)
	}
	if r.One != nil {
		found = append(found, checkUnion(s, r.One, true, v, at)...)
	}
	if r.Not != nil && len(check(s, r.Not, v, at)) == 0 {
		found = append(found, problem{at: at, text: "is what it must not be"})
	}
	return bounded(found)
}

// bounded leaves the most that are returned, extensions last: they are no errors, and must
// not hide one.
func bounded(found []problem) []problem {
	if len(found) <= most {
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
	return found[:most]
}

// full reports whether nothing that follows would be returned.
func full(found []problem) bool {
	return len(found) >= most && !slices.ContainsFunc(found, func(p problem) bool { return p.extension })
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

// checkUnion checks alternatives: at least one has to be kept, or exactly one. Where none
// is, the problems are those with the one that was meant.
func checkUnion(s *schema.Schema, alternatives []*schema.Rule, one bool, v any, at string) []problem {
	kept, of := 0, make([][]problem, len(alternatives))
	object, isObject := v.(map[string]any)
	for i, r := range alternatives {
		if name, value := tagOf(r); name != "" && isObject && !equal(object[name], value) {
			of[i] = []problem{{at: at, text: "is another"}} // no need to look at the rest
			continue
		}
		if of[i] = check(s, r, v, at); len(of[i]) == 0 {
			if kept++; !one {
				return nil
			}
		}
	}
	switch kept {
	case 0:
		return explain(s, alternatives, of, v, at)
	case 1:
		return nil
	}
	return []problem{{at: at, text: "is more than one of what it may be"}}
}

// explain returns what is wrong with a value that keeps none of the alternatives, given the
// problems with each: those with the one that its tag names, that its tag names none, or
// those with the nearest one.
func explain(s *schema.Schema, alternatives []*schema.Rule, of [][]problem, v any, at string) []problem {
	object, isObject := v.(map[string]any)
	tag, values := "", []any(nil)
	var nearest []problem
	closed := true // but for null, the constants are all that there is
	for i, r := range alternatives {
		name, value := tagOf(r)
		switch {
		case name == "":
			enum := enumOf(s, r)
			values = append(values, enum...)
			closed = closed && (enum != nil || slices.Equal(r.Types, []string{"null"}))
			if !mistyped(of[i], at) && (nearest == nil || len(of[i]) < len(nearest)) {
				nearest = of[i]
			}
		case equal(object[name], value):
			return of[i]
		default:
			tag, values = name, append(values, value)
		}
	}
	switch {
	case tag != "" && isObject && nearest == nil:
		return []problem{unknownTag(object, tag, values, at)}
	case tag == "" && values != nil && closed:
		return []problem{unknown(at, v, values)}
	case nearest != nil:
		return nearest
	}
	return []problem{{at: at, text: fmt.Sprintf("want %s, have %s", strings.Join(wantedTypes(of), " or "), kind(v))}}
}

// unknownTag is about an object whose tag names none of the alternatives.
func unknownTag(object map[string]any, tag string, values []any, at string) problem {
	value, ok := object[tag]
	if !ok {
		return problem{at: at, text: fmt.Sprintf("%q is missing", tag)}
	}
	p := unknown(at+"/"+escape(tag), value, values)
	_, p.tag = value.(string) // no version will have a tag of another type
	return p
}

// wantedTypes are the types that each alternative says that it wants.
func wantedTypes(of [][]problem) []string {
	wants := []string{}
	for _, found := range of {
		if want, _, ok := strings.Cut(strings.TrimPrefix(found[0].text, "want "), ", have"); ok && !slices.Contains(wants, want) {
			wants = append(wants, want)
		}
	}
	return wants
}

// mistyped reports whether a value is not even of the type.
func mistyped(found []problem, at string) bool {
	return slices.ContainsFunc(found, func(p problem) bool { return p.at == at && strings.HasPrefix(p.text, "want ") })
}

// tagOf returns the member by which an alternative of a union is known, and
// its value.
func tagOf(r *schema.Rule) (name string, value any) {
	for _, name := range r.Required {
		if p := r.Properties[name]; p != nil && len(p.Enum) == 1 {
			return name, p.Enum[0]
		}
	}
	return "", nil
}

// enumOf returns the values that a rule allows, if it is about nothing else.
func enumOf(s *schema.Schema, r *schema.Rule) []any {
	for r.Ref != "" && r.Enum == nil && r.Any == nil && r.One == nil {
		r = s.Rule(r.Ref)
	}
	values := slices.Clone(r.Enum)
	for _, alternative := range slices.Concat(r.Any, r.One) {
		values = append(values, enumOf(s, alternative)...)
	}
	return values
}

// unknown is about a value that is none of those that it may be.
func unknown(at string, v any, want []any) problem {
	words := make([]string, len(want))
	for i, w := range want {
		words[i] = short(w)
	}
	p := problem{at: at, text: "unknown value " + short(v)}
	switch {
	case len(words) == 1:
		p.text += ", want " + words[0]
	case len(words) <= 10: // more is no help to a reader
		p.text += ", want one of " + strings.Join(words, ", ")
	}
	if text, ok := v.(string); ok && strings.HasPrefix(text, "_") {
		p.extension = true
	}
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
