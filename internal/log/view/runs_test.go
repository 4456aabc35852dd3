package view

import (
	"strings"
	"testing"
	"time"

	"acpshim/internal/text/terminal"
)

// A list fits on a terminal, and shortened names of programs are still different.
func TestRunRows(t *testing.T) {
	status := 0
	killed := 137
	begun := time.Date(2026, 11, 22, 13, 17, 54, 0, time.Local)
	records := []Run{
		{Short: "20261122T131754", Begun: begun, Seconds: 0.3, Agent: "@agentclientprotocol/codex-acp 2.6.0", Client: "zed 0.210.4", Messages: 18, Status: &status, Wrong: "-"},
		{Short: "20261122T131755", Begun: begun, Seconds: 3725, Agent: "an-agent-with-a-very-long-name 12.13.14", Client: "CodeCompanion.nvim 17.25.0", Messages: 123456, Status: &killed, Wrong: "agent killed", Lost: 1, Before: 3, Gone: 2},
		{Short: "20261122T131756", Begun: begun, Seconds: 61, State: "running", Wrong: "?", Client: "Äpfel\x1b"},
	}
	const want = `
RECORD           STARTED     TIME  AGENT   CLIENT    MSGS  END       WRONG
20261122T131754  Sun 13:17   0.3s  co…acp  zed 0…      18  exit 0    -
20261122T131755  Sun 13:17  1h02m  an…ame  Co…vim  123456  exit 137  agent kill…
  missing: the beginning, 2 files, 1 line
20261122T131756  Sun 13:17  1m01s          Äpfel�       0  running   ?
`
	drawn := strings.Join(RunRows(records, screen), "")
	if got := "\n" + drawn; got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
	for line := range strings.Lines(drawn) {
		if terminal.Width(strings.TrimSuffix(line, "\n")) > screen {
			t.Errorf("%d columns: %s", terminal.Width(line), line)
		}
	}
}

func TestLasted(t *testing.T) {
	for took, want := range map[time.Duration]string{
		0: "0.0s", 300 * time.Millisecond: "0.3s", 59949 * time.Millisecond: "59.9s", 59950 * time.Millisecond: "1m00s",
		90 * time.Second: "1m30s", 3599400 * time.Millisecond: "59m59s", 3599500 * time.Millisecond: "1h00m", 100 * time.Hour: "100h00m",
	} {
		if got := lasted(took); got != want {
			t.Errorf("%v is %s, want %s", took, got, want)
		}
	}
}

func TestNamesStayDifferent(t *testing.T) {
	for _, columns := range []int{11, 12, 15} {
		seen := map[string]string{}
		for _, name := range []string{
			"zed 1.5.4", "codex-acp 2.6.0", "claude-agent-acp 0.100.0", "claude-code-acp 0.100.0", "agent-client-a 1.0",
			"agent-client-b 1.0", "CodeCompanion.nvim 17.25.0", "Äpfel", "a-name-without-a-version", " ",
		} {
			got := shortened(name, columns)
			if terminal.Width(got) > columns || seen[got] != "" {
				t.Errorf("%q in %d columns is %q, and so is %q", name, columns, got, seen[got])
			}
			seen[got] = name
		}
	}
}
