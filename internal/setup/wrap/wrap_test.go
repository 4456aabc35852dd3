package wrap

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/setup/editor"
)

// machine is one with a home of its own, and a program "agent" in PATH.
func machine(t *testing.T) Machine {
	t.Helper()
	home := t.TempDir()
	if runtime.GOOS == "windows" {
		t.Skip("the agent is a script")
	}
	write(t, filepath.Join(home, "bin", "agent"), "#!/bin/sh\n", 0o755)
	t.Setenv("PATH", filepath.Join(home, "bin"))
	return Machine{System: editor.System{OS: "linux", Home: home}, State: filepath.Join(home, "state"), Shim: "/opt/acpshim"}
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const acpJSON = `{ "agent_servers": { "A": { "command": "agent" } } }`

// A command that is given is that of the entry, also where only --record is added to it.
func TestACommandIsComparedBeforeItIsRecorded(t *testing.T) {
	m := machine(t)
	file := filepath.Join(m.System.Home, ".jetbrains", "acp.json")
	const wrapped = `{ "agent_servers": { "A": { "command": "/opt/acpshim", "args": ["--", "agent", "-v"] } } }`
	for command, want := range map[string]bool{"agent -v": true, "agent": false, "other": false} {
		write(t, file, wrapped, 0o644)
		_, err := m.Wrap(Options{Editor: "jetbrains", Entry: "A", Record: true, Command: strings.Fields(command)})
		if got := strings.Contains(content(t, file), "--record"); got != want || (err == nil) != want {
			t.Errorf("%s: recorded is %v, %v", command, got, err)
		}
	}
}

// An entry that is added has a name.
func TestAnEntryWithoutAName(t *testing.T) {
	m := machine(t)
	write(t, filepath.Join(m.System.Home, ".jetbrains", "acp.json"), acpJSON, 0o644)
	if _, err := m.Wrap(Options{Editor: "jetbrains", Command: []string{"agent"}}); err == nil || !strings.Contains(err.Error(), "the entry needs a name") {
		t.Errorf("%v", err)
	}
}

// An editor that writes its settings in between loses nothing, and the entry is wrapped in what it
// wrote.
func TestAnotherProgramWritesAtTheSameTime(t *testing.T) {
	m := machine(t)
	file := filepath.Join(m.System.Home, ".jetbrains", "acp.json")
	write(t, file, acpJSON, 0o644)
	e, err := find("jetbrains")
	if err != nil {
		t.Fatal(err)
	}
	times := 0
	_, err = m.change(e, Options{Entry: "A"}, func(e editor.Editor, o Options, s *settings) (step, error) {
		if times++; times < 3 {
			write(t, file, strings.Replace(acpJSON, "{ ", "{ \"n\": "+strings.Repeat("1", times)+", ", 1), 0o644)
		}
		return m.wrapping(e, o, s)
	})
	got := content(t, file)
	if err != nil || times != 3 || !strings.Contains(got, `"n": 11,`) || !strings.Contains(got, "/opt/acpshim") {
		t.Errorf("after %d times, %v: %s", times, err, got)
	}

	always := 0
	write(t, file, acpJSON, 0o644)
	_, err = m.change(e, Options{Entry: "A"}, func(e editor.Editor, o Options, s *settings) (step, error) {
		always++
		write(t, file, strings.Replace(acpJSON, "{ ", "{ \"n\": "+strings.Repeat("1", always)+", ", 1), 0o644)
		return m.wrapping(e, o, s)
	})
	if got := content(t, file); !errors.Is(err, errChanged) || strings.Contains(got, "/opt/acpshim") {
		t.Errorf("with one that always writes, %v: %s", err, got)
	}
}

// Where it has a registry, an agent is added by its id.
func TestLookup(t *testing.T) {
	m := machine(t)
	file := filepath.Join(m.System.Home, ".jetbrains", "acp.json")
	lookup := func(id string) ([]string, bool) { return []string{"agent", "acp"}, id == "my-agent" }
	o := Options{Editor: "jetbrains", Entry: "my-agent", Lookup: lookup}
	if _, err := m.Wrap(o); err != nil {
		t.Fatal(err)
	}
	if got := content(t, file); !strings.Contains(got, `"args": ["--", "`+m.System.Home+`/bin/agent", "acp"]`) {
		t.Error(got)
	}
	if _, err := m.Unwrap(o); err != nil {
		t.Fatal(err)
	}
	write(t, file, `{ "agent_servers": { "acp.registry.my-agent": { "env": {} } } }`, 0o644)
	o.Entry = "acp.registry.my-agent"
	if _, err := m.Wrap(o); err != nil || !strings.Contains(content(t, file), `"acp.registry.my-agent (acpshim)": { "command": "/opt/acpshim"`) {
		t.Errorf("%v: %s", err, content(t, file))
	}
	var unknown *Unknown
	o.Entry = "your-agent"
	if _, err := m.Wrap(o); !errors.As(err, &unknown) || unknown.Status() != 1 || !strings.Contains(unknown.Hint(), "acp.registry.my-agent") {
		t.Errorf("%v", err)
	}
}

// changed returns the settings after a change of the entry A.
func changed(t *testing.T, change func(Options) (Result, error), settings string, o Options) (after string, r Result) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "acp.json")
	write(t, file, settings, 0o644)
	o.Editor, o.Entry, o.File = "jetbrains", "A", file
	r, err := change(o)
	if err != nil {
		r.Did = err.Error()
	}
	return content(t, file), r
}

