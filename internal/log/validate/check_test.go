package validate

import (
	"encoding/json"
	"strings"
	"testing"

	"acpshim/internal/log/validate/schema"
)

func TestRules(t *testing.T) {
	for _, test := range []struct{ rule, value, want string }{
		{`{"type":["array"],"minItems":2}`, `[1]`, "want at least 2 items"},
		{`{"type":["array"],"minItems":2}`, `[1,2]`, ""},
		{`{"minLength":2}`, `"é"`, "want a string of at least 2 characters"},
		{`{"minLength":2}`, `"éé"`, ""},
		{`{"maxLength":2}`, `"éé"`, ""},
		{`{"maxLength":2}`, `"ééé"`, "want a string of at most 2 characters"},
		{`{"x-without":["a"]}`, `{"b":1}`, ""},
		{`{"x-without":["a"]}`, `{"a":1}`, `"a" is not allowed here`},
		{`{"type":["integer"]}`, `1.0`, ""},
		{`{"type":["integer"]}`, `1e999`, ""},
		{`{"type":["integer","null"]}`, `1.5`, "want integer or null, have number"},
		{`{"minimum":0,"maximum":5}`, `-1`, "want at least 0, have -1"},
		{`{"minimum":0,"maximum":5}`, `6`, "want at most 5, have 6"},
		{`{"oneOf":[{"type":["string"]},{"minLength":1}]}`, `"a"`, "matches more than one alternative, want exactly one"},
		{`{"oneOf":[{"type":["string"]},{"minLength":1}]}`, `""`, ""},
		{`{"anyOf":[{"type":["string"]},{"type":["null"]}]}`, `5`, "want string or null, have number"},
		{`{"anyOf":[{"enum":["a","b"]},{"type":["null"]}]}`, `5`, `unknown value 5, want one of "a", "b"`},
		{`{"enum":[-1,-2]}`, `-2.0`, ""},
		{`{"anyOf":[{"$ref":"#/$defs/Text"},{"type":["null"]}]}`, `{"type":"text"}`, `"text" is missing`},
		{`{"x-tag":"type","x-of":{"a":{"required":["b"]}},"x-others":{"required":["c"]}}`, `{"type":"a"}`, `"b" is missing`},
		{`{"x-tag":"type","x-of":{"a":{"required":["b"]}},"x-others":{"required":["c"]}}`, `{"type":5}`, `"c" is missing`},
		{`{"x-tag":"type","x-of":{"a":{"required":["b"]}}}`, `{"type":"c"}`, ""},
		{`{"anyOf":[{"required":["type"],"x-tag":"type","x-of":{"a":{"required":["b","c"]}}},{"required":["d","e"]}]}`, `{}`, `"d" is missing; "e" is missing`},
		{`{"anyOf":[{"required":["type"],"x-tag":"type","x-of":{"a":{"required":["b"]}}},{"required":["d","e"]}]}`, `{"type":"a"}`, `"b" is missing`},
		{`{"anyOf":[{"items":{"required":["value","name"]}},{"items":{"required":["group","name","options"],"properties":{"options":{"items":{"required":["value","name"]}}}}}]}`, `[{"group":"g","name":"G","options":[{"value":"a"},{"value":"b","name":"B"}]}]`, `/0/options/0 "name" is missing`},
		{`{"anyOf":[{"items":{"required":["value","name"]}},{"items":{"required":["group","name","options"],"properties":{"options":{"items":{"required":["value","name"]}}}}}]}`, `[{"group":"g","options":[{"value":"a"}]}]`, `/0 "name" is missing; /0/options/0 "name" is missing`},
		{`{"anyOf":[{"items":{"required":["value","name"]}},{"items":{"required":["group","name","options"],"properties":{"options":{"items":{"required":["value","name"]}}}}}]}`, `[{"value":"a"}]`, `/0 "name" is missing`},
		{`{"properties":{"a":{}},"additionalProperties":{"type":["string"]}}`, `{"a":1,"b/~":2}`, "/b~1~0 want string, have number"},
	} {
		var rule schema.Rule
		if err := json.Unmarshal([]byte(test.rule), &rule); err != nil {
			t.Fatal(err)
		}
		decoder := json.NewDecoder(strings.NewReader(test.value))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		schema := &schema.Schema{Rules: map[string]*schema.Rule{"Text": {Types: []string{"object"}, Required: []string{"type", "text"}}}}
		var got []string
		for _, p := range check(schema, &rule, value) {
			got = append(got, strings.TrimSpace(p.at+" "+p.text))
		}
		if got := strings.Join(got, "; "); got != test.want {
			t.Errorf("%s of %s: %q, want %q", test.rule, test.value, got, test.want)
		}
	}
}
