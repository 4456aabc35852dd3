package schema

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "generate schema.json from the published schemas")

// TestSchemas fails if schema.json was generated from other schemas than the published ones. They are
// not part of this repository: they are in schema, in the folder that ACPSHIM_SHARED names. With
// -update the test generates the file.
func TestSchemas(t *testing.T) {
	shared := os.Getenv("ACPSHIM_SHARED")
	if shared == "" {
		t.Skip("ACPSHIM_SHARED names no folder with schemas")
	}
	want, err := stripped(filepath.Join(shared, "schema"))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("schema.json"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("schema.json does not match the published schemas (%v): run ACPSHIM_SHARED=%s go test ./internal/history/validate/schema -update", err, shared)
	}
}

func TestUnknownKeyword(t *testing.T) {
	text := `{"1":{"stable":{"$defs":{"Error":{"type":["object"],"properties":{"code":{"multipleOf":2}}}}},"unstable":{}}}`
	if _, err := parse([]byte(text)); err == nil || !strings.Contains(err.Error(), `"multipleOf"`) {
		t.Errorf("error %v", err)
	}
}

// Each method has rules for its messages, and each rule that another one refers to exists.
func TestRulesAreThere(t *testing.T) {
	for version, v := range Load() {
		for _, s := range []*Schema{v.Stable, v.Unstable} {
			if len(s.Methods) < 15 || s.Rules["Error"] == nil {
				t.Errorf("version %s has %d methods", version, len(s.Methods))
			}
			for name, m := range s.Methods {
				if (m.Request == "") != (m.Result == "") || m.Request == "" && m.Notification == "" {
					t.Errorf("version %s: %s is %+v", version, name, m)
				}
			}
			for name, rule := range s.Rules {
				eachRef(rule, func(ref string) {
					if s.Rule(ref) == nil {
						t.Errorf("version %s: %s refers to %s, which does not exist", version, name, ref)
					}
				})
			}
		}
	}
}

func eachRef(r *Rule, do func(ref string)) {
	if r == nil {
		return
	}
	if r.Ref != "" {
		do(r.Ref)
	}
	below := slices.Concat(r.Any, r.One, []*Rule{r.Values, r.Items, r.Others}, slices.Collect(maps.Values(r.Properties)), slices.Collect(maps.Values(r.Of)))
	for _, rule := range below {
		eachRef(rule, do)
	}
}

// stripped returns the schemas of a folder in the form of schema.json.
func stripped(folder string) ([]byte, error) {
	var b bytes.Buffer
	for i, version := range []string{"1", "2"} {
		stable, err := readDefs(filepath.Join(folder, "v"+version, "schema.json"))
		if err != nil {
			return nil, err
		}
		unstable, err := readDefs(filepath.Join(folder, "v"+version, "schema.unstable.json"))
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(unstable, func(name string, def any) bool { return reflect.DeepEqual(def, stable[name]) })
		fmt.Fprintf(&b, "%s%q:{\n", []string{"{", ",\n"}[i], version)
		writeDefs(&b, "stable", stable)
		b.WriteString(",\n")
		writeDefs(&b, "unstable", unstable)
		b.WriteString("}")
	}
	b.WriteString("}\n")
	return b.Bytes(), nil
}

// writeDefs writes one definition a line, so that differences are easy to read.
func writeDefs(b *bytes.Buffer, name string, defs map[string]any) {
	fmt.Fprintf(b, "%q:{\"$defs\":{", name)
	for i, name := range slices.Sorted(maps.Keys(defs)) {
		text, _ := json.Marshal(defs[name])
		fmt.Fprintf(b, "%s\n%q:%s", []string{"", ","}[min(i, 1)], name, text)
	}
	b.WriteString("}}")
}

// readDefs returns the definitions that messages need, without prose.
func readDefs(file string) (map[string]any, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var source struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(text, &source); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	needed := map[string]any{}
	var need func(name string)
	need = func(name string) {
		if needed[name] == nil {
			needed[name] = true // it may need itself
			needed[name] = strip(source.Defs[name], need)
		}
	}
	need("Error")
	for name, def := range source.Defs {
		if def["x-method"] != nil {
			need(name)
		}
	}
	return needed, nil
}

