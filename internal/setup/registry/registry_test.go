package registry

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// In the shape of cdn.agentclientprotocol.com/registry/v1/latest/registry.json.
const sample = `{"version":"1.0.0","extensions":[],"agents":[
{"id":"auggie","name":"Auggie CLI","version":"0.36.0","description":"d","icon":"https://x/auggie.svg","license":"proprietary","authors":["a"],
 "distribution":{"npx":{"package":"@augmentcode/auggie@0.36.0","args":["--acp"],"env":{"AUGMENT_DISABLE_AUTO_UPDATE":"1"}}}},
{"id":"claude-acp","name":"Claude Agent","version":"0.60.0","description":"d","distribution":{"npx":{"package":"@agentclientprotocol/claude-agent-acp@0.60.0"}}},
{"id":"two-programs","name":"T","version":"1.0.0","description":"d","distribution":{"npx":{"package":"two@1.0.0","cmd":"two-acp","args":["--stdio","-y"]}}},
{"id":"fast-agent","name":"fast-agent","version":"0.10.1","description":"d","distribution":{"uvx":{"package":"fast-agent-acp==0.10.1","args":["-x"]}}},
{"id":"named","name":"N","version":"2.0.0","description":"d","distribution":{"uvx":{"package":"named","cmd":"named-acp"}}},
{"id":"both","name":"B","version":"1.0.0","description":"d","distribution":{"uvx":{"package":"u"},"npx":{"package":"n"},"binary":{"linux-x86_64":{"archive":"a","cmd":"c"}}}},
{"id":"odd","name":"O","version":"1.0.0","description":"d","distribution":{"npx":"later"}},
{"id":"none","name":"O","version":"1.0.0","description":"d","distribution":{"docker":{}}},
{"id":"nothing","name":"O","version":"1.0.0","description":"d"},
{"id":"flag","name":"O","version":"1.0.0","description":"d","distribution":{"npx":{"package":"--call=x"}}},
{"id":"nul","name":"O","version":"1.0.0","description":"d","distribution":{"npx":{"package":"x","args":["\u0000"]}}},
{"id":"variable","name":"O","version":"1.0.0","description":"d","distribution":{"npx":{"package":"x","env":{"A=B":"c"}}}},
{"id":"elsewhere","name":"O","version":"1.0.0","description":"d","distribution":{"binary":{"plan9-mips":{"archive":"a","cmd":"c"}}}}
]}`

func TestCommand(t *testing.T) {
	r, err := Parse([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ id, want, wrong string }{
		{id: "auggie", want: "npx -y @augmentcode/auggie@0.36.0 --acp"},
		{id: "claude-acp", want: "npx -y @agentclientprotocol/claude-agent-acp@0.60.0"},
		{id: "two-programs", want: "npx -y --package two@1.0.0 two-acp --stdio -y"},
		{id: "fast-agent", want: "uvx fast-agent-acp==0.10.1 -x"},
		{id: "named", want: "uvx --from named named-acp"},
		{id: "both", want: "npx -y n"},
		{id: "odd", wrong: `agent "odd" of the registry: its distribution cannot be read: json: cannot unmarshal string`},
		{id: "none", wrong: `agent "none" of the registry: its distribution is not npx, uvx or binary`},
		{id: "nothing", wrong: `its distribution cannot be read`},
		{id: "flag", wrong: `want a package and perhaps a cmd, not "--call=x" and ""`},
		{id: "nul", wrong: `its command has a NUL byte`},
		{id: "variable", wrong: `its environment has "A=B", which cannot be set`},
		{id: "elsewhere", wrong: `it is only a program to download, and it does not exist for ` + platform(runtime.GOOS, runtime.GOARCH)},
		{id: "claude", wrong: `the registry has no agent "claude" (did you mean "claude-acp"?)`},
		{id: "augie", wrong: `(did you mean "auggie"?)`},
		{id: "acp", wrong: `(did you mean "claude-acp"?)`},
		{id: "quite-another-one", wrong: `the registry has no agent "quite-another-one"`},
		{id: "", wrong: `the registry has no agent ""`},
	} {
		command, env, err := r.Command(test.id)
		if test.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), test.wrong) || command != nil {
				t.Errorf("%s: %q, %v, want the error %s", test.id, command, err, test.wrong)
			}
			continue
		}
		if got := strings.Join(command, " "); got != test.want || err != nil {
			t.Errorf("%s: %s, %v, want %s", test.id, got, err, test.want)
		}
		if (len(env) > 0) != (test.id == "auggie") || test.id == "auggie" && env["AUGMENT_DISABLE_AUTO_UPDATE"] != "1" {
			t.Errorf("%s: environment %v", test.id, env)
		}
	}
}

