package editor

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestFiles(t *testing.T) {
	linux := System{OS: "linux", Home: "/home/u"}
	xdg := System{OS: "linux", Home: "/home/u", Config: "/x"}
	mac := System{OS: "darwin", Home: "/Users/u", Config: "/x"}
	windows := System{OS: "windows", Home: `C:\Users\u`}
	roaming := System{OS: "windows", Home: `C:\Users\u`, AppData: `D:\u\Roaming`}
	vaults := `{"vaults":{"a":{"path":"/v/one","ts":1},"b":{}}}`
	for _, test := range []struct {
		system       System
		editor, file string
	}{
		{linux, "zed", "/home/u/.config/zed/settings.json /home/u/.var/app/dev.zed.Zed/config/zed/settings.json"},
		{xdg, "zed", "/x/zed/settings.json /home/u/.var/app/dev.zed.Zed/config/zed/settings.json"},
		{mac, "zed", "/Users/u/.config/zed/settings.json"},
		{windows, "zed", `C:\Users\u\AppData\Roaming\Zed\settings.json`},
		{roaming, "zed", `D:\u\Roaming\Zed\settings.json`},
		{linux, "jetbrains", "/home/u/.jetbrains/acp.json"},
		{windows, "jetbrains", `C:\Users\u\.jetbrains\acp.json`},
		{linux, "vscode", "/home/u/.config/Code/User/settings.json /home/u/.var/app/com.visualstudio.code/config/Code/User/settings.json"},
		{mac, "vscode", "/Users/u/Library/Application Support/Code/User/settings.json"},
		{windows, "vscode-insiders", `C:\Users\u\AppData\Roaming\Code - Insiders\User\settings.json`},
		{xdg, "vscodium", "/x/VSCodium/User/settings.json /home/u/.var/app/com.vscodium.codium/config/VSCodium/User/settings.json"},
		{linux, "cursor", "/home/u/.config/Cursor/User/settings.json"},
		{mac, "acpx", "/Users/u/.acpx/config.json"},
		{linux, "obsidian", "/v/one/.obsidian/plugins/agent-client/data.json"},
		{linux, "toad", ""},
	} {
		if got := strings.Join(named(t, test.editor).Files(test.system, []byte(vaults)), " "); got != test.file {
			t.Errorf("%s on %s: %s, want %s", test.editor, test.system.OS, got, test.file)
		}
	}
	if got, want := Vaults(mac), "/Users/u/Library/Application Support/obsidian/obsidian.json"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestWindowsPaths(t *testing.T) {
	text := []byte(`{"agent_servers":{"Codex":{"command":"codex-acp.cmd"}}}`)
	d, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	e := named(t, "zed")
	entry, err := d.Entry(e, "Codex")
	if err != nil || entry == nil {
		t.Fatalf("%v, %v", entry, err)
	}
	c, err := d.Wrap(e, entry, Shim{Program: `C:\Program Files\acpshim.EXE`}, `C:\Users\ü u\codex-acp.cmd`)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"agent_servers":{"Codex":{"command":"C:\\Program Files\\acpshim.EXE", "args": ["--", "C:\\Users\\ü u\\codex-acp.cmd"]}}}`
	if got := string(c.Apply(text)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	checkBack(t, e, "Codex", text, c)
	c, err = mustParse(t, `{}`).Add(named(t, "acpx"), System{OS: "windows"}, "codex", Shim{Program: `C:\acpshim.exe`}, []string{`C:\codex-acp.cmd`})
	if err != nil || !strings.Contains(string(c.New), `"argv": ["C:\\acpshim.exe", "--", "C:\\codex-acp.cmd"]`) {
		t.Errorf("acpx takes no line there: %s, %v", c.New, err)
	}
}

func mustParse(t *testing.T, text string) *Document {
	t.Helper()
	d, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Mistakes say where they are, and an entry with one does not hide the others.
func TestWrongSettings(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"{\n  \"a\": ]\n}", "line 2, column 8: invalid character ']' at start of value"},
		{"[]", "line 1, column 1: want an object with the settings"},
		{"{} {}", "line 1, column 4: invalid character '{' after top-level value"},
	} {
		if _, err := Parse([]byte(test.text)); err == nil || err.Error() != test.want {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
	e := named(t, "zed")
	for _, test := range []struct{ entry, want string }{
		{`{"command": 1}`, "line 2, column 31: the command has to be a string"},
		{`{"command": " "}`, "line 2, column 19: the command is empty"},
		{`{"command": "x", "args": "y"}`, "line 2, column 44: the arguments have to be an array of strings"},
		{`{"command": "x", "args": [1]}`, "line 2, column 45: an argument has to be a string"},
		{`{"command": "x", "command": "y"}`, `line 2, column 36: "command" is repeated, the first one ends before line 2, column 31: remove one of the two`},
		{`{"command": "acpshim", "args": ["--start", "codex"]}`, "acpshim's own configuration names the agent: acpshim --start codex"},
		{`{"command": "acpshim", "args": ["--record"]}`, "it starts acpshim without an agent: acpshim --record"},
	} {
		d := mustParse(t, "{\"agent_servers\": {\n  \"Codex\":        "+test.entry+", \"Other\": {\"command\": \"o\"}}}")
		entries, err := d.Entries(e)
		if err != nil || len(entries) != 2 || entries[1].Problem != "" {
			t.Fatalf("%+v, %v", entries, err)
		}
		if entries[0].Problem != test.want {
			t.Errorf("%s: %s, want %s", test.entry, entries[0].Problem, test.want)
		}
		if _, err := d.Wrap(e, &entries[0], Shim{Program: shim}, "/x"); err == nil {
			t.Errorf("%s was wrapped", test.entry)
		}
	}
	_, err := mustParse(t, "{\"agent_servers\": {},\n \"agent_servers\": {}}").Entries(e)
	if want := `line 2, column 2: "agent_servers" is repeated, the first one ends before line 1, column 19: remove one of the two`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := mustParse(t, `{"agent_servers": []}`).Add(e, System{}, "x", Shim{Program: shim}, []string{"/x"}); err == nil {
		t.Error("an entry was added to what is no list")
	}
	acpx := named(t, "acpx")
	d := mustParse(t, `{"agents": {"codex": {"command": "codex", "args": []}}}`)
	entry, err := d.Entry(acpx, "codex")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Wrap(acpx, entry, Shim{Program: "/a b/acpshim"}, "/x"); err == nil || !strings.Contains(err.Error(), "acpx does not accept a space") {
		t.Errorf("%v", err)
	}
}

func TestWhatIsWrapped(t *testing.T) {
	for _, test := range []struct {
		command, agent string
		recording      bool
	}{
		{"acpshim -- codex-acp -v", "codex-acp -v", false},
		{"/opt/acpshim codex-acp -- x", "codex-acp -- x", false},
		{"/opt/acpshim --record --log-level debug --set=a=b codex-acp", "codex-acp", true},
		{"acpshim.exe --config c.toml -- codex-acp", "codex-acp", false},
		{"npx -y acpshim@latest -- codex-acp", "codex-acp", false},
		{"/opt/acpshim-linux-amd64 -- codex-acp", "codex-acp", false},
		{"/opt/acpshim_0.1.0 --record -- codex-acp", "codex-acp", true},
		{"acpshimmer -- codex-acp", "", false},
		{"uvx acpshim --record -- codex-acp", "codex-acp", true},
		{"npx -p acpshim acpshim -- codex-acp", "codex-acp", false},
		{"uvx --python 3.12 acpshim -- codex-acp", "codex-acp", false},
		{"npx -y codex-acp", "", false},
		{"codex-acp acpshim", "", false},
		{"npx", "", false},
	} {
		command, _, _ := words(test.command)
		n, recording, err := shimmed(command)
		if agent := Line(command[n:]); n > 0 != (test.agent != "") || n > 0 && agent != test.agent || recording != test.recording || err != nil {
			t.Errorf("%s: %q, %v, %v", test.command, agent, recording, err)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("/a b/c", `d"\$`, "")
	f.Add("x\u00a0y", "\ufeff", "'\n")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		want := []string{a, b, c}
		for i, word := range want {
			want[i] = strings.ToValidUTF8(word, "?")
		}
		line := Line(want)
		got, ends, ok := words(line)
		if !ok || !slices.Equal(got, want) || ends[2] != len(line) {
			t.Errorf("%q is %q, %v, %v", line, got, ends, ok)
		}
	})
}

