package agents

import (
	"slices"
	"strings"
	"testing"
	"time"

	"acpshim/internal/check/conformance"
)

// What looks wrong and is right is neither a failure nor a warning.
func TestWhatLooksWrongAndIsRight(t *testing.T) {
	for about, fault := range map[string]string{
		"{} in a capability, small error codes and ids that equal those of the client": "",
		"updates directly after the response of session/new":                           "",
		"another model changes the options":                                            "options change",
		"children that end a little later":                                             "short child",
		"a turn without updates, tools or permissions":                                 "silent turns",
		"a turn that ends as cancelled when a permission is refused":                   "refusal cancels",
		"a turn without permission":                                                    "asks for nothing",
		"a quick turn, which no cancel can stop":                                       "quick turns",
		"commands and usage after a turn":                                              "late usage",
		"extensions, and relative paths in rawInput and _meta":                         "raw relative",
		"an extension with _":                                                          "own extension",
		"much on standard error":                                                       "noisy",
		"an error for a version that does not exist":                                   "refuses version",
		"a parse error with the id null":                                               "says parse error",
		"an agent that takes a moment to end":                                          "slow end",
		"an agent without optional methods":                                            "plain",
		"models of a session":                                                          "models",
		"a list with many pages":                                                       "many pages",
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			for rule, f := range wrong(t, checked(t, Options{}, strings.Split(fault, ",")...)) {
				t.Errorf("%s %s: sent %s; got %s; %s", f.Status, rule, f.Sent, f.Got, f.Text)
			}
		})
	}
	t.Run("an agent that starts and ends slower beside others", func(t *testing.T) {
		t.Parallel()
		r := checked(t, Options{Rules: []string{"version", "exit-on-eof"}, times: times{start: 3 * time.Second}}, "slow starts")
		if r.OK != 2 {
			t.Errorf("found %+v", r.Rules)
		}
	})
	t.Run("session/load with the result null is a warning", func(t *testing.T) {
		t.Parallel()
		found := wrong(t, checked(t, Options{}, "load result null"))
		if f := found["session-load"]; len(found) != 1 || f.Status != conformance.Warning {
			t.Errorf("found %v", found)
		}
	})
	t.Run("current_mode_update with modeId is explained", func(t *testing.T) {
		t.Parallel()
		found := wrong(t, checked(t, Options{}, "old mode update"))
		if f := found["updates"]; len(found) != 1 || !strings.Contains(f.Text, "an example of the protocol once had modeId") {
			t.Errorf("found %v", found)
		}
	})
}

// What cannot be tried is skipped, with a reason that says what to do.
func TestSkipsSayWhy(t *testing.T) {
	for about, c := range map[string]struct {
		faults []string
		prompt string
		rules  []string // that are skipped
		why    string
		only   []string // other rules that are wrong
	}{
		"login":            {faults: []string{"needs login"}, rules: []string{"session-new", "modes", "prompt", "cancel", "session-load"}, why: "session/new needs a login (-32000); log in with browser and run again"},
		"no prompts":       {prompt: "none", rules: []string{"prompt", "cancel", "session-load", "session-resume", "session-close", "late-updates", "updates"}, why: `no prompt was sent (--prompt "")`},
		"no model":         {faults: []string{"no model"}, rules: []string{"prompt", "cancel", "session-load", "plan", "session-close"}, why: `session/prompt fails: error -32603 "no model is configured"`},
		"slow model":       {faults: []string{"slow model"}, rules: []string{"prompt", "cancel"}, why: "a turn took longer than 1s and ended when it was cancelled: is the model slow or missing?"},
		"quick turns":      {faults: []string{"quick turns", "no tools"}, rules: []string{"cancel", "cancel-order"}, why: "the turn ended before the cancel arrived"},
		"nothing optional": {faults: []string{"plain"}, rules: []string{"session-load", "session-load-unknown"}, why: "not announced (agentCapabilities.loadSession)"},
		"no modes":         {faults: []string{"plain"}, rules: []string{"modes"}, why: "the agent offers no modes"},
		"silent turns":     {faults: []string{"silent turns"}, rules: []string{"plan"}, why: "the agent sent no plan"},
		"dead":             {faults: []string{"dies in turn"}, rules: []string{"prompt", "cancel", "exit-on-eof", "session-load"}, why: "the agent ended after #", only: []string{"alive"}},
		"version 2": {faults: []string{"only version 2"}, rules: []string{"session-new", "prompt", "auth", "cancel"},
			why: "the agent speaks only version 2 of the protocol; acp-tck --protocol-version 2 tests it"},
		"framing": {faults: []string{"lsp"}, rules: []string{"initialize", "prompt"}, why: "the agent does not write one message per line", only: []string{"stdout-json"}},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			r := checked(t, Options{Prompt: c.prompt, Timeout: time.Second}, c.faults...)
			for rule, f := range wrong(t, r) {
				if !slices.Contains(c.only, rule) {
					t.Errorf("%s %s: got %s", f.Status, rule, f.Got)
				}
			}
			for _, f := range r.Rules {
				if slices.Contains(c.rules, f.Rule) && (f.Status != conformance.Skipped || !strings.HasPrefix(f.Text, c.why)) {
					t.Errorf("%s %s: %s", f.Status, f.Rule, f.Text)
				}
			}
		})
	}
}

