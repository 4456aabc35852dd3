package schema

import (
	"bytes"
	"encoding/json"
	"errors"
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

// TestSchemas fails if schema.json was generated from other schemas than the published ones. They
// are not part of this repository: they are in schema, in the folder that ACPSHIM_SHARED names.
// With -update the test generates the file.
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
	if r.Ref != "" {
		do(r.Ref)
	}
	eachChild(r, func(child *Rule) { eachRef(child, do) })
}

func eachChild(r *Rule, do func(child *Rule)) {
	for _, child := range slices.Concat(r.Any, r.One, []*Rule{r.Values, r.Items, r.Others}, slices.Collect(maps.Values(r.Properties)), slices.Collect(maps.Values(r.Of))) {
		if child != nil {
			do(child)
		}
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
		maps.DeleteFunc(unstable, func(name string, def *Rule) bool { return reflect.DeepEqual(def, stable[name]) })
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
func writeDefs(b *bytes.Buffer, name string, defs map[string]*Rule) {
	fmt.Fprintf(b, "%q:{\"$defs\":{", name)
	for i, name := range slices.Sorted(maps.Keys(defs)) {
		text, _ := json.Marshal(defs[name])
		fmt.Fprintf(b, "%s\n%q:%s", []string{"", ","}[min(i, 1)], name, text)
	}
	b.WriteString("}}")
}

// readDefs returns the definitions that messages need.
func readDefs(file string) (map[string]*Rule, error) {
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
	defs := map[string]*Rule{}
	var need func(name string) error
	need = func(name string) error {
		if defs[name] != nil {
			return nil
		}
		text, _ := json.Marshal(strip(source.Defs[name]))
		rule := &Rule{}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(rule); err != nil {
			return fmt.Errorf("%s: %s: %w", file, name, err)
		}
		simplify(rule)
		defs[name] = rule
		var err error
		eachRef(rule, func(ref string) { err = errors.Join(err, need(strings.TrimPrefix(ref, "#/$defs/"))) })
		return err
	}
	err = need("Error")
	for name, def := range source.Defs {
		if def["x-method"] != nil {
			err = errors.Join(err, need(name))
		}
	}
	return defs, err
}

// strip returns a schema without prose, and with one spelling of each keyword.
func strip(source map[string]any) map[string]any {
	rule := map[string]any{}
	for key, value := range source {
		switch key {
		case "title", "description", "default", "format", "contentEncoding", "discriminator", "x-docs-ignore":
			continue // prose, or what no reader insists on
		case "const":
			key, value = "enum", []any{value}
		case "type":
			if name, ok := value.(string); ok {
				value = []any{name}
			}
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
func simplify(r *Rule) {
	eachChild(r, simplify)
	r.Any = mergeTags(r, mergeValues(r, r.Any))
	r.One = mergeTags(r, mergeValues(r, r.One))
}

// mergeValues merges the alternatives that are only about types and values, and returns the others
// with them. If there are no others, the union itself becomes the merged rule.
func mergeValues(union *Rule, alternatives []*Rule) (rest []*Rule) {
	var types []string
	for _, a := range alternatives {
		if reflect.DeepEqual(a, &Rule{Types: a.Types}) {
			types = append(types, a.Types...)
		}
	}
	var enum []any
	for _, a := range alternatives {
		switch {
		case a.Types == nil || !reflect.DeepEqual(a, &Rule{Types: a.Types, Enum: a.Enum}):
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
		rest = append(rest, &Rule{Types: types})
	}
	if enum != nil {
		rest = append(rest, &Rule{Enum: enum})
	}
	return rest
}

// mergeTags merges the alternatives that have a tag, which is a required member with one value, and
// the alternative for all other tags. That one says in Others which tags it excludes. mergeTags
// returns the other alternatives with the merged one. If there are none, the union itself becomes
// the merged rule.
func mergeTags(union *Rule, alternatives []*Rule) (rest []*Rule) {
	merged := &Rule{Types: []string{"object"}, Of: map[string]*Rule{}}
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
		merged.Properties = map[string]*Rule{merged.Tag: {Enum: tags}}
	} else {
		if excluded := others.Others; excluded.Tag != merged.Tag || len(excluded.Of) != len(tags) {
			panic(fmt.Sprintf("want an alternative for all tags but %v, have one for all but %v", tags, excluded.Of))
		}
		others.Others = nil
	}
	if rest != nil {
		return append([]*Rule{merged}, rest...)
	}
	union.Types, union.Tag, union.Of, union.Others = merged.Types, merged.Tag, merged.Of, merged.Others
	union.Required = append(union.Required, merged.Required...)
	if union.Properties == nil {
		union.Properties = map[string]*Rule{}
	}
	maps.Copy(union.Properties, merged.Properties)
	return nil
}

// tagOf returns the member by which an alternative is known, and its value.
func tagOf(r *Rule) (name string, value any) {
	for _, name := range r.Required {
		if member := r.Properties[name]; member != nil && len(member.Enum) == 1 {
			return name, member.Enum[0]
		}
	}
	return "", nil
}
