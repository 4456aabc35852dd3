package doctor

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"acpshim"
	"acpshim/filters/rule"
	"acpshim/internal/config"
	"acpshim/translate/plans"
)

// found is what is said for an editor and an agent with a configuration.
func found(t *testing.T, toml string) string {
	t.Helper()
	c, err := config.Parse(config.Default(acpshim.DefaultConfig), "c", toml)
	if err != nil {
		t.Fatal(err)
	}
	x := &examination{Options: Options{Config: c, Client: rule.Peer{Name: "e"}}}
	x.chain = &chain{agreed: &plans.Negotiation{Advertised: true}}
	x.chain.agreed.Agent.Name = "a"
	x.report.Agent = &Agent{AuthMethods: []string{"key"}, Capabilities: []byte(`{"promptCapabilities":{"audio":true}}`)}
	x.client()
	var b strings.Builder
	for _, f := range x.report.Findings {
		b.WriteString(string(f.Level) + " " + f.Text + "\n")
	}
	return b.String()
}

// Each adapter that docs/compatibility.md has is told of where it does something for two peers, and
// only there.
func TestEachAdapterIsToldOf(t *testing.T) {
	type told struct{ is, not, want string } // settings with which it is told of, and is not
	by := map[string]told{
		"gate.notices":        {`gate.notices = "drop"`, ``, "does not get notices"},
		"junk":                {`junk = "drop"`, ``, "lines that are no messages do not reach it"},
		"choices.bridge":      {``, `choices.bridge = false`, "adapts modes, models"},
		"version.bridge":      {``, `version.bridge = false`, "if it speaks only version 2 of the protocol, acpshim translates"},
		"plan.bridge":         {``, `plan.bridge = false`, "both spellings"},
		"plan.show_as":        {``, `plan.show_as = "none"`, "gets plan updates as one legacy plan"},
		"questions.ask":       {``, `questions.ask = "pass"`, "questions;"},
		"login.method":        {`login.method = "key"`, ``, `ok acpshim logs in by "key"`},
		"turns.queue":         {`turns.queue = 1`, ``, "up to 1 prompt waits while one runs"},
		"turns.cancel_grace":  {`turns.cancel_grace = "3s"`, ``, "ended 3s after it was cancelled"},
		"images.files":        {`images.files = true`, ``, "which the agent gets as files"},
		"services.fs":         {`services.fs = "refused"`, `services.fs = "missing"`, "or refuses one, acpshim reads and writes it"},
		"services.terminal":   {`services.terminal = true`, ``, "commands of the agent are run by acpshim"},
		"path":                {"[[path]]\nclient = '/c'\nagent = '/a'", ``, `paths below "/c"`},
		"repair.auth_methods": {``, `repair.auth_methods = false`, "auth_methods"},
		"repair.cancel":       {``, `repair.cancel = false`, "repairs auth_methods, cancel"},
		"repair.diffs":        {``, `repair.diffs = false`, "diffs"},
		"repair.login_code":   {`repair.login_code = true`, ``, "login_code"},
		"repair.option_ids":   {`repair.option_ids = true`, ``, "option_ids"},
		"repair.mcp_servers":  {``, `repair.mcp_servers = false`, "mcp_servers"},
		"repair.resume":       {`repair.resume = true`, ``, "resume"},
		"repair.shell_lines":  {`repair.shell_lines = true`, ``, "shell_lines"},
		"repair.terminals":    {``, `repair.terminals = "pass"`, "terminals"},
		"repair.tool_calls":   {``, `repair.tool_calls = false`, "tool_calls"},
		"repair.refusals":     {``, `repair.refusals = false`, "refusals"},
		"gate.updates":        {`gate.updates = ["x"]`, ``, "does not get updates of the kinds x"},
		"output.report":       {`output.report = true`, ``, "gets what commands print as terminals"},
		"output.raw":          {`output.raw = true`, ``, "is shown what a tool returned"},
		"turns.late":          {`turns.late = "drop"`, ``, "does not get parts of a conversation after"},
		"repair.echo":         {`repair.echo = true`, ``, "echo"},
		"repair.asked_calls":  {`repair.asked_calls = true`, ``, "asked_calls"},
		"opening.repeat":      {`opening.repeat = true`, ``, "are sent once more with the first prompt"},
		"repair.mcp_refused":  {``, `repair.mcp_refused = false`, "mcp_refused"},
		"repair.load":         {`repair.load = "resume"`, ``, "load"},
		"repair.option_kinds": {``, `repair.option_kinds = false`, "option_kinds"},
		"repair.usage":        {``, `repair.usage = false`, "usage"},
		"repair.version":      {``, `repair.version = false`, "usage, version"},
		"command": {"[[command]]\nname = 'x'\ndescription = 'd'\nagent = 'a'", "[[command]]\nname = 'x'\ndescription = 'd'\nagent = 'b'",
			"1 command of acpshim if the agent announces none: /x"},
		"permission": {"[[permission]]\nname = 'x'\nkind = 'read'\nanswer = 'ask'\nclient = 'e'", "[[permission]]\nname = 'x'\nkind = 'read'\nanswer = 'ask'\nclient = 'f'",
			`1 permission rule answers for it: "x"`},
		"rule": {"[[rule]]\nname = 'x'\noff = true\nmethod = 'm'\nlog = true\n[[profile]]\nclient = 'e'\nrules_on = ['x']", "[[rule]]\nname = 'x'\noff = true\nmethod = 'm'\nlog = true",
			`1 rule applies: "x"`},
	}
	for key, c := range by {
		if got := found(t, c.is); !strings.Contains(got, c.want) {
			t.Errorf("%s: with %q it says nothing of %q:\n%s", key, c.is, c.want, got)
		}
		if got := found(t, c.not); strings.Contains(got, c.want) {
			t.Errorf("%s: with %q it says %q:\n%s", key, c.not, c.want, got)
		}
	}
	text, err := os.ReadFile("../../docs/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "<!-- begin adapters -->")
	table, _, _ = strings.Cut(table, "<!-- end -->")
	rows := regexp.MustCompile("(?m)^\\|[^|]*\\|[^|]*\\|( `[^|]*) \\|").FindAllStringSubmatch(table, -1)
	if len(rows) < 20 {
		t.Fatalf("%d adapters in docs/compatibility.md", len(rows))
	}
	for _, row := range rows {
		is := false
		for key := range strings.SplitSeq(row[1], ",") {
			_, told := by[strings.Trim(key, " `")]
			is = is || told
		}
		if !is {
			t.Errorf("the adapter with the keys %s is not told of", row[1])
		}
	}
}

// What is configured and cannot work is told, too.
func TestWhatDoesNothingIsToldOf(t *testing.T) {
	if got, want := found(t, `login.method = "browser"`), `note acpshim is to log in by "browser" (login.method, c:1), which the agent does not offer`; !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
}