// A command of acpshim that is an agent is one, and is not taken for a wrapped agent.
func TestCommandsOfAcpshimAreAgents(t *testing.T) {
	m := machine(t)
	write(t, filepath.Join(m.System.Home, "bin", "acpshim"), "", 0o755)
	own := m.System.Home + "/bin/acpshim"
	for _, args := range []string{`"demo", "agent"`, `"log", "replay", "--as-agent"`, `"--set", "a=1", "demo", "agent"`} {
		entry := `{ "agent_servers": { "A": { "command": "acpshim", "args": [` + args + `] } } }`
		after, r := changed(t, m.Unwrap, entry, Options{})
		if after != entry || !strings.Contains(r.Did, `"A" is not wrapped`) {
			t.Errorf("unwrap: %s: %s", r.Did, after)
		}
		after, r = changed(t, m.Wrap, entry, Options{})
		if want := `"command": "/opt/acpshim", "args": ["--", "` + own + `", ` + args; !strings.Contains(after, want) {
			t.Errorf("wrap: %s: %s", r.Did, after)
		}
		after, r = changed(t, m.Unwrap, after, Options{})
		if want := `"command": "` + own + `", "args": [` + args; !strings.Contains(after, want) {
			t.Errorf("wrap and unwrap: %s: %s", r.Did, after)
		}
	}
	const remote = `{ "agent_servers": { "A": { "command": "acpshim", "args": ["connect", "wss://a.example"] } } }`
	for _, change := range []func(Options) (Result, error){m.Wrap, m.Unwrap} {
		after, r := changed(t, change, remote, Options{})
		if after != remote || !strings.HasSuffix(r.Did, `entry "A": it runs acpshim connect, which has no agent here: change it by hand`) {
			t.Errorf("%s: %s", r.Did, after)
		}
	}
	const named = `{ "agent_servers": { "A": { "command": "acpshim", "args": ["--", "demo", "-v"] } } }`
	if after, r := changed(t, m.Unwrap, named, Options{}); !strings.Contains(after, `"command": "demo", "args": ["-v"]`) {
		t.Errorf("an agent with the name of a command: %s: %s", r.Did, after)
	}
}

