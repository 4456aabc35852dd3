package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/internal/text/terminal"
)

// There are the 60 rules of the specification, each once, and the table can be read in a terminal.
func TestTheTableIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range table {
		switch {
		case seen[r.ID]:
			t.Errorf("%s occurs twice", r.ID)
		case r.Level != Must && r.Level != MustPlus && r.Level != Should && r.Level != ShouldPlus:
			t.Errorf("%s has the level %q", r.ID, r.Level)
		case r.Line == "" || len(r.Line) > 90 || strings.HasSuffix(r.Line, ".") || r.Source == "":
			t.Errorf("%s: %q (%s)", r.ID, r.Line, r.Source)
		case strings.HasPrefix(r.ID, "client-") != (r.Side == wire.Client) && r.ID != "client-capabilities":
			t.Errorf("%s is for the %s", r.ID, r.Side)
		}
		seen[r.ID] = true
		if found, ok := Find(r.ID); !ok || found != r {
			t.Errorf("Find(%q) is %v", r.ID, found)
		}
	}
	if agents, clients := len(Rules(wire.Agent)), len(Names(wire.Client)); agents != 43 || clients != 17 {
		t.Errorf("%d rules for agents, %d for clients", agents, clients)
	}
	if _, ok := Find("none"); ok {
		t.Error("there is a rule named none")
	}
}

// sample collects one finding of each kind.
func sample() *Collector {
	c := NewCollector(wire.Agent, "stdout-json", "cancel", "unknown-method", "session-load", "plan", "agent-info")
	c.isChosen = false // as if the other rules were ok
	c.Tried("plan", "cancel", "stdout-json")
	c.Skip("not announced (agentCapabilities.loadSession)", "session-load", "plan")
	c.Skip("another reason", "session-load")
	for range 4 {
		c.Fault("stdout-json", Fault{Got: `"[agent] model loaded in 12 ms" on stdout after #8`, Text: "stdout MUST only have messages: log to stderr", Record: "a run"})
	}
	c.Fault("unknown-method", Fault{Sent: "#4 _acpshim.dev/none", Got: "#5 error -32603", Text: "-32601 tells clients to go on", Advice: true})
	c.Fault("agent-info", Fault{Got: "#2 without agentInfo"})
	c.Fault("cancel", Fault{Sent: "#21 session/cancel while your #20 session/request_permission was open", Got: `#23 stopReason "end_turn"`, Text: `it MUST be "cancelled"`, Record: "b"})
	c.Fault("modes", Fault{Got: "a rule that the report does not have"})
	return c
}

