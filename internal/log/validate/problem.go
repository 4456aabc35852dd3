package validate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/chain/wire"
	"acpshim/internal/log/validate/schema"
	"acpshim/internal/text/spelling"
)

// maxProblems is how many problems of a value are kept.
const maxProblems = 20

// A problem is a place where a value breaks a rule.
type problem struct {
	at   string // a JSON pointer to the place, from the value
	text string

	types     []string // the types that the rule wants, if the value has none of them
	unknown   bool     // the value is a string that the rule does not list
	extension bool     // the value also begins with _
	isGone    bool     // the value is a string that older schemas list
	readers   string   // what readers do with such a value; "" if they refuse the message
}

// isNote reports whether the problem is surely not an error.
func (p problem) isNote() bool { return p.extension || p.isGone }

// mistyped returns the problem of a value that has none of the types.
func mistyped(v any, types []string) problem {
	return problem{types: types, text: fmt.Sprintf("want %s, have %s", strings.Join(types, " or "), kind(v))}
}

// missing returns the problem of an object without a required member.
func missing(name string) problem {
	return problem{text: fmt.Sprintf("%q is missing", name)}
}

// unknown returns the problem of a value that a rule does not list.
func unknown(v any, r *schema.Rule) problem {
	words := make([]string, len(r.Enum))
	var names []string
	for i, w := range r.Enum {
		words[i] = short(w)
		if name, ok := w.(string); ok {
			names = append(names, name)
		}
	}
	p := problem{text: "unknown value " + short(v)}
	switch {
	case len(words) == 1:
		p.text += ", want " + words[0]
	case len(words) <= 10: // a longer list would not help
		p.text += ", want one of " + strings.Join(words, ", ")
	}
	text, isString := v.(string)
	if hint := spelling.DidYouMean(text, names); hint != "" && len(words) > 1 {
		p.text += "; " + hint
	}
	p.unknown, p.extension = isString, strings.HasPrefix(text, "_")
	p.isGone = isString && slices.Contains(r.Gone, text)
	return p
}

// short returns a value in a few characters.
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

// within moves the problems of a member or item to the value around it. Readers is what readers do
// with a wrong member or item, unless they do something with a value inside of it.
func within(name string, found []problem, readers string) []problem {
	for i := range found {
		found[i].at = wire.Pointer{name}.String() + found[i].at
		found[i].readers = cmp.Or(found[i].readers, readers)
	}
	return found
}

// bounded returns at most maxProblems problems. It drops notes first, because they must not hide an
// error.
func bounded(found []problem) []problem {
	if len(found) <= maxProblems {
		return found
	}
	rank := func(p problem) int {
		if p.isNote() {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(found, func(a, b problem) int { return rank(a) - rank(b) })
	return found[:maxProblems]
}

// isFull reports whether bounded would drop all further problems.
func isFull(found []problem) bool {
	return len(found) >= maxProblems && !slices.ContainsFunc(found, problem.isNote)
}