// Wrapping mends an entry whose acpshim does not exist, also one that was written by hand.
func TestAnAcpshimThatDoesNotExist(t *testing.T) {
	m := machine(t)
	const gone = `{ "agent_servers": { "A": { "command": "/nowhere/acpshim", "args": ["--client", "x", "--", "agent"] } } }`
	mended := strings.Replace(gone, "/nowhere/", "/opt/", 1)
	after, r := changed(t, m.Wrap, gone, Options{})
	if !strings.Contains(r.Did, `"A" started /nowhere/acpshim, which does not exist, and now starts /opt/acpshim`) || after != mended {
		t.Errorf("%s: %s", r.Did, after)
	}
	const remote = `{ "agent_servers": { "A": { "command": "/nowhere/acpshim", "args": ["connect", "wss://a.example"] } } }`
	after, r = changed(t, m.Wrap, remote, Options{})
	if after != strings.Replace(remote, "/nowhere/", "/opt/", 1) {
		t.Errorf("a remote agent: %s: %s", r.Did, after)
	}
	after, _ = changed(t, m.Wrap, gone, Options{Record: true})
	if want := strings.Replace(mended, `"--client"`, `"--record", "--client"`, 1); after != want {
		t.Errorf("with --record: %s", after)
	}
	bare := strings.Replace(gone, "/nowhere/", "", 1)
	if after, r = changed(t, m.Wrap, bare, Options{}); after != mended {
		t.Errorf("outside of PATH: %s: %s", r.Did, after)
	}
	write(t, filepath.Join(m.System.Home, "other", "acpshim"), "", 0o755)
	bare = strings.Replace(bare, `] }`, `], "env": { "PATH": "`+m.System.Home+`/other" } }`, 1)
	if after, r = changed(t, m.Wrap, bare, Options{}); after != bare {
		t.Errorf("in the PATH of the entry: %s: %s", r.Did, after)
	}
}

// Recording can be stopped, whether wrap or a person began it.
func TestRecordingIsStopped(t *testing.T) {
	m := machine(t)
	file := filepath.Join(m.System.Home, ".jetbrains", "acp.json")
	write(t, file, acpJSON, 0o644)
	o := Options{Editor: "jetbrains", Entry: "A"}
	do := func(change func(Options) (Result, error), o Options) {
		t.Helper()
		if _, err := change(o); err != nil {
			t.Fatal(err)
		}
	}
	do(m.Wrap, o)
	before := content(t, file)
	o.Record = true
	do(m.Wrap, o)
	o.Record, o.NoRecord = false, true
	r, err := m.Wrap(o)
	if got := content(t, file); err != nil || got != before || !strings.Contains(r.Did, `no longer records the messages of "A"`) {
		t.Errorf("%v, %s: %s", err, r.Did, got)
	}
	do(m.Unwrap, o)
	if got := content(t, file); got != acpJSON {
		t.Errorf("unwrapped, it is %s", got)
	}
	const byHand = `{ "agent_servers": { "A": { "command": "/bin/sh", "args": ["--client", "x", "--record", "agent", "--record"] } } }`
	after, r := changed(t, m.Wrap, strings.Replace(byHand, "/bin/sh", m.System.Home+"/acpshim", 1), Options{NoRecord: true})
	if !strings.Contains(after, `"args": ["--client", "x", "agent", "--record"]`) {
		t.Errorf("by hand: %s: %s", r.Did, after)
	}
}

