package validate

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"acpshim/internal/history/validate/schema"
	"acpshim/internal/wire"
)

// A use is a place where a value has a name that not all schemas have: a member, a tag such as the
// kind of an update, or a string of a list.
type use struct {
	at      string // a JSON pointer to the place, from the value
	name    string
	isDraft bool   // only the unstable schema has the name; if false, older stable schemas do not have it
	of      string // a JSON pointer to the value that the name is for
}

// uses returns at most maxProblems uses in a value. The rule is one of an unstable schema.
func uses(s *schema.Schema, r *schema.Rule, v any) []use {
	u := useFinder{schema: s}
	u.find("", r, v)
	return u.found
}

// A useFinder collects uses.
type useFinder struct {
	schema *schema.Schema
	found  []use
}

// find adds the uses in a value at a place.
func (f *useFinder) find(at string, r *schema.Rule, v any) {
	if r == nil || len(f.found) >= maxProblems {
		return
	}
	if r.Ref != "" {
		f.find(at, f.schema.Rule(r.Ref), v)
	}
	switch v := v.(type) {
	case string:
		f.add(r, v, at, at)
	case []any:
		if r.Items == nil {
			break
		}
		for i, item := range v {
			f.find(at+"/"+strconv.Itoa(i), r.Items, item)
		}
	case map[string]any:
		if tag, ok := v[r.Tag].(string); ok && r.Tag != "" { // the rule or that of the member says who knows it
			f.add(cmp.Or(r.Properties[r.Tag], r), tag, below(at, r.Tag), at)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if rule := r.Properties[name]; name == r.Tag {
				continue
			} else if rule != nil {
				f.add(r, name, below(at, name), below(at, name))
				f.find(below(at, name), rule, v[name])
			} else {
				f.find(below(at, name), r.Values, v[name])
			}
		}
	}
	f.find(at, r.Chosen(v), v)
	for _, alternative := range slices.Concat(r.Any, r.One) {
		if len(check(f.schema, alternative, v)) == 0 {
			f.find(at, alternative, v)
		}
	}
}

// add adds a use of a name if the rule says that not all schemas have it.
func (f *useFinder) add(r *schema.Rule, name, at, of string) {
	isDraft := slices.Contains(r.Draft, name)
	if len(f.found) < maxProblems && (isDraft || slices.Contains(r.New, name)) {
		f.found = append(f.found, use{at: at, name: name, isDraft: isDraft, of: of})
	}
}

func below(at, name string) string { return at + wire.Pointer{name}.String() }
