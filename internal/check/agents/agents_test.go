package agents

import (
	"cmp"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"acpshim/internal/check/agents/agenttest"
	"acpshim/internal/check/conformance"
	"acpshim/internal/setup/config"
)

// TestMain runs the scripted agent if this process is one.
func TestMain(m *testing.M) {
	if os.Getenv(agenttest.Folder) != "" {
		agenttest.Main()
		return
	}
	flag.Parse()
	flag.Set("test.parallel", "6") // tests wait most of the time
	os.Exit(m.Run())
}

// checked checks the scripted agent with faults.
func checked(t *testing.T, o Options, faults ...string) conformance.Report {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Config = config.Default()
	o.Config.Record.Folder = t.TempDir()
	o.Command = append([]string{self}, faults...)
	o.Env = append(o.Env, agenttest.Folder+"="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	o.Version = "v"
	switch o.Prompt {
	case "":
		o.Prompt = DefaultPrompt
	case "none":
		o.Prompt = ""
	}
	o.times = times{start: cmp.Or(o.times.start, 10*time.Second), request: 3 * time.Second, prompt: 5 * time.Second, quiet: 150 * time.Millisecond,
		early: time.Second, cancel: 200 * time.Millisecond, end: 2 * time.Second}
	if o.Timeout > 0 {
		o.times.request = o.Timeout
	}
	report, err := Check(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// wrong returns the failures and the warnings of a report, and requires that each has messages
// that the record has.
func wrong(t *testing.T, r conformance.Report) map[string]conformance.Finding {
	t.Helper()
	found := map[string]conformance.Finding{}
	for _, f := range r.Rules {
		if f.Status == conformance.Failed || f.Status == conformance.Warning {
			found[f.Rule] = f
			if _, err := os.Stat(f.Record); err != nil {
				t.Errorf("%s: the record: %v", f.Rule, err)
			}
		}
		if f.Text == "it was not tried" || f.Status == conformance.Skipped && f.Text == "nothing showed whether the agent keeps it" {
			t.Errorf("%s was skipped without a reason", f.Rule)
		}
	}
	return found
}

// An agent that keeps all rules has no failure, no warning, and no rule is skipped.
func TestAGoodAgentKeepsAllRules(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	r := checked(t, Options{})
	for _, f := range r.Rules {
		childless := f.Rule == "no-children" && runtime.GOOS != "linux" && runtime.GOOS != "darwin"
		if f.Status != conformance.OK && !childless {
			t.Errorf("%s %s: got %s; %s", f.Status, f.Rule, f.Got, f.Text)
		}
	}
	if r.Agent.Name != "scripted" || r.Agent.Protocol != 1 {
		t.Errorf("the agent is %+v", r.Agent)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

// Each broken agent breaks one rule, and the report says how.
func TestEachRule(t *testing.T) {
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		rule, fault string
		isAdvice    bool   // it is a warning
		want        string // in what was got
	}{
		{"stdout-json", "banner", false, `"[agent] model loaded in 12 ms" on stdout after `},
		{"stdout-json", "lsp", false, `"Content-Length: `},
		{"one-line", "pretty", false, "a message on "},
		{"utf8", "not utf8", false, `work\xe2\x82`},
		{"envelope", "no jsonrpc", false, "without jsonrpc"},
		{"response-id", "id as text", false, `with the id "0" (a string)`},
		{"response-id", "text id as number", false, `with the id 7001 (a number)`},
		{"one-response", "second response", false, "a second response #"},
		{"one-response", "stray response", false, "with the id 4711"},
		{"notification-silent", "note error", false, "error -32601"},
		{"notification-silent", "cancel error", false, "error -32601"},
		{"unknown-method", "unknown silence", false, "nothing in 3s"},
		{"unknown-method", "unknown result", true, "result null"},
		{"bad-line", "dies of junk", false, `its last line on standard error: "SyntaxError: unexpected end"`},
		{"alive", "dies of unknown", false, `the agent ended with status 3 after #`},
		{"alive", "quits after session", false, "the agent ended with status 0"},
		{"alive", "dies in turn", false, "the agent ended with status 1"},
		{"extension-names", "own notification", true, "scripted/notify"},
		{"initialize", "version text", false, `protocolVersion "1" (a string)`},
		{"version", "echo", false, "protocolVersion 9999"},
		{"capabilities", "list is true", false, "sessionCapabilities.list: want object or null, have boolean"},
		{"capabilities", "list unknown", false, `error -32601`},
		{"agent-info", "no info", true, "without agentInfo"},
		{"auth", "terminal login", false, `login method "tui"`},
		{"auth", "no way to log in", true, `error -32000`},
		{"root-fields", "root field", true, "with own"},
		{"session-new", "one session", false, `"acp-e26d6691" twice`},
		{"session-new", "needs no cwd", false, "result"},
		{"session-new", "refuses root", false, `error -32603 "cannot be used with root"`},
		{"session-order", "early update", true, "available_commands_update before the response"},
		{"session-load", "loads nothing", false, "no part of the conversation"},
		{"session-load", "loads late", false, "user_message_chunk after the response"},
		{"session-load", "loads without user", true, "no user_message_chunk"},
		{"session-load-unknown", "loads anything", false, "result"},
		{"session-resume", "resumes with history", false, "user_message_chunk before the response"},
		{"session-list", "list null", false, "sessions: want array, have null"},
		{"session-list", "list all", true, "a session of"},
		{"session-close", "close leaves turn", false, `stopReason "end_turn"`},
		{"session-delete", "deletes nothing", false, "in the list"},
		{"session-delete", "delete twice", true, "error -32002"},
		{"modes", "wrong mode", false, `"aks", which is not in availableModes; did you mean "ask"?`},
		{"modes", "mode fixed", false, "error -32603"},
		{"modes", "any mode", true, "result"},
		{"config-options", "wrong value", false, `configOptions[1].currentValue "hihg", which is not in its options; did you mean "high"?`},
		{"config-options", "option alone", false, `without the option "thinking"`},
		{"config-options", "option stays", true, `with the value "fast"`},
		{"boolean-option", "boolean option", false, `the option "web" of type boolean`},
		{"prompt", "wrong reason", false, `stopReason: unknown value "error"`},
		{"prompt", "cancels itself", false, `{"stopReason":"cancelled"}`},
		{"baseline-content", "text only", false, "for text alone"},
		{"updates", "wrong update", false, `sessionUpdate: unknown value "agent_mesage_chunk"; did you mean "agent_message_chunk"?`},
		{"updates", "wrong session", false, `for the session "another"`},
		{"updates", "old mode update", false, `"currentModeId" is missing`},
		{"gated-updates", "plan update", false, "plan_update"},
		{"plan", "wrong plan", false, `entries[0].priority: unknown value "hgih"`},
		{"tool-calls", "wrong kind", false, `kind: unknown value "edti"`},
		{"tool-calls", "unannounced update", false, `of "never"`},
		{"tool-calls", "status back", false, "in_progress after failed"},
		{"absolute-paths", "relative path", false, `locations[0].path "check.txt"`},
		{"permission", "wrong permission", false, `options[1].kind: unknown value "reject_onec"`},
		{"client-capabilities", "reads file", false, "fs/read_text_file"},
		{"late-updates", "late update", true, "agent_message_chunk after the response"},
		{"cancel", "cancel ends turn", false, `stopReason "end_turn"`},
		{"cancel", "cancel fails", false, `error -32603 "aborted"`},
		{"cancel-order", "late cancel", false, "agent_message_chunk after the response"},
		{"cancel-usable", "unusable after cancel", false, `error -32603 "the session is broken"`},
		{"cancel-usable", "stays cancelled", false, `{"stopReason":"cancelled"}`},
		{"cancel-usable", "idle cancel stays", false, `{"stopReason":"cancelled"}, but #`},
		{"cancel-usable", "idle cancel breaks", true, `error -32603 "interrupted", but #`},
		{"exit-on-eof", "stays", true, "still running 2s"},
		{"no-children", "child", true, "sleep ("},
	} {
		t.Run(c.rule+"/"+c.fault, func(t *testing.T) {
			if c.rule == "no-children" && runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
				t.Skip("children are not known on this system")
			}
			t.Parallel()
			found := wrong(t, checked(t, Options{}, c.fault))
			for rule, f := range found {
				if rule != c.rule {
					t.Errorf("%s %s: sent %s; got %s; %s", f.Status, rule, f.Sent, f.Got, f.Text)
				}
			}
			f, ok := found[c.rule]
			if !ok || (f.Status == conformance.Warning) != c.isAdvice || !strings.Contains(f.Got, c.want) {
				t.Errorf("%s: sent %s; got %s; %s", f.Status, f.Sent, f.Got, f.Text)
			}
			t.Logf("%s: sent %s; got %s; %s", f.Status, f.Sent, f.Got, f.Text)
		})
	}
}
