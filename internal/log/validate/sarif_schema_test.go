package validate

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestSARIFIsAsItsSchemaWants checks reports against the schema of SARIF 2.1.0.
// ACPSHIM_SARIF_SCHEMA names its file, which is not part of this repository.
func TestSARIFIsAsItsSchemaWants(t *testing.T) {
	path := os.Getenv("ACPSHIM_SARIF_SCHEMA")
	if path == "" {
		t.Skip("ACPSHIM_SARIF_SCHEMA names no schema of SARIF")
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	if conforms(t, schema, map[string]any{"version": "2.1.0", "runs": []any{map[string]any{}}}) == nil {
		t.Fatal("the schema accepts a run without a tool: nothing is checked")
	}
	wrong := report(t, update(`{"sessionUpdate":"plan","entries":[{"content":"\u001b<a>","priority":"urgent","status":"pending"}]}`), update(`{"sessionUpdate":"_x"}`))
	wrong.Record = "2026 ä%/x"
	for name, r := range map[string]Report{
		"errors and notes": wrong,
		"nothing":          report(t),
		"a newer version":  report(t, `client {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":99}}`),
	} {
		if err := conforms(t, schema, r.SARIF("v1")); err != nil {
			t.Errorf("of %s: %v", name, err)
		}
	}
}

// conforms validates a value as JSON.
func conforms(t *testing.T, schema *jsonschema.Schema, value any) error {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	read, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(read)
}