// Failures come last, a SHOULD is a warning, and the same fault counts once.
func TestTextHasFailuresLast(t *testing.T) {
	var b strings.Builder
	if err := sample().Report().WriteText(&b, terminal.Style{}, true); err != nil {
		t.Fatal(err)
	}
	const want = `ok       plan
skipped  session-load: not announced (agentCapabilities.loadSession)
warning  unknown-method sent #4 _acpshim.dev/none; got #5 error -32603; -32601
                        tells clients to go on (extensibility)
warning  agent-info     got #2 without agentInfo; agentInfo has a name and a
                        version (initialization)
failed   stdout-json    got "[agent] model loaded in 12 ms" on stdout after #8,
                        and 3 more such lines; stdout MUST only have messages:
                        log to stderr (transports)
failed   cancel         sent #21 session/cancel while your #20
                        session/request_permission was open; got #23 stopReason
                        "end_turn"; it MUST be "cancelled" (prompt-turn; in the
                        record b)
2 failed, 2 warnings, 1 ok, 1 skipped; --case RULE shows all faults of a rule; to see the messages: acpshim log show --run "a run" 8
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

// Only failed MUSTs decide the exit status.
func TestOnlyAMUSTDecidesTheStatus(t *testing.T) {
	c := NewCollector(wire.Agent)
	c.Fault("exit-on-eof", Fault{})
	c.Fault("unknown-method", Fault{Advice: true})
	if r := c.Report(); r.Status() != 0 || r.Warnings != 2 {
		t.Errorf("status %d, %d warnings", r.Status(), r.Warnings)
	}
	c.Fault("unknown-method", Fault{Got: "nothing in 10 s"})
	r := c.Report()
	if i := slices.IndexFunc(r.Rules, func(f Finding) bool { return f.Rule == "unknown-method" }); r.Rules[i].Got != "nothing in 10 s" || r.Rules[i].More != 0 {
		t.Errorf("a failure does not replace the warning: %+v", r.Rules[i])
	}
	if r.Status() != 1 {
		t.Errorf("status %d", r.Status())
	}
}

// The machine's reports have all rules with stable names, and no secrets.
func TestReportsForMachines(t *testing.T) {
	c := sample()
	c.Redact = func(text string) string { return strings.ReplaceAll(text, "sk-1", "[redacted]") }
	c.Fault("session-load", Fault{Got: "<sk-1>"})
	r := c.Report()
	r.Agent = &Peer{Name: "a", Version: "1", Protocol: 1}
	var text, xml strings.Builder
	if err := r.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Schema, OK, Failed, Warnings, Skipped int
		Agent                                 Peer
		Rules                                 []struct {
			Rule, Level, Status, Text, Sent, Got, Source, Record string
			Faults                                               []Fault
		}
	}
	if err := json.Unmarshal([]byte(text.String()), &read); err != nil {
		t.Fatal(err)
	}
	if read.Schema != 1 || read.OK != 1 || read.Failed != 3 || read.Warnings != 2 || len(read.Rules) != 6 || read.Agent.Name != "a" {
		t.Errorf("%s", text.String())
	}
	if faults := read.Rules[0].Faults; read.Rules[0].Rule != "stdout-json" || len(faults) != 4 || faults[3].Record != "a run" || faults[3].Got == "" {
		t.Errorf("the faults are %+v", faults)
	}
	if err := r.WriteJUnit(&xml); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<testsuite name="acp a" tests="6" failures="3" errors="0" skipped="0">`,
		`<testcase classname="acp.agent" name="session-load">` + "\n      <failure message=\"got &lt;[redacted]&gt;; ",
		"<system-out>got #2 without agentInfo; ",
	} {
		if !strings.Contains(xml.String(), want) {
			t.Errorf("no %s in\n%s", want, xml.String())
		}
	}
}

// Whatever the names and the width are, texts fit. A run that tried little says so.
func TestLongRulesKeepTheMargin(t *testing.T) {
	c := NewCollector(wire.Client)
	c.Fault("client-notification-silent", Fault{Got: strings.Repeat("word ", 20)})
	var b strings.Builder
	if err := c.Report().WriteText(&b, terminal.Style{Width: 60}, false); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	last := len(lines) - 1
	for _, line := range lines[:last] {
		if len(line) > 60 {
			t.Errorf("%q has %d columns", line, len(line))
		}
	}
	if !strings.HasPrefix(lines[last-1], strings.Repeat(" ", 36)) {
		t.Errorf("%q", lines[last-1])
	}
	if want := "1 failed, 0 warnings, 0 ok, 16 skipped; only 1 rule was tried, which says little"; lines[last] != want {
		t.Errorf("%q", lines[last])
	}
}

// A report on chosen rules has each of their faults, up to a limit.
func TestChosenRulesHaveTheirFaults(t *testing.T) {
	for count, want := range map[int]string{
		2:             "failed   plan got #1; a (agent-plan)\nfailed   plan got #2; a (agent-plan)\n",
		maxFaults + 5: "failed   plan got #20, and 85 more such lines; a (agent-plan)\n",
	} {
		c := NewCollector(wire.Agent, "plan")
		for i := range count {
			c.Fault("plan", Fault{Got: fmt.Sprintf("#%d", i+1), Text: "a", Record: "r"})
		}
		var b strings.Builder
		if err := c.Report().WriteText(&b, terminal.Style{}, true); err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(b.String(), "1 failed")
		if !strings.HasSuffix(text, want) || strings.Count(text, "\n") != min(count, maxShown) {
			t.Errorf("%d faults:\n%s", count, b.String())
		}
	}
}