// What can only be downloaded is not: the error says from where, and how it is run then.
func TestABinaryIsNotDownloaded(t *testing.T) {
	here := platform(runtime.GOOS, runtime.GOARCH)
	r, err := Parse([]byte(`{"agents":[{"id":"cursor","distribution":{"binary":{"` + here +
		`":{"archive":"https://downloads.example/cursor.tar.gz","cmd":"./dist-package/cursor-agent","args":["acp"]}}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = r.Command("cursor")
	want := `agent "cursor" of the registry: it is only a program to download, and acpshim downloads nothing: ` +
		`install it (https://downloads.example/cursor.tar.gz), then run "acpshim -- /path/to/cursor-agent acp"`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if got := platform("darwin", "arm64") + " " + platform("windows", "amd64"); got != "darwin-aarch64 windows-x86_64" {
		t.Errorf("platforms %s", got)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "is not a registry: unexpected end",
		"{":                   "is not a registry: unexpected end",
		`[]`:                  "is not a registry: json: cannot unmarshal array",
		`{"version":"1.0.0"}`: `want an object with the list "agents"`,
		`{"agents":{}}`:       "is not a registry: json: cannot unmarshal object",
	} {
		if r, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || r.Agents != nil {
			t.Errorf("%.30q: %v, %v, want %s", text, r, err, want)
		}
	}
	if r, err := Parse([]byte(`{"agents":[],"file":"/etc/passwd"}`)); err != nil || r.File != "" {
		t.Errorf("an empty registry: %+v, %v", r, err)
	}
}

func TestZedCopies(t *testing.T) {
	const end = "/external_agents/registry/registry.json"
	for _, test := range []struct {
		system, home string
		env          map[string]string
		want         []string
	}{
		{"linux", "/home/me", nil, []string{"/home/me/.local/share/zed", "/home/me/.var/app/dev.zed.Zed/data/zed"}},
		{"linux", "/home/me", map[string]string{"XDG_DATA_HOME": "/data", "FLATPAK_XDG_DATA_HOME": "/flat"},
			[]string{"/flat/zed", "/data/zed", "/home/me/.local/share/zed", "/home/me/.var/app/dev.zed.Zed/data/zed"}},
		{"linux", "", map[string]string{"XDG_DATA_HOME": "here"}, nil},
		{"darwin", "/Users/me", map[string]string{"XDG_DATA_HOME": "/data"}, []string{"/Users/me/Library/Application Support/Zed"}},
		{"windows", "", map[string]string{"LOCALAPPDATA": "C:/Users/me/AppData/Local"}, []string{"C:/Users/me/AppData/Local/Zed"}},
		{"windows", "", nil, nil},
	} {
		if runtime.GOOS == "windows" && test.system != "windows" {
			continue // its paths are not absolute there
		}
		var got []string
		for _, file := range ZedCopies(test.system, test.home, func(name string) string { return test.env[name] }) {
			got = append(got, strings.TrimSuffix(filepath.ToSlash(file), end))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s %v: %q, want %q", test.system, test.env, got, test.want)
		}
	}
}

func TestLoad(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "registry.json")
	if err := os.WriteFile(file, []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Load(file)
	if err != nil || r.File != file || len(r.IDs()) != 13 || r.IDs()[0] != "auggie" {
		t.Errorf("%s, %q, %v", r.File, r.IDs(), err)
	}
	if _, _, err := r.Command("x-y-z"); err == nil || !strings.Contains(err.Error(), file+" has no agent") {
		t.Errorf("an unknown agent: %v", err)
	}
	if _, err := Load(folder); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	if err := os.WriteFile(file, []byte(sample[:100]), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file); err == nil || !strings.HasPrefix(err.Error(), file+" is not a registry: ") {
		t.Errorf("a broken file: %v", err)
	}
	if err := os.Truncate(file, MaxSize+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file); err == nil || err.Error() != file+" is larger than 4 MiB" {
		t.Errorf("a large file: %v", err)
	}
}

// FuzzCommand: whatever is in a registry, what is to be started begins with a runner and has no
// flag of it where the package is to be.
func FuzzCommand(f *testing.F) {
	f.Add([]byte(sample), "auggie")
	f.Fuzz(func(t *testing.T, b []byte, id string) {
		r, err := Parse(b)
		if err != nil {
			return
		}
		for _, id := range append(r.IDs(), id) {
			command, _, err := r.Command(id)
			if err != nil {
				continue
			}
			at := map[string]int{"npx": 2, "uvx": 1}[command[0]]
			if at == 0 || len(command) <= at || command[at] == "" || command[at][0] == '-' && command[at] != "--package" && command[at] != "--from" {
				t.Errorf("%q is started by %q", id, command)
			}
		}
	})
}