// A version 2 agent is judged by the rules that both versions share.
func TestVersion2SharesSomeRules(t *testing.T) {
	t.Parallel()
	r := checked(t, Options{}, "only version 2")
	for _, rule := range []string{"stdout-json", "one-line", "utf8", "envelope", "response-id", "one-response", "notification-silent", "unknown-method",
		"bad-line", "alive", "version", "capabilities", "agent-info", "root-fields", "exit-on-eof"} {
		i := slices.IndexFunc(r.Rules, func(f conformance.Finding) bool { return f.Rule == rule })
		if f := r.Rules[i]; f.Status != conformance.OK {
			t.Errorf("%s %s: got %s; %s", f.Status, f.Rule, f.Got, f.Text)
		}
	}
	if r.Agent.Protocol != 2 || r.Agent.Name != "scripted" {
		t.Errorf("the agent is %+v", r.Agent)
	}
}

// A turn that nothing ends is a failure, and so is one that a cancel does not end.
func TestATurnThatNeverEnds(t *testing.T) {
	t.Parallel()
	found := wrong(t, checked(t, Options{Timeout: time.Second}, "hangs"))
	if f := found["prompt"]; len(found) != 1 || !strings.HasPrefix(f.Got, "nothing in 1s, nor in 1s after session/cancel") {
		t.Errorf("found %v", found)
	}
	found = wrong(t, checked(t, Options{Timeout: time.Second}, "never cancels", "asks for nothing", "slow work"))
	if _, ok := found["cancel"]; len(found) != 1 || !ok {
		t.Errorf("found %v", found)
	}
}

// Only the rules that are asked for are reported, and only what they need is tried.
func TestOneRule(t *testing.T) {
	t.Parallel()
	asked := false
	r := checked(t, Options{Rules: []string{"modes", "bad-line"}, Prompting: func() { asked = true }})
	if len(r.Rules) != 2 || r.OK != 2 || asked {
		t.Errorf("%d rules, %d ok, prompted %t", len(r.Rules), r.OK, asked)
	}
	r = checked(t, Options{Rules: []string{"cancel"}, Prompting: func() { asked = true }})
	if len(r.Rules) != 1 || r.OK != 1 || !asked {
		t.Errorf("%d rules, %d ok, prompted %t", len(r.Rules), r.OK, asked)
	}
}

// An agent that cannot be started is an error.
func TestNoAgent(t *testing.T) {
	t.Parallel()
	if _, err := Check(t.Context(), Options{Command: []string{"/none/agent"}}); err == nil {
		t.Error("no error")
	}
}
