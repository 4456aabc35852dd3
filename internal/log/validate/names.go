package validate

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"acpshim/internal/chain/wire"
	"acpshim/internal/log/validate/schema"
)

// A use is a place where a value has a name that not all schemas have: a member, a tag such as the
// kind of an update, or a string of a list.
type use struct {
	at      string // a JSON pointer to the place, from the value
	name    string
	isDraft bool   // only the unstable schema has the name; if not, older schemas do not have it
	of      string // a JSON pointer to the value that the name is for
}

// uses returns at most maxProblems uses in a value. The rule is one of an unstable schema.
func uses(s *schema.Schema, r *schema.Rule, v any) []use {
	f := useFinder{schema: s}
	f.find(r, v)
	return f.found
}

// A useFinder collects uses.
type useFinder struct {
	schema *schema.Schema
	at     wire.Pointer // where it is
	found  []use
}

// find adds the uses in a value.
func (f *useFinder) find(r *schema.Rule, v any) {
	if r == nil || len(f.found) >= maxProblems {
		return
	}
	if r.Ref != "" {
		f.find(f.schema.Rule(r.Ref), v)
	}
	switch v := v.(type) {
	case string:
		f.add(r, v, f.at, f.at)
	case []any:
		if r.Items == nil {
			break
		}
		for i, item := range v {
			f.within(strconv.Itoa(i), func() { f.find(r.Items, item) })
		}
	case map[string]any:
		f.findMembers(r, v)
	}
	f.find(r.Chosen(v), v)
	for _, alternative := range slices.Concat(r.Any, r.One) {
		if len(check(f.schema, alternative, v)) == 0 {
			f.find(alternative, v)
		}
	}
}

// findMembers adds the uses in the members of an object.
func (f *useFinder) findMembers(r *schema.Rule, v map[string]any) {
	if r.Properties == nil && r.Values == nil && r.Tag == "" {
		return
	}
	names := slices.AppendSeq(make([]string, 0, len(v)), maps.Keys(v))
	slices.Sort(names)
	for _, name := range names {
		rule := r.Properties[name]
		f.within(name, func() {
			switch tag, isTag := v[name].(string); {
			case isTag && name == r.Tag: // the rule or that of the member says who knows it
				f.add(cmp.Or(rule, r), tag, f.at, f.at[:len(f.at)-1])
			case rule != nil:
				f.add(r, name, f.at, f.at)
				f.find(rule, v[name])
			default:
				f.find(r.Values, v[name])
			}
		})
	}
}

// within calls do at a member or item.
func (f *useFinder) within(name string, do func()) {
	f.at = append(f.at, name)
	do()
	f.at = f.at[:len(f.at)-1]
}

// add adds a use of a name if the rule says that not all schemas have it.
func (f *useFinder) add(r *schema.Rule, name string, at, of wire.Pointer) {
	isDraft := slices.Contains(r.Draft, name)
	if len(f.found) < maxProblems && (isDraft || slices.Contains(r.New, name)) {
		f.found = append(f.found, use{at: at.String(), name: name, isDraft: isDraft, of: of.String()})
	}
}
