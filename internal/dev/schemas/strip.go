package schemas

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"acpshim/internal/log/validate/schema"
)

// strip returns a schema without prose, and with one spelling of each keyword.
func strip(source map[string]any) map[string]any {
	rule := map[string]any{}
	for key, value := range source {
		switch key {
		case "title", "description", "default", "format", "contentEncoding", "discriminator", "x-docs-ignore", "x-scope", "x-state":
			continue // prose, or what no reader insists on
		case "const":
			key, value = "enum", []any{value}
		case "type":
			if name, ok := value.(string); ok {
				value = []any{name}
			}
		case "propertyNames": // {"not": …} says which names are not allowed
			names := strip(value.(map[string]any)["not"].(map[string]any))
			key, value = "x-without", names["enum"]
		case "unevaluatedProperties":
			key = "additionalProperties"
		case "not": // see mergeTags
			key = "x-others"
		}
		switch v := value.(type) {
		case map[string]any:
			if key != "properties" {
				value = strip(v)
				break
			}
			for name, member := range v {
				v[name] = strip(member.(map[string]any))
			}
		case []any:
			for i, item := range v {
				if schema, ok := item.(map[string]any); ok {
					v[i] = strip(schema)
				}
			}
		}
		if key != "additionalProperties" || value != true {
			rule[key] = value
		}
	}
	if all, _ := rule["allOf"].([]any); len(all) == 1 && rule["$ref"] == nil {
		if only := all[0].(map[string]any); len(only) == 1 && only["$ref"] != nil {
			rule["$ref"] = only["$ref"]
			delete(rule, "allOf")
		}
	}
	return rule
}

// simplify gives each union in a rule one form.
func simplify(r *schema.Rule) {
	for _, child := range children(r) {
		simplify(child)
	}
	r.Any = mergeTags(r, mergeValues(r, r.Any))
	r.One = mergeTags(r, mergeValues(r, r.One))
}

// mergeValues merges the alternatives that are only about types and values, and returns the others
// with them. If there are no others, the union itself becomes the merged rule.
func mergeValues(union *schema.Rule, alternatives []*schema.Rule) (rest []*schema.Rule) {
	var types []string
	for _, a := range alternatives {
		if reflect.DeepEqual(a, &schema.Rule{Types: a.Types}) {
			types = append(types, a.Types...)
		}
	}
	var enum []any
	for _, a := range alternatives {
		switch {
		case a.Types == nil || !reflect.DeepEqual(a, &schema.Rule{Types: a.Types, Enum: a.Enum}):
			rest = append(rest, a)
		case !slices.Contains(types, a.Types[0]):
			enum = append(enum, a.Enum...)
		}
	}
	if rest == nil && (types == nil) != (enum == nil) {
		union.Types, union.Enum = types, enum
		return nil
	}
	if types != nil {
		rest = append(rest, &schema.Rule{Types: types})
	}
	if enum != nil {
		rest = append(rest, &schema.Rule{Enum: enum})
	}
	return rest
}

// mergeTags merges the alternatives that have a tag, which is a required member with one value, and
// the alternative for all other tags. That one says in Others which tags it excludes. mergeTags
// returns the other alternatives with the merged one. If the merged one is the only alternative,
// the union itself becomes the merged rule.
func mergeTags(union *schema.Rule, alternatives []*schema.Rule) (rest []*schema.Rule) {
	merged := &schema.Rule{Types: []string{"object"}, Of: map[string]*schema.Rule{}}
	var tags []any
	for _, a := range alternatives {
		switch tag, value := tagOf(a); {
		case value != nil && (tags == nil || tag == merged.Tag):
			merged.Tag, tags = tag, append(tags, value)
			merged.Of[value.(string)] = a
			a.Types = nil
			a.Required = slices.DeleteFunc(a.Required, func(name string) bool { return name == tag })
			delete(a.Properties, tag)
		case a.Others != nil && a.Tag == "":
			merged.Others = a
		default:
			rest = append(rest, a)
		}
	}
	if tags == nil {
		return alternatives
	}
	if others := merged.Others; others == nil {
		merged.Required = []string{merged.Tag}
		merged.Properties = map[string]*schema.Rule{merged.Tag: {Enum: tags}}
	} else {
		if excluded := others.Others; excluded.Tag != merged.Tag || len(excluded.Of) != len(tags) {
			panic(fmt.Sprintf("want an alternative for all tags but %v, have one for all but %v", tags, excluded.Of))
		}
		others.Others = nil
	}
	if rest != nil {
		return append([]*schema.Rule{merged}, rest...)
	}
	union.Types, union.Tag, union.Of, union.Others = merged.Types, merged.Tag, merged.Of, merged.Others
	union.Required = append(union.Required, merged.Required...)
	if union.Properties == nil {
		union.Properties = map[string]*schema.Rule{}
	}
	maps.Copy(union.Properties, merged.Properties)
	return nil
}

// tagOf returns the member by which an alternative is known, and its value.
func tagOf(r *schema.Rule) (name string, value any) {
	for _, name := range r.Required {
		if member := r.Properties[name]; member != nil && len(member.Enum) == 1 {
			return name, member.Enum[0]
		}
	}
	return "", nil
}