// Recording is turned on and off in entries whose agent acpshim does not know, too, and no message
// repeats their arguments.
func TestRecordingAnAgentThatIsNotKnown(t *testing.T) {
	m := machine(t)
	for _, args := range []string{`"connect", "--header", "X-Key: hunter2", "wss://a.example"`, `"--client", "x", "--start", "mine"`, `"--start=mine", "log"`} {
		entry := `{ "agent_servers": { "A": { "command": "/opt/acpshim", "args": [` + args + `] } } }`
		recorded := strings.Replace(entry, `[`, `["--record", `, 1)
		steps := []struct {
			o           Options
			did, become string
		}{
			{Options{NoRecord: true}, `acpshim does not record the messages of "A"`, entry},
			{Options{Record: true}, `acpshim now records the messages of "A"`, recorded},
			{Options{Record: true}, `acpshim already records the messages of "A"`, recorded},
			{Options{NoRecord: true}, `acpshim no longer records the messages of "A"`, entry},
		}
		for _, step := range steps {
			after, r := changed(t, m.Wrap, entry, step.o)
			if after != step.become || !strings.HasSuffix(r.Did, step.did) {
				t.Errorf("%s: %s\nwant %s: %s", r.Did, after, step.did, step.become)
			}
			entry = after
		}
	}
	for _, args := range []string{`"connect", "wss://a.example", "--record"`, `"--start", "mine", "--record", "log"`} {
		entry := `{ "agent_servers": { "A": { "command": "/opt/acpshim", "args": [` + args + `] } } }`
		after, r := changed(t, m.Wrap, entry, Options{NoRecord: true})
		if want := strings.Replace(entry, `, "--record"`, "", 1); after != want {
			t.Errorf("%s: %s, want %s", r.Did, after, want)
		}
	}
	const none = `{ "agent_servers": { "A": { "command": "/opt/acpshim", "args": [] } } }`
	if after, r := changed(t, m.Wrap, none, Options{Record: true}); after != none || !strings.Contains(r.Did, "it starts acpshim without an agent") {
		t.Errorf("without an agent: %s: %s", r.Did, after)
	}
}

