package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/check/peer"
	"acpshim/internal/setup/config"
	"acpshim/internal/setup/editor"
	"acpshim/internal/setup/wrap"
)

// What node writes about a mistake has the mistake at its beginning.
func TestTheMostUsefulLinesAreQuoted(t *testing.T) {
	x := &examination{redactor: newRedactor(config.Config{}, false)}
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"\n  }\n", nil},
		{"one\ntwo\n", []string{"one", "two"}},
		{"one\ntwo\nthree\nfour\n", []string{"two", "three", "four"}},
		{"node:internal:1\nthrow new Error(x)\n\nError: no module\n  at a\n  at b\n  }\n}\n\nNode.js v20\n", []string{"throw new Error(x)", "Error: no module", "Node.js v20"}},
		{"token ghp_abcdefghijklmnopqrstuvwxyz0123456789\n", []string{"token [redacted:key]"}},
	} {
		if got := x.lastLines(c.text, 3); !slices.Equal(got, c.want) {
			t.Errorf("of %q: %q, want %q", c.text, got, c.want)
		}
	}
}

// session/new is not tried, so nothing is said of it.
func TestAnAgentWithoutOptionalMethods(t *testing.T) {
	x := &examination{}
	x.report.Agent = &Agent{}
	x.knows(map[string][]string{unknown: {"session/list", "session/load"}}, unknown)
	if got, want := x.report.Findings[0].Text, "knows none of the optional methods; not session/list, load"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestOutcomesOfAMethod(t *testing.T) {
	for _, c := range []struct {
		result, failure string
		err             error
		want            string
	}{
		{"{}", "", nil, known},
		{"", `{"code":-32602,"message":"m"}`, nil, known},
		{"", `{"code":-32603}`, nil, known},
		{"", `{"code":-32601}`, nil, unknown},
		{"", `{"code":-32000}`, nil, login},
		{"", "", peer.ErrSilent, silent},
		{"", "", peer.ErrEnded, silent},
	} {
		e := &peer.Exchange{Response: &peer.Message{Result: []byte(c.result), Error: []byte(c.failure)}}
		if got := outcome(e, c.err); got != c.want {
			t.Errorf("%s %v: %s, want %s", c.failure, c.err, got, c.want)
		}
	}
}

// What an agent does with an invented method limits what its other outcomes say, but not all of
// them.
func TestMethodsAreReportedWithAnInventedOne(t *testing.T) {
	for invented, want := range map[string][]string{
		unknown: {"knows session/list; not session/load", "not logged in: session/fork is refused", "no response within 5s to session/close"},
		known: {"the agent treats an invented method as known, not as error -32601", "not session/load",
			"not logged in: session/fork is refused", "no response within 5s to session/close"},
		login: {"the agent treats an invented method as login, not as error -32601", "knows session/list; not session/load",
			"not logged in: session/fork is refused", "no response within 5s to session/close"},
	} {
		x := &examination{}
		x.report.Agent = &Agent{}
		x.knows(map[string][]string{known: {"session/list"}, unknown: {"session/load"}, login: {"session/fork"}, silent: {"session/close"}}, invented)
		var got []string
		for _, f := range x.report.Findings {
			got = append(got, f.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("an invented method is %s: %q, want %q", invented, got, want)
		}
	}
}

func TestWhatAProgramNeeds(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string][]string{
		"#!/usr/bin/env node\nx":             {"node"},
		"#! /usr/bin/env -S A=1 node --x\n":  {"node"},
		"#!/bin/sh\n":                        nil,
		"#!/usr/bin/env\n":                   nil,
		"\x7fELF /usr/bin/env node":          nil,
		"#!/usr/bin/env " + long(300) + "\n": {long(300)[:256-len("#!/usr/bin/env ")]},
	} {
		path := filepath.Join(dir, "program")
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		if got := needed(path); !slices.Equal(got, want) {
			t.Errorf("%.40q needs %q, want %q", text, got, want)
		}
	}
	if got := needed(filepath.Join(dir, "uvx")); !slices.Equal(got, []string{"uv"}) {
		t.Errorf("uvx needs %q", got)
	}
}

// That a command is relative is told wherever the PATH of editors is that of a shell, too, as on
// Windows.
func TestARelativeCommandIsReported(t *testing.T) {
	for _, where := range []string{"", "/none"} {
		for name, is := range map[string]bool{"bin/agent": true, "./agent": true, "agent": false, "/bin/agent": false} {
			x := &examination{}
			x.starts(name, "/bin/agent", where)
			got := len(x.report.Findings) > 0 && x.report.Findings[0].Subject == "command"
			if got != is {
				t.Errorf("%q, %q: %v", name, where, x.report.Findings)
			}
		}
	}
}

func long(n int) string { return strings.Repeat("x", n) }

func TestResultsAreCompared(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[1]}`, `{"b":[1],"a":1.0}`, true},
		{`{"a":1,"_meta":{"at":1}}`, `{"a":1,"_meta":{"at":2}}`, true},
		{`{"a":1}`, `{"a":1,"plan":{}}`, false},
		{`{}`, `[]`, false},
	} {
		if got := same([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}

// The todo tool is found by the shipped configuration alone.
func TestTheTodoToolOfAnAgent(t *testing.T) {
	c := config.Default()
	for agent, want := range map[string]string{
		"@agentclientprotocol/codex-acp": "(plan.tool codex)",
		"OpenCode":                       "(plan.tool opencode, opencode-loaded)",
		"Kiro CLI":                       "(plan.tool kiro)",
		"another":                        "acpshim knows no todo tool of this agent",
	} {
		x := &examination{}
		x.todoTools(c, agent)
		if got := x.report.Findings[0]; !strings.Contains(got.Text, want) || got.isDetail != (agent == "another") {
			t.Errorf("%s: %+v", agent, got)
		}
	}
}

// The names of the members are what bug reports are read by.
func TestTheReportKeepsItsNames(t *testing.T) {
	r := Report{redactor: newRedactor(config.Config{}, true), Findings: []Finding{{OK, "s", "t", "d", []string{"q"}, true}}, Agent: &Agent{Capabilities: []byte(`{"plan":{}}`)}}
	want := `{"schema":0,"acpshim":"","system":"","client":"","command":null,"env":null,` +
		`"agent":{"name":"","version":"","protocolVersion":0,"capabilities":{"plan":{}},"authMethods":null,"planSupportChangesTheResponse":false},` +
		`"methods":null,"junk":0,"stderr":null,"profiles":null,"findings":[{"level":"ok","subject":"s","text":"t","do":"d","quote":["q"]}],"problems":0,"notes":0}`
	if got := string(r.JSON()); got != want {
		t.Errorf("%s", got)
	}
}

func TestEntriesOfEditors(t *testing.T) {
	there, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	row := func(name, problem string, command ...string) wrap.Row {
		r := wrap.Row{Editor: "zed", File: "/f", Entry: editor.Entry{Name: name, Command: command, Problem: problem}}
		if r.IsGone = name == "b"; r.IsGone {
			r.Acpshim = command[0]
		}
		return r
	}
	shim := filepath.Join(t.TempDir(), "acpshim")
	if err := os.Symlink(there, shim); err != nil {
		t.Skip(err)
	}
	wrapped, gone, plain := row("a", "", shim, "--", "x"), row("b", "", "/gone/acpshim", "--", "x"), row("c", "", "x")
	for _, c := range []struct {
		rows []wrap.Row
		want []string
	}{
		{nil, []string{"ok found no settings of an editor (acpshim wrap -h lists some)"}},
		{[]wrap.Row{wrapped, plain}, []string{`ok these start through acpshim: zed "a"`, `ok these start without acpshim: zed "c"`}},
		{[]wrap.Row{row("a", "", shim, "--", "node", "agent.mjs", "--inspect=x.js", "/srv/b.mjs", "../c")}, []string{
			`note zed "a" has agent.mjs, ../c, a path relative to the folder in which the editor starts the agent`, `ok these start through acpshim: zed "a"`}},
		{[]wrap.Row{row("a", "", shim, "--", "npx", "-y", "@scope/agent.js", "https://example.com/a.js")}, []string{`ok these start through acpshim: zed "a"`}},
		{[]wrap.Row{row("a", "it has no agent", shim, "connect", "wss://a.example")}, []string{`ok these start through acpshim: zed "a"`}},
		{[]wrap.Row{plain}, []string{`note none of these starts through acpshim: zed "c"`}},
		{[]wrap.Row{row("registry", ""), plain}, []string{`note none of these starts through acpshim: zed "registry", zed "c"`}},
		{[]wrap.Row{gone}, []string{`problem zed "b" starts /gone/acpshim, which does not exist`}},
		{[]wrap.Row{row("", "no JSON")}, []string{"note /f: no JSON"}},
		{[]wrap.Row{row("", "")}, []string{"note no agents in /f"}},
	} {
		x := &examination{}
		x.entries(c.rows)
		if f := x.report.Findings[0]; strings.HasPrefix(f.Text, "none of these") && !strings.HasSuffix(f.Do, `run: acpshim wrap zed "c"`) && !strings.HasSuffix(f.Do, `run: acpshim wrap zed "registry" -- COMMAND`) {
			t.Errorf("the hint is %q", f.Do)
		}
		var got []string
		for _, f := range x.report.Findings {
			got = append(got, string(f.Level)+" "+f.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("got %q\nwant %q", got, c.want)
		}
	}
}
