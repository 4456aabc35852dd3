package paths

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
)

// left are the properties with a path or a URI that are not places, and why. They are ends of
// pointers.
var left = map[string]string{
	"/mcpServers/*/command": "the agent starts it where it is: whoever writes it has to know that machine",
	"/mcpServers/*/url":     "a web address",
	"/params/url":           "a web address that is opened in a browser",
	"/baseUrl":              "a web address",
	"/params/sessionId":     "an id; only its description speaks of folders",
	"/params/archived":      "which sessions are listed; only its description speaks of paths",
}

// It compares places with the schemas of version 1 in ACPSHIM_SHARED. Each property is a place, or
// left out with a reason, if it is a text or a list of texts and its name or description mentions a
// path, a folder or a URI.
func TestPlacesAreThoseOfTheSchemas(t *testing.T) {
	shared := os.Getenv("ACPSHIM_SHARED")
	if shared == "" {
		t.Skip("ACPSHIM_SHARED names no folder with schemas")
	}
	want, used := map[string]bool{}, map[string]bool{}
	for _, name := range []string{"v1/schema.json", "v1/schema.unstable.json", "1.20.0/v1/schema.json", "1.20.0/v1/schema.unstable.json"} {
		for found := range placesOf(t, filepath.Join(shared, "schema", name)) {
			isLeft := false
			for end := range left {
				if strings.HasSuffix(found, end) {
					isLeft, used[end] = true, true
				}
			}
			if !isLeft {
				want[found] = true
			}
		}
	}
	got := map[string]bool{}
	for _, p := range places() {
		for _, pointer := range p.pointers {
			got[key(p.from, p.kind)+" "+pointer] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !got[name] {
			t.Errorf("the schemas have %s, and it is neither a place nor left out", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if !want[name] {
			t.Errorf("%s is a place, and the schemas do not have it", name)
		}
	}
	if len(used) != len(left) || len(want) < 40 {
		t.Errorf("of what is left out the schemas have %v; they have %d places", used, len(want))
	}
}

// placesOf returns the places in a schema, as the key and a pointer.
func placesOf(t *testing.T, path string) map[string]bool {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(source, &s); err != nil {
		t.Fatal(err)
	}
	r := schemaReader{defs: s.Defs, found: map[string]bool{}}
	receiver := map[any]conversation.Side{"agent": conversation.Agent, "client": conversation.Client}
	for name, def := range s.Defs {
		method, _ := def["x-method"].(string)
		side, ok := receiver[def["x-side"]] // no others: messages of proxies come to neither
		switch {
		case !ok || method == "":
		case strings.HasSuffix(name, "Response"):
			r.read(side, responseTo+method, "/result", def, nil)
		default:
			r.read(side.Other(), method, "/params", def, nil)
		}
	}
	return r.found
}

type schemaReader struct {
	defs  map[string]map[string]any
	found map[string]bool
}

var (
	nameOfPath = regexp.MustCompile(`(?i)(path|cwd|ur[il]|director(y|ies)|folder|file|root)s?$`)
	aboutAPath = regexp.MustCompile(`(?i)\b(paths?|cwd|ur[il]s?|director(y|ies)|folders?)\b`)
)

// read finds the places in the schema of a pointer. Above are the definitions that contain it.
func (r *schemaReader) read(from conversation.Side, kind, at string, schema map[string]any, above []string) {
	if ref, ok := schema["$ref"].(string); ok {
		if name := strings.TrimPrefix(ref, "#/$defs/"); !slices.Contains(above, name) {
			r.read(from, kind, at, r.defs[name], append(slices.Clone(above), name))
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	if tag, ok := properties["sessionUpdate"].(map[string]any); ok {
		kind = update + tag["const"].(string)
	}
	for name, p := range properties {
		p, ok := p.(map[string]any)
		if !ok || name == "_meta" {
			continue
		}
		description, _ := p["description"].(string)
		if nameOfPath.MatchString(name) || aboutAPath.MatchString(description) {
			r.note(key(from, kind)+" "+at+"/"+name, p)
		}
		r.read(from, kind, at+"/"+name, p, above)
	}
	for _, each := range []string{"items", "additionalProperties"} {
		if of, ok := schema[each].(map[string]any); ok {
			r.read(from, kind, at+"/*", of, above)
		}
	}
	for _, list := range []string{"allOf", "anyOf", "oneOf"} {
		all, _ := schema[list].([]any)
		for _, one := range all {
			if one, ok := one.(map[string]any); ok {
				r.read(from, kind, at, one, above)
			}
		}
	}
}

// note adds a property if it is a text or a list of texts.
func (r *schemaReader) note(place string, schema map[string]any) {
	items, _ := schema["items"].(map[string]any)
	if slices.Contains(r.types(schema), "string") {
		r.found[place] = true
	} else if items != nil && slices.Contains(r.types(items), "string") {
		r.found[place+"/*"] = true
	}
}

// types returns the types of a schema, also by reference.
func (r *schemaReader) types(schema map[string]any) (types []any) {
	if one, ok := schema["type"].(string); ok {
		types = append(types, one)
	}
	several, _ := schema["type"].([]any)
	types = append(types, several...)
	if ref, ok := schema["$ref"].(string); ok {
		types = append(types, r.types(r.defs[strings.TrimPrefix(ref, "#/$defs/")])...)
	}
	for _, list := range []string{"allOf", "anyOf", "oneOf"} {
		all, _ := schema[list].([]any)
		for _, one := range all {
			types = append(types, r.types(one.(map[string]any))...)
		}
	}
	return types
}
