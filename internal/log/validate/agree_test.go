package validate

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/log/validate/schema"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestAgreesWithSchemas compares check and the generated schemas with a JSON Schema validator and
// the published schemas. It tries the params, results and errors of real messages, and copies in
// which values are replaced, removed and mixed. ACPSHIM_SHARED names the folder with schemas and
// messages.
func TestAgreesWithSchemas(t *testing.T) {
	shared := os.Getenv("ACPSHIM_SHARED")
	if shared == "" {
		t.Skip("ACPSHIM_SHARED names no folder with schemas and traffic")
	}
	messages := traffic(t, filepath.Join(shared, "traffic"))
	for version, v := range schema.Load() {
		for file, schema := range map[string]*schema.Schema{"schema.json": v.Stable, "schema.unstable.json": v.Unstable} {
			t.Run(version+"/"+file, func(t *testing.T) {
				compiled := map[string]*jsonschema.Schema{}
				compiler := jsonschema.NewCompiler()
				compile := func(name string) *jsonschema.Schema {
					if name == "" || compiled[name] != nil || schema.Rules[name].Handler == "proxy" { // those are of another folder
						return compiled[name]
					}
					s, err := compiler.Compile(filepath.Join(shared, "schema", v.Release, "v"+version, file) + "#/$defs/" + name)
					if err != nil {
						t.Fatal(err)
					}
					compiled[name] = s
					return s
				}
				var accepted, refused int
				agree := func(name string, value any) {
					s := compile(name)
					if s == nil {
						return
					}
					err, found := s.Validate(value), check(schema, schema.Rules[name], value)
					if (err == nil) != (len(found) == 0) {
						text, _ := json.Marshal(value)
						t.Fatalf("%s: the schema says %v, we say %+v, of %s", name, err, found, text)
					}
					if err == nil {
						accepted++
					} else {
						refused++
					}
				}
				random := rand.New(rand.NewPCG(1, 2))
				var pool []any          // the values in messages
				counts := map[any]int{} // of messages by method
				for _, m := range messages {
					pool = values(pool, m)
					counts[m["method"]]++
				}
				for _, m := range messages {
					method, _ := m["method"].(string)
					rules := schema.Methods[method]
					var names []string
					body := m["params"]
					switch {
					case rules != nil:
						names = []string{rules.Request, rules.Notification}
					case m["result"] != nil: // its method is not known: try all
						body = m["result"]
						for _, rules := range schema.Methods {
							names = append(names, rules.Result)
						}
					case m["error"] != nil:
						body, names = m["error"], []string{"Error"}
					}
					for _, name := range names {
						agree(name, body)
					}
					if len(names) > 2 && random.IntN(8) > 0 {
						continue
					}
					for range 8 + 1000/counts[m["method"]] { // more for rare methods
						mutant := body
						for range 1 + random.IntN(3) {
							mutant = mutate(random, pool, mutant)
						}
						for _, name := range names {
							agree(name, mutant)
						}
					}
				}
				t.Logf("%d messages: %d accepted, %d refused by both", len(messages), accepted, refused)
				if accepted < 1000 || refused < 1000 {
					t.Error("too few to say that they agree")
				}
			})
		}
	}
}

// traffic returns all messages in the files of a folder, also those that are wrapped in other
// objects.
func traffic(t *testing.T, folder string) (messages []map[string]any) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(folder, "*.*json*"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			messages = unwrap(messages, line)
		}
	}
	if len(messages) < 500 {
		t.Fatalf("only %d messages in %s", len(messages), folder)
	}
	return messages
}

// unwrap adds the message in a line, if there is one.
func unwrap(messages []map[string]any, line []byte) []map[string]any {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	m, ok := v.(map[string]any)
	if err != nil || !ok {
		return messages
	}
	if raw, ok := m["raw"].(string); ok {
		return unwrap(messages, []byte(raw))
	}
	if inner, ok := m["value"].(map[string]any); ok {
		m = inner
	}
	if m["method"] == nil && m["result"] == nil && m["error"] == nil {
		return messages
	}
	return append(messages, m)
}

// values adds a value and all values in it.
func values(pool []any, v any) []any {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			pool = values(pool, v[name])
		}
	case []any:
		for _, item := range v {
			pool = values(pool, item)
		}
	}
	return append(pool, v)
}

// odd are values that schemas accept in few places.
var odd = []any{
	nil, true, "", "x", "_x", "pending", json.Number("0"), json.Number("-1"), json.Number("1.0"), json.Number("1.5"), json.Number("65536"),
	json.Number("1e3"), json.Number("2"), json.Number("-32601"), []any{}, map[string]any{}, []any{nil}, map[string]any{"type": "text"}, strings.Repeat("é", 3),
}

// mutate returns a copy of a value in which one place has another value or is missing.
func mutate(random *rand.Rand, pool []any, v any) any {
	if random.IntN(4) > 0 {
		switch v := v.(type) {
		case map[string]any:
			names := append(slices.Sorted(maps.Keys(v)), "type")
			name := names[random.IntN(len(names))]
			v = maps.Clone(v)
			if v[name] = mutate(random, pool, v[name]); random.IntN(6) == 0 {
				delete(v, name)
			}
			return v
		case []any:
			if len(v) > 0 {
				i := random.IntN(len(v))
				v = slices.Clone(v)
				v[i] = mutate(random, pool, v[i])
				return v
			}
		}
	}
	if random.IntN(2) == 0 {
		pool = odd
	}
	return pool[random.IntN(len(pool))]
}