// What others do to a file between a change and its undoing is not undone.
func TestUndoAmongOtherChanges(t *testing.T) {
	e := named(t, "zed")
	before := "{\n  \"agent_servers\": {}\n}\n"
	c, err := mustParse(t, before).Add(e, System{}, "Codex", Shim{Program: shim}, []string{"/x"})
	if err != nil {
		t.Fatal(err)
	}
	after := string(c.Apply([]byte(before)))
	for _, test := range []struct {
		name, old, new string
		ok             bool
	}{
		{"elsewhere", "{\n", "{\n  \"theme\": \"x\",\n", true},
		{"another entry", "    }\n  }", "    },\n    \"Other\": {}\n  }", false},
		{"in the entry", `"env": {}`, `"env": {"A": "b"}`, false},
		{"another name", `"Codex"`, `"Codex 2"`, false},
	} {
		changed := []byte(strings.Replace(after, test.old, test.new, 1))
		undone, ok := mustParse(t, string(changed)).Undo(e, "Codex", c)
		if ok != test.ok {
			t.Errorf("%s: %v", test.name, ok)
		}
		if want := strings.Replace(before, test.old, test.new, 1); ok && !bytes.Equal(undone.Apply(changed), []byte(want)) {
			t.Errorf("%s: %s, want %s", test.name, undone.Apply(changed), want)
		}
	}
}

// The lines of an entry go with it, and comments stay.
func TestRemove(t *testing.T) {
	const codex = `"Codex": {"command": "x"}`
	for before, after := range map[string]string{
		"{\"agent_servers\": {" + codex + "}}":                                `{"agent_servers": {}}`,
		"{\"agent_servers\": {\"A\": {}, " + codex + "}}":                     `{"agent_servers": {"A": {} }}`,
		"{\"agent_servers\": {\n  " + codex + "\n}}":                          "{\"agent_servers\": {\n}}",
		"{\"agent_servers\": {\n  " + codex + ", // x\n  \"A\": {}\n}}":       "{\"agent_servers\": {\n   // x\n  \"A\": {}\n}}",
		"{\"agent_servers\": {\r\n  \"A\": {}, // a\r\n  " + codex + "\r\n}}": "{\"agent_servers\": {\r\n  \"A\": {} // a\r\n}}",
		"{\"agent_servers\": {\n  // c\n  " + codex + ",\n  \"A\": {},\n}}":   "{\"agent_servers\": {\n  // c\n  \"A\": {},\n}}",
	} {
		d := mustParse(t, before)
		entry, err := d.Entry(named(t, "zed"), "Codex")
		if err != nil {
			t.Fatal(err)
		}
		if got := string(d.Remove(entry).Apply([]byte(before))); got != after {
			t.Errorf("%q is %q, want %q", before, got, after)
		}
	}
}
