// Command generate makes the table of the protocol's schemas: generate SCHEMAS FILE,
// where SCHEMAS has v1/schema.json, v1/schema.unstable.json and so on.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"acpshim/internal/history/validate/table"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: generate SCHEMAS FILE")
		os.Exit(2)
	}
	text, err := generate(os.Args[1])
	if err == nil {
		err = os.WriteFile(os.Args[2], text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// generate returns the table of the schemas in a folder, a rule or method a line.
func generate(folder string) ([]byte, error) {
	t := table.Table{}
	for _, version := range []string{"1", "2"} {
		stable, err := read(filepath.Join(folder, "v"+version, "schema.json"))
		if err != nil {
			return nil, err
		}
		unstable, err := read(filepath.Join(folder, "v"+version, "schema.unstable.json"))
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(unstable.Methods, func(name string, m *table.Method) bool { return reflect.DeepEqual(m, stable.Methods[name]) })
		maps.DeleteFunc(unstable.Rules, func(name string, r *table.Rule) bool { return reflect.DeepEqual(r, stable.Rules[name]) })
		t[version] = &table.Version{Stable: stable, Unstable: unstable}
	}
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	return append(broken(text), '\n'), nil
}

// broken is JSON with a line for each member of the fourth level, for a diff to read.
func broken(text []byte) []byte {
	var out []byte
	depth, quoted := 0, false
	for i, c := range text {
		out = append(out, c)
		switch {
		case c == '"' && text[i-1] != '\\':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; c == '{' && depth <= 4 {
				out = append(out, '\n')
			}
		case c == '}' || c == ']':
			depth--
		case c == ',' && depth <= 4:
			out = append(out, '\n')
		}
	}
	return out
}

// read takes a schema's rules for messages, and what they need.
func read(file string) (*table.Schema, error) {
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
	r := reader{defs: source.Defs, schema: &table.Schema{Methods: map[string]*table.Method{}, Rules: map[string]*table.Rule{}}}
	r.need("Error")
	for _, name := range slices.Sorted(maps.Keys(source.Defs)) {
		r.method(name)
	}
	if r.err != nil {
		return nil, fmt.Errorf("%s: %w", file, r.err)
	}
	return r.schema, nil
}

type reader struct {
	defs   map[string]map[string]any
	schema *table.Schema
	err    error // the first one
}

func (r *reader) method(name string) {
	method, _ := r.defs[name]["x-method"].(string)
	if method == "" {
		return
	}
	handler, _ := r.defs[name]["x-side"].(string)
	m := r.schema.Methods[method]
	if m == nil {
		m = &table.Method{}
		r.schema.Methods[method] = m
	}
	switch {
	case strings.HasSuffix(name, "Request"):
		m.Request, m.Handler = name, handler
	case strings.HasSuffix(name, "Response"):
		m.Result = name
	case strings.HasSuffix(name, "Notification"):
		m.Notification, m.NotificationHandler = name, handler
	default:
		r.fail("%s: neither request, response nor notification", name)
	}
	r.need(name)
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *reader) need(name string) {
	if r.schema.Rules[name] != nil {
		return
	}
	def, ok := r.defs[name]
	if !ok {
		r.fail("there is no type %q", name)
		return
	}
	r.schema.Rules[name] = &table.Rule{} // it may need itself
	r.schema.Rules[name] = r.rule(name, def)
}

// rule takes what matters of a schema. A keyword that it does not know is an error:
// what it means would be lost.
func (r *reader) rule(at string, value any) *table.Rule {
	source, ok := value.(map[string]any)
	if !ok {
		r.fail("%s: want a schema, have %v", at, value)
		return nil
	}
	rule := &table.Rule{}
	for _, key := range slices.Sorted(maps.Keys(source)) {
		value, at := source[key], at+"/"+key
		switch key {
		case "title", "description", "default", "format", "contentEncoding", "discriminator", "x-docs-ignore", "x-side", "x-method":
			// prose, or what no reader insists on
		case "$ref":
			name, _ := strings.CutPrefix(value.(string), "#/$defs/")
			rule.Ref = name
			r.need(name)
		case "type":
			if one, ok := value.(string); ok {
				value = []any{one}
			}
			for _, name := range value.([]any) {
				rule.Types = append(rule.Types, name.(string))
			}
		case "const":
			rule.Enum = []any{value}
		case "enum":
			rule.Enum = value.([]any)
		case "properties":
			rule.Properties = map[string]*table.Rule{}
			for name, property := range value.(map[string]any) {
				rule.Properties[name] = r.rule(at+"/"+name, property)
			}
		case "required":
			for _, name := range value.([]any) {
				rule.Required = append(rule.Required, name.(string))
			}
		case "additionalProperties", "unevaluatedProperties":
			if value != true {
				rule.Values = r.rule(at, value)
			}
		case "items":
			rule.Items = r.rule(at, value)
		case "minItems":
			rule.MinItems = int(value.(float64))
		case "minLength":
			rule.MinLength = int(value.(float64))
		case "minimum":
			rule.Min = new(value.(float64))
		case "maximum":
			rule.Max = new(value.(float64))
		case "allOf":
			rule.All = r.rules(at, value)
		case "anyOf":
			rule.Any = r.rules(at, value)
		case "oneOf":
			rule.One = r.rules(at, value)
		case "not":
			rule.Not = r.rule(at, value)
		case "x-deserialize-default-on-error":
			rule.DefaultOnError = value == true
		case "x-deserialize-skip-invalid-items":
			rule.SkipInvalid = value == true
		case "x-deserialize-default-on-null":
			rule.DefaultOnNull = value == true
		default:
			r.fail("%s: unknown keyword", at)
		}
	}
	if len(rule.All) == 1 && rule.Ref == "" && reflect.DeepEqual(*rule.All[0], table.Rule{Ref: rule.All[0].Ref}) {
		rule.Ref, rule.All = rule.All[0].Ref, nil
	}
	return rule
}

func (r *reader) rules(at string, value any) (rules []*table.Rule) {
	for i, one := range value.([]any) {
		rules = append(rules, r.rule(fmt.Sprintf("%s/%d", at, i), one))
	}
	return rules
}
