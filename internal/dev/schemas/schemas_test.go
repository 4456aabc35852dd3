package schemas

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/log/validate/schema"
)

// TestMakeIsWhatIsEmbedded fails if schema.json was made from other schemas than the published
// ones. They are not part of this repository: they are in schema, in the folder that ACPSHIM_SHARED
// names.
func TestMakeIsWhatIsEmbedded(t *testing.T) {
	shared := os.Getenv("ACPSHIM_SHARED")
	if shared == "" {
		t.Skip("ACPSHIM_SHARED names no folder with schemas")
	}
	before := filepath.Join(shared, "schema")
	folder := filepath.Join(before, schema.Load()["1"].Release)
	made, err := Make(folder, before)
	if err != nil {
		t.Fatal(err)
	}
	embedded, err := os.ReadFile("../../log/validate/schema/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(embedded, made) {
		lines, err := Changes(embedded, made)
		t.Errorf("schema.json is not what .ci/schemas %s %s makes (%v):\n%s", folder, before, err, strings.Join(lines, "\n"))
	}
}

// What the schemas below have in common, and what they refer to.
const common = `"Error":{},"Id":{"type":"string"},"PromptResponse":{"x-method":"session/prompt"}`

// folder writes schemas of version 1, and empty ones of version 2.
func folder(t *testing.T, release, stable, unstable string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), release)
	for file, defs := range map[string]string{"v1/schema.json": stable, "v1/schema.unstable.json": unstable, "v2/schema.json": "", "v2/schema.unstable.json": ""} {
		file = filepath.Join(path, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(`{"$defs":{`+common+defs+`}}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// prompt is a definition of the params of a prompt.
func prompt(members, kinds string) string {
	var alternatives []string
	for _, kind := range strings.Fields(kinds) {
		alternatives = append(alternatives, `{"type":"object","properties":{"kind":{"const":"`+kind+`"}},"required":["kind"]}`)
	}
	return `,"PromptRequest":{"type":"object","description":"prose","properties":{` + members + `},"x-method":"session/prompt","x-side":"agent",
		"oneOf":[` + strings.Join(alternatives, ",") + `]}`
}

const (
	options = `,"OptionsRequest":{"x-method":"session/options","x-side":"agent"},"OptionsResponse":{"x-method":"session/options"}`
	proxy   = `,"ProxyNotification":{"x-method":"proxy/successor","x-side":"proxy"}`
)

// Each rule says which of its names are new, unstable or gone.
func TestMake(t *testing.T) {
	before := folder(t, "1.0.0", prompt(`"text":{}`, "plain"), prompt(`"text":{}`, "plain song")+proxy)
	after := folder(t, "1.1.0", prompt(`"text":{"$ref":"#/$defs/Id"},"path":{"maxLength":9}`, "plain loud")+options, prompt(`"text":{"$ref":"#/$defs/Id"},"path":{"maxLength":9},"usage":{}`, "plain loud soft")+options)
	made, err := Make(after, before)
	if err != nil {
		t.Fatal(err)
	}
	versions, err := schema.Parse(made)
	if err != nil {
		t.Fatal(err)
	}
	s := versions["1"].Unstable
	r := s.Rules["PromptRequest"]
	kind := r.Properties["kind"]
	for _, test := range []struct {
		what string
		have []string
		want string
	}{
		{"new members", r.New, "path"}, {"unstable members", r.Draft, "usage"}, {"members that are gone", r.Gone, ""},
		{"new kinds", kind.New, "loud"}, {"unstable kinds", kind.Draft, "soft"}, {"kinds that are gone", kind.Gone, "song"},
		{"new methods", s.Rules["OptionsRequest"].New, "session/options"}, {"old methods", s.Rules["PromptResponse"].New, ""},
	} {
		if have := strings.Join(test.have, " "); have != test.want {
			t.Errorf("%s: %q, want %q", test.what, have, test.want)
		}
	}
	if s.Methods["proxy/successor"] == nil || versions["1"].Stable.Methods["proxy/successor"] != nil || versions["1"].Release != "1.1.0" {
		t.Errorf("release %s, methods %v", versions["1"].Release, s.Methods)
	}

	old, err := Make(before, before)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`version 1: release 1.1.0, was "1.0.0"`,
		"version 1, stable: + method session/options",
		"version 1, stable: + Id",
		"version 1, stable: + OptionsRequest",
		"version 1, stable: + OptionsResponse",
		`version 1, stable: + PromptRequest "loud"`,
		"version 1, stable: + PromptRequest.path",
		"version 1, stable: ~ PromptRequest.text",
		`version 1, unstable: + PromptRequest "soft"`,
		`version 1, unstable: - PromptRequest "song"`,
		"version 1, unstable: + PromptRequest.usage",
		`version 2: release 1.1.0, was "1.0.0"`,
	}
	if lines, err := Changes(old, made); err != nil || !slices.Equal(lines, want) {
		t.Errorf("%v:\n%s", err, strings.Join(lines, "\n"))
	}
	if lines, err := Changes(made, made); err != nil || lines != nil {
		t.Errorf("of no change: %v, %q", err, lines)
	}
}

// A folder that acpshim cannot use is not taken.
func TestMakeRefuses(t *testing.T) {
	good := folder(t, "1.0.0", "", "")
	for name, test := range map[string]struct{ folder, want string }{
		"no folder":          {"nowhere", "nowhere"},
		"an unknown keyword": {folder(t, "1.0.0", prompt(`"text":{"multipleOf":2}`, ""), ""), `PromptRequest: json: unknown field "multipleOf"`},
	} {
		if _, err := Make(test.folder, good); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
