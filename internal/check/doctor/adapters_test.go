package doctor

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"acpshim/filters/rule"
	"acpshim/internal/setup/config"
)

// found is what is said for an editor and an agent with a configuration.
func found(t *testing.T, toml string) string {
	t.Helper()
	c, err := config.Parse(config.Default(), "c", toml)
	if err != nil {
		t.Fatal(err)
	}
	x := &examination{Options: Options{Config: c, Client: rule.Peer{Name: "e"}}}
	x.plansCome = true
	x.report.Agent = &Agent{Name: "a", Protocol: 1, AuthMethods: []string{"key"}, Capabilities: []byte(`{"promptCapabilities":{"audio":true}}`)}
	x.client()
	var b strings.Builder
	for _, f := range x.report.Findings {
		b.WriteString(string(f.Level) + " " + f.Text + "\n")
	}
	return b.String()
}

// The doctor reports each adapter of docs/compatibility.md where it changes something, and only
// there.
func TestReportsEachAdapterThatIsOn(t *testing.T) {
	type setting struct{ on, off, want string } // on: it is reported as want; off: it is not
	by := map[string]setting{
		"gate.notices":              {`gate.notices = "drop"`, ``, "does not get notices"},
		"junk":                      {`junk = "drop"`, ``, "lines that are not messages do not reach it"},
		"choices.bridge":            {``, `choices.bridge = false`, "adapts modes, models"},
		"version.bridge":            {``, `version.bridge = false`, "only 1: acpshim translates for an editor that speaks only 2"},
		"plan.bridge":               {``, `plan.bridge = false`, "both spellings"},
		"plan.show_as":              {``, `plan.show_as = "none"`, "plan updates come as one legacy plan"},
		"questions.ask":             {``, `questions.ask = "pass"`, "questions;"},
		"login.method":              {`login.method = "key"`, ``, `ok acpshim logs in with "key"`},
		"turns.queue":               {`turns.queue = 1`, ``, "up to 1 prompt while a turn runs"},
		"turns.cancel_grace":        {`turns.cancel_grace = "3s"`, ``, "a cancelled turn ends after 3s"},
		"images.files":              {`images.files = true`, ``, "the agent gets them as files"},
		"images.drop_uris":          {`images.drop_uris = true`, ``, "without URIs that only the editor can read"},
		"services.fs":               {`services.fs = "refused"`, `services.fs = "missing"`, "does not offer to, or refuses"},
		"services.terminal":         {`services.terminal = true`, ``, "acpshim runs the agent's commands"},
		"path":                      {"[[path]]\nclient = '/c'\nagent = '/a'", ``, `the editor's folder "/c"`},
		"repair.auth_methods":       {``, `repair.auth_methods = false`, "auth_methods"},
		"repair.cancel":             {``, `repair.cancel = false`, "authenticate, cancel, cancel_request"},
		"repair.call_ids":           {`repair.call_ids = true`, ``, "call_ids"},
		"repair.chunks":             {``, `repair.chunks = false`, "chunks"},
		"repair.diffs":              {``, `repair.diffs = false`, "diffs"},
		"repair.login_code":         {`repair.login_code = true`, ``, "login_code"},
		"repair.option_ids":         {`repair.option_ids = true`, ``, "option_ids"},
		"repair.mcp_servers":        {``, `repair.mcp_servers = false`, "mcp_servers"},
		"repair.permission_reasons": {`repair.permission_reasons = true`, ``, "permission_reasons"},
		"repair.resume":             {`repair.resume = true`, ``, "resume"},
		"repair.shell_lines":        {`repair.shell_lines = true`, ``, "shell_lines"},
		"repair.terminals":          {``, `repair.terminals = "pass"`, "terminals"},
		"repair.tool_calls":         {``, `repair.tool_calls = false`, "tool_calls"},
		"repair.refusals":           {``, `repair.refusals = false`, "refusals"},
		"gate.updates":              {`gate.updates = ["x"]`, ``, "does not get updates of the kinds x"},
		"output.report":             {`output.report = true`, ``, "output of commands as terminals"},
		"output.raw":                {`output.raw = true`, ``, "the result of a tool as content"},
		"turns.late":                {`turns.late = "drop"`, ``, "updates after the end of a turn are dropped"},
		"deadline.start":            {`deadline.start = "30s"`, ``, "initialize fails if the agent does not respond within 30s"},
		"deadline.vendor":           {`deadline.vendor = "30s"`, ``, "acpshim refuses the agent's own methods if the editor does not respond within 30s"},
		"repair.echo":               {`repair.echo = true`, ``, "echo"},
		"repair.asked_calls":        {`repair.asked_calls = true`, ``, "asked_calls"},
		"repair.message_breaks":     {``, `repair.message_breaks = false`, "message_breaks"},
		"prompt.instructions":       {`prompt.instructions = "style.md"`, ``, `the agent gets the text of "style.md" in new sessions`},
		"opening.repeat":            {`opening.repeat = true`, ``, "acpshim repeats commands and options"},
		"repair.mcp_refused":        {``, `repair.mcp_refused = false`, "mcp_refused"},
		"repair.load":               {`repair.load = "resume"`, ``, "load"},
		"repair.option_kinds":       {``, `repair.option_kinds = false`, "option_kinds"},
		"repair.usage":              {``, `repair.usage = false`, "usage"},
		"repair.version":            {``, `repair.version = false`, "usage, version"},
		"repair.cancel_request":     {``, `repair.cancel_request = false`, "cancel_request"},
		"repair.authenticate":       {``, `repair.authenticate = false`, "repairs auth_methods, authenticate"},
		"repair.session_folder":     {`repair.session_folder = true`, ``, "session_folder"},
		"prompt.links":              {`prompt.links = "text"`, ``, "the agent gets links and files of a prompt as text"},
		"plan.idle":                 {`plan.idle = "pending"`, ``, "no entry of a plan stays in progress after a turn"},
		"repair.one_reject":         {`repair.one_reject = true`, ``, "one_reject"},
		"command": {"[[command]]\nname = 'x'\ndescription = 'd'\nagent = 'a'", "[[command]]\nname = 'x'\ndescription = 'd'\nagent = 'b'",
			"acpshim announces 1 command if the agent announces none: /x"},
		"permission": {"[[permission]]\nname = 'x'\nkind = 'read'\nanswer = 'ask'\nclient = 'e'", "[[permission]]\nname = 'x'\nkind = 'read'\nanswer = 'ask'\nclient = 'f'",
			`1 permission rule applies: "x"`},
		"rule": {"[[rule]]\nname = 'x'\noff = true\nmethod = 'm'\nlog = true\n[[profile]]\nclient = 'e'\nrules_on = ['x']", "[[rule]]\nname = 'x'\noff = true\nmethod = 'm'\nlog = true",
			`1 rule applies: "x"`},
	}
	for key, c := range by {
		if got := found(t, c.on); !strings.Contains(got, c.want) {
			t.Errorf("%s: with %q there is no %q:\n%s", key, c.on, c.want, got)
		}
		if got := found(t, c.off); strings.Contains(got, c.want) {
			t.Errorf("%s: with %q there is %q:\n%s", key, c.off, c.want, got)
		}
	}
	text, err := os.ReadFile("../../../docs/compatibility.md")
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
		isReported := func(cell string) bool { // such as `repair.usage = true` or `[[rule]]`
			key, _, _ := strings.Cut(strings.Trim(cell, " `[]"), " = ")
			_, ok := by[key]
			return ok
		}
		if !slices.ContainsFunc(strings.Split(row[1], "<br>"), isReported) {
			t.Errorf("the doctor does not report the adapter with the keys %s", row[1])
		}
	}
}

// A configured key that cannot work is reported, too.
func TestReportsALoginMethodThatTheAgentDoesNotOffer(t *testing.T) {
	if got, want := found(t, `login.method = "browser"`), `note the agent does not offer the login method "browser" (login.method, c:1)`; !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
}