// strip returns a schema without prose, each keyword in one spelling and each union in one form,
// and tells need which definitions it names.
func strip(source map[string]any, need func(name string)) map[string]any {
	rule := map[string]any{}
	for key, value := range source {
		switch key {
		case "title", "description", "default", "format", "contentEncoding", "discriminator", "x-docs-ignore":
			// prose, or what no reader insists on
		case "$ref":
			rule[key] = value
			need(strings.TrimPrefix(value.(string), "#/$defs/"))
		case "const":
			rule["enum"] = []any{value}
		case "type":
			if name, ok := value.(string); ok {
				value = []any{name}
			}
			rule[key] = value
		case "additionalProperties", "unevaluatedProperties":
			if value != true {
				rule["additionalProperties"] = strip(value.(map[string]any), need)
			}
		case "properties":
			members := map[string]any{}
			for name, member := range value.(map[string]any) {
				members[name] = strip(member.(map[string]any), need)
			}
			rule[key] = members
		case "items", "not":
			rule[key] = strip(value.(map[string]any), need)
		case "allOf", "anyOf", "oneOf":
			var all []any
			for _, one := range value.([]any) {
				all = append(all, strip(one.(map[string]any), need))
			}
			rule[key] = all
		default:
			rule[key] = value
		}
	}
	if all, _ := rule["allOf"].([]any); len(all) == 1 && rule["$ref"] == nil {
		if only := all[0].(map[string]any); len(only) == 1 && only["$ref"] != nil {
			rule["$ref"] = only["$ref"]
			delete(rule, "allOf")
		}
	}
	for _, union := range []string{"anyOf", "oneOf"} {
		if alternatives, ok := rule[union].([]any); ok {
			delete(rule, union)
			if rest := mergeObjects(rule, mergeValues(rule, alternatives)); len(rest) > 0 {
				rule[union] = rest
			}
		}
	}
	return rule
}

// mergeValues makes one rule of the alternatives that are only about types and values, and returns
// the others with it. If there are no others, the rule of the union gets what it says.
func mergeValues(union map[string]any, alternatives []any) (rest []any) {
	var types, enum []any
	for _, a := range alternatives {
		a := a.(map[string]any)
		switch {
		case len(a) == 1 && a["type"] != nil:
			types = append(types, a["type"].([]any)...)
		case len(a) == 2 && a["type"] != nil && a["enum"] != nil:
			enum = append(enum, a)
		default:
			rest = append(rest, a)
		}
	}
	var values []any
	for _, a := range enum {
		a := a.(map[string]any)
		if !slices.Contains(types, a["type"].([]any)[0]) {
			values = append(values, a["enum"].([]any)...)
		}
	}
	whole := len(rest) == 0 && (len(types) == 0 || len(values) == 0)
	for _, keyword := range []struct {
		name  string
		value []any
	}{{"type", types}, {"enum", values}} {
		switch {
		case len(keyword.value) == 0:
		case whole:
			union[keyword.name] = keyword.value
		default:
			rest = append(rest, map[string]any{keyword.name: keyword.value})
		}
	}
	return rest
}

// mergeObjects makes one rule of the alternatives that have a tag, which is a required member with
// one value, and of the alternative for all other tags. It returns what is left, with that rule
// first. If nothing is left, the rule of the union gets what it says.
func mergeObjects(union map[string]any, alternatives []any) (rest []any) {
	var tag string
	var tags []any
	of, others := map[string]any{}, map[string]any(nil)
	for _, a := range alternatives {
		a := a.(map[string]any)
		name, value := tagOf(a)
		switch {
		case name != "" && (tag == "" || tag == name) && of[value] == nil:
			tag, tags = name, append(tags, value)
			members := a["properties"].(map[string]any)
			required := slices.DeleteFunc(a["required"].([]any), func(r any) bool { return r == name })
			delete(members, name)
			delete(a, "type")
			if a["required"] = required; len(required) == 0 {
				delete(a, "required")
			}
			if len(members) == 0 {
				delete(a, "properties")
			}
			of[value] = a
		case a["not"] != nil && others == nil:
			others = a
		default:
			rest = append(rest, a)
		}
	}
	if tag == "" {
		return alternatives
	}
	rule := union
	if len(rest) > 0 {
		rule = map[string]any{}
		rest = slices.Insert(rest, 0, any(rule))
	}
	rule["type"], rule["x-tag"], rule["x-of"] = []any{"object"}, tag, of
	if others != nil {
		if not := others["not"].(map[string]any); not["x-tag"] != tag || len(not["x-of"].(map[string]any)) != len(of) {
			panic(fmt.Sprintf("want an alternative for all tags but %v, have %v", tags, not))
		}
		delete(others, "not")
		rule["x-others"] = others
		return rest
	}
	members, _ := rule["properties"].(map[string]any)
	if members == nil {
		members = map[string]any{}
	}
	required, _ := rule["required"].([]any)
	members[tag] = map[string]any{"enum": tags}
	rule["properties"], rule["required"] = members, append(required, tag)
	return rest
}

// tagOf returns the member by which an alternative is known, and its value.
func tagOf(rule map[string]any) (name, value string) {
	required, _ := rule["required"].([]any)
	for _, r := range required {
		members, _ := rule["properties"].(map[string]any)
		member, _ := members[r.(string)].(map[string]any)
		if enum, _ := member["enum"].([]any); len(enum) == 1 {
			value, _ := enum[0].(string)
			return r.(string), value
		}
	}
	return "", ""
}