// A list says which acpshim an entry starts, and whether it exists.
func TestTheListOfAnEditor(t *testing.T) {
	m := machine(t)
	write(t, filepath.Join(m.System.Home, ".config", "zed", "settings.json"), "{}", 0o644)
	write(t, filepath.Join(m.System.Home, ".jetbrains", "acp.json"), `{ "agent_servers": {
		"plain": { "command": "agent" },
		"here": { "command": "/opt/acpshim", "args": ["--record", "--", "agent"] },
		"gone": { "command": "/nowhere/acpshim", "args": ["--", "agent"] },
		"npx": { "command": "npx", "args": ["-y", "acpshim", "--", "agent", "-v"] },
		"remote": { "command": "/opt/acpshim", "args": ["connect", "wss://a.example"] } } }`, 0o644)
	list := func(editor string) (lines []string) {
		t.Helper()
		r, err := m.Wrap(Options{Editor: editor, List: true})
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(strings.ReplaceAll(string(r.Text), m.System.Home, "~")) {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
		return append(lines, r.Did)
	}
	want := []string{
		"EDITOR NAME WRAPPED ACPSHIM AGENT FILE",
		"jetbrains plain no agent ~/.jetbrains/acp.json",
		"jetbrains here recorded /opt/acpshim agent ~/.jetbrains/acp.json",
		"jetbrains gone yes /nowhere/acpshim (does not exist) agent ~/.jetbrains/acp.json",
		"jetbrains npx yes npx -y acpshim agent -v ~/.jetbrains/acp.json",
		"jetbrains remote yes /opt/acpshim (on another machine) ~/.jetbrains/acp.json",
	}
	if got := list("jetbrains"); !slices.Equal(got, append(want, "")) {
		t.Errorf("%q", got)
	}
	if got := list(""); len(got) != len(want)+2 || got[1] != "zed (no agents) ~/.config/zed/settings.json" {
		t.Errorf("of all: %q", got)
	}
	if got := list("acpx"); !slices.Equal(got, []string{"found no settings of acpx"}) {
		t.Errorf("of none: %q", got)
	}
	for editor, want := range map[string]string{"toad": "Toad has no settings that acpshim reads", "toed": `no editor "toed"`} {
		if _, err := m.Wrap(Options{Editor: editor, List: true}); err == nil || err.Error() != want {
			t.Errorf("of %s: %v", editor, err)
		}
	}
}

// A program is looked for in the PATH of its entry, and so is what it needs.
func TestThePathOfAnEntry(t *testing.T) {
	m := machine(t)
	other := filepath.Join(m.System.Home, "other")
	write(t, filepath.Join(other, "npx"), "#!/usr/bin/env node\n", 0o755)
	entry := `{ "agent_servers": { "A": { "command": "npx", "args": ["x"], "env": { "PATH": "/none:` + other + `" } } } }`
	for _, dir := range []string{"bin", "other"} {
		write(t, filepath.Join(m.System.Home, dir, "node"), "", 0o755)
		after, r := changed(t, m.Wrap, entry, Options{})
		if want := `"args": ["--", "` + other + `/npx", "x"], "env": { "PATH": "/none:` + other + `" }`; !strings.Contains(after, want) {
			t.Errorf("%s: %s", r.Did, after)
		}
		note := "npx needs node, which is in " + m.System.Home + "/bin: add this folder to the PATH in the entry's env"
		if got := strings.Contains(strings.Join(r.Notes, "\n"), note); got != (dir == "bin") {
			t.Errorf("with node in %s: %q", dir, r.Notes)
		}
	}
}

// Recording an entry that was wrapped by hand leaves nothing to put back but to take acpshim out.
func TestRecordingWhatIsWrappedByHand(t *testing.T) {
	m := machine(t)
	write(t, filepath.Join(m.System.Home, "bin", "acpshim"), "", 0o755)
	file := filepath.Join(m.System.Home, ".jetbrains", "acp.json")
	write(t, file, `{ "agent_servers": { "A": { "command": "acpshim", "args": ["agent", "-v"] } } }`, 0o644)
	o := Options{Editor: "jetbrains", Entry: "A", Record: true}
	if _, err := m.Wrap(o); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, file), `{ "agent_servers": { "A": { "command": "acpshim", "args": ["--record", "agent", "-v"] } } }`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := m.Unwrap(o); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, file), `{ "agent_servers": { "A": { "command": "agent", "args": ["-v"] } } }`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestProgramsInACache(t *testing.T) {
	for path, want := range map[string]bool{
		"/home/u/.cache/go-build/ab/cd-d/acpshim":                         true,
		"/tmp/go-build123/b001/exe/acpshim":                               true,
		`C:\Users\u\AppData\Local\Temp\go-build1\b001\exe\acpshim.exe`:    true,
		"/home/u/.npm/_npx/1f/node_modules/@acpshim/linux-x64/acpshim":    true,
		`C:\Users\u\AppData\Local\uv\cache\archive-v0\x\bin\acpshim.exe`:  true,
		"/home/u/.cache/uv/archive-v0/x/bin/acpshim":                      true,
		"/home/u/go/bin/acpshim":                                          false,
		"/home/u/.local/share/uv/tools/acpshim/bin/acpshim":               false,
		`C:\Users\u\AppData\Roaming\npm\node_modules\acpshim\acpshim.exe`: false,
	} {
		if got := isCached(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if _, err := (Machine{}).Wrap(Options{Editor: "zed", Entry: "x"}); !errors.Is(err, errNoShim) {
		t.Errorf("%v", err)
	}
}

func TestInterpreter(t *testing.T) {
	m := machine(t)
	dir := filepath.Join(m.System.Home, "bin")
	for text, want := range map[string]string{
		"#!/usr/bin/env agent\n":          "agent",
		"#!/usr/bin/env -S agent --x\r\n": "agent",
		"#!/usr/bin/env A=b agent":        "agent",
		"#!/bin/sh\n":                     "",
		"#!/usr/bin/env nothing\n":        "",
		"#!/usr/bin/env\n":                "",
		"\x7fELF env agent\n":             "",
		"":                                "",
	} {
		write(t, filepath.Join(dir, "script"), text, 0o755)
		name, in := interpreter(filepath.Join(dir, "script"), "")
		if name != want || name != "" && in != dir {
			t.Errorf("%q: %q in %q", text, name, in)
		}
	}
	if got := absolutePath("/a::/b:.:/a:c"); got != "/a:/b" {
		t.Error(got)
	}
}

// What the settings were before the first change stays until all of it is undone.
func TestTheFirstBackupStays(t *testing.T) {
	m := machine(t)
	file := filepath.Join(m.System.Home, ".jetbrains", "acp.json")
	const two = `{ "agent_servers": { "A": { "command": "agent" }, "B": { "command": "agent" } } }`
	change := func(change func(Options) (Result, error), entry string) {
		t.Helper()
		if _, err := change(Options{Editor: "jetbrains", Entry: entry}); err != nil {
			t.Fatal(err)
		}
	}
	write(t, file, two, 0o644)
	change(m.Wrap, "A")
	change(m.Wrap, "B")
	change(m.Unwrap, "A")
	if got := content(t, file+".acpshim-backup"); got != two {
		t.Errorf("it is %s", got)
	}
	change(m.Unwrap, "B")
	if got := content(t, file); got != two {
		t.Errorf("the settings are %s", got)
	}
	write(t, file, acpJSON, 0o644)
	change(m.Wrap, "A")
	if got := content(t, file+".acpshim-backup"); got != acpJSON {
		t.Errorf("then it is %s", got)
	}
	write(t, file, two, 0o644) // A is unwrapped by hand
	change(m.Wrap, "B")
	if got := content(t, file+".acpshim-backup"); got != two {
		t.Errorf("after a change by hand it is %s", got)
	}
	if err := os.Remove(file + ".acpshim-backup"); err != nil {
		t.Fatal(err)
	}
	before := content(t, file)
	change(m.Wrap, "A")
	if got := content(t, file+".acpshim-backup"); got != before {
		t.Errorf("made anew it is %s", got)
	}
}

// Settings keep their owner, their group and their mode, and so does what they were.
func TestSettingsKeepTheirOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	m := machine(t)
	file := filepath.Join(m.System.Home, ".jetbrains", "acp.json")
	write(t, file, acpJSON, 0o660)
	if err := errors.Join(os.Chmod(file, 0o660), os.Chown(file, 65534, 12345)); err != nil {
		t.Fatal(err)
	}
	want, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Wrap(Options{Editor: "jetbrains", Entry: "A"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, file + ".acpshim-backup"} {
		got, err := os.Stat(name)
		if err != nil || got.Mode() != want.Mode() || owner(got) != owner(want) {
			t.Errorf("%s is %v of %v, %v", name, got.Mode(), owner(got), err)
		}
	}
}

// Zed of Flatpak has settings of its own: they are changed where they, or their folder, are there.
func TestFlatpak(t *testing.T) {
	m := machine(t)
	file := filepath.Join(m.System.Home, ".var", "app", "dev.zed.Zed", "config", "zed", "settings.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	o := Options{Editor: "zed", Entry: "A", Command: []string{"agent"}}
	if _, err := m.Wrap(o); err != nil {
		t.Fatal(err)
	}
	if got := content(t, file); !strings.Contains(got, "/opt/acpshim") {
		t.Errorf("it is %s", got)
	}
	write(t, filepath.Join(m.System.Home, ".config", "zed", "settings.json"), "{}", 0o644)
	if _, err := m.Wrap(o); err == nil || !strings.Contains(err.Error(), "several files") {
		t.Errorf("with both: %v", err)
	}
}

// A script of this folder is named so that an editor finds it.
func TestRelativeScripts(t *testing.T) {
	m := machine(t)
	t.Chdir(m.System.Home)
	write(t, "agent.mjs", "", 0o644)
	r, err := m.Wrap(Options{Editor: "jetbrains", Entry: "A", Command: []string{"agent", "-x", "agent.mjs", "run"}})
	if err != nil || !strings.Contains(strings.Join(r.Notes, " "), `"agent.mjs" is a file here`) {
		t.Errorf("%+v, %v", r, err)
	}
	got := content(t, filepath.Join(m.System.Home, ".jetbrains", "acp.json"))
	if !strings.Contains(got, `"`+filepath.Join(m.System.Home, "agent.mjs")+`"`) || !strings.Contains(got, `"run"`) {
		t.Errorf("it is %s", got)
	}
}

// Wrapping again brings acpshim's path and PATH up to date, and unwrapping still restores the
// bytes.
func TestWrappingAgain(t *testing.T) {
	m := machine(t)
	file := filepath.Join(m.System.Home, ".jetbrains", "acp.json")
	write(t, file, acpJSON, 0o644)
	o := Options{Editor: "jetbrains", Entry: "A"}
	for _, program := range []string{"/opt/acpshim", "/usr/bin/acpshim", "/usr/bin/acpshim"} {
		m.Shim = program
		if _, err := m.Wrap(o); err != nil {
			t.Fatal(err)
		}
		if got := content(t, file); strings.Count(got, "acpshim") != 1 || !strings.Contains(got, program) {
			t.Errorf("with %s it is %s", program, got)
		}
	}
	if r, err := m.Wrap(o); err != nil || !strings.Contains(r.Did, "is already wrapped: ") {
		t.Errorf("once more: %+v, %v", r, err)
	}
	if _, err := m.Unwrap(o); err != nil {
		t.Fatal(err)
	}
	if got := content(t, file); got != acpJSON {
		t.Errorf("unwrapped it is %s", got)
	}
}

// Wrapping again where PATH is another one changes nothing for the worse.
func TestWrappingAgainWithoutPATH(t *testing.T) {
	m := machine(t)
	bin := filepath.Join(m.System.Home, "bin")
	write(t, filepath.Join(bin, "script"), "#!/usr/bin/env own-node\n", 0o755)
	write(t, filepath.Join(bin, "own-node"), "#!/bin/sh\n", 0o755)
	file := filepath.Join(m.System.Home, ".jetbrains", "acp.json")
	for _, name := range []string{"agent", filepath.Join(bin, "script")} {
		write(t, file, strings.Replace(acpJSON, "agent\"", name+"\"", 1), 0o644)
		t.Setenv("PATH", bin)
		if _, err := m.Wrap(Options{Editor: "jetbrains", Entry: "A"}); err != nil {
			t.Fatal(err)
		}
		want := content(t, file)
		t.Setenv("PATH", t.TempDir())
		if r, err := m.Wrap(Options{Editor: "jetbrains", Entry: "A"}); err != nil || content(t, file) != want {
			t.Errorf("%s: it was\n%s\nand is\n%s\n%+v, %v", name, want, content(t, file), r, err)
		}
	}
}

// An entry whose script is named relative to its folder is wrapped with the command that it has.
func TestARelativeScriptOfAnEntry(t *testing.T) {
	m := machine(t)
	t.Chdir(m.System.Home)
	write(t, "agent.mjs", "", 0o644)
	file := filepath.Join(m.System.Home, ".jetbrains", "acp.json")
	write(t, file, `{ "agent_servers": { "A": { "command": "agent", "args": ["agent.mjs"] } } }`, 0o644)
	r, err := m.Wrap(Options{Editor: "jetbrains", Entry: "A", Command: []string{"agent", "agent.mjs"}})
	if got := content(t, file); err != nil || !strings.Contains(got, `"agent.mjs"]`) || strings.Contains(strings.Join(r.Notes, " "), "is a file here") {
		t.Errorf("it is %s\n%+v, %v", got, r, err)
	}
}

// What is not found has the registry's command with it. For an editor in code, the name of an entry
// is not taken for its command.
func TestAgentsThatAreNotFound(t *testing.T) {
	m := machine(t)
	lookup := func(id string) ([]string, bool) {
		return []string{"npx", "-y", "@x/codex-acp@2.6.0"}, id == "codex-acp"
	}
	_, err := m.Wrap(Options{Editor: "jetbrains", Entry: "A", Command: []string{"codex-acp"}, Lookup: lookup})
	if err == nil || !strings.Contains(err.Error(), `agent "codex-acp": not found in PATH; the registry starts it with: -- npx -y @x/codex-acp@2.6.0`) {
		t.Errorf("got %v", err)
	}
	r, err := m.Wrap(Options{Editor: "agentic", Entry: "mine"})
	if err == nil || r.Text != nil || !strings.HasSuffix(err.Error(), `the command of "mine" is not known: run "acpshim wrap agentic mine -- COMMAND"`) {
		t.Errorf("%+v, %v", r, err)
	}
}
