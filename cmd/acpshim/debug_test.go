package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"acpshim/internal/text/terminal"
)

// Three commands, each of which prints at most a screen, show why a plan is not shown in a real
// agent's record. testdata/interop/debug.mjs makes these records, without what does not concern
// plans.
func TestTheCauseIsFoundInThreeCommands(t *testing.T) {
	const number = "NUMBER" // that the summary has
	for kind, commands := range map[string][][2]string{
		"rule": {
			{"summary", `plans #(\d+): none reached the client \(less noise: a rule .*the agent sent the plan 1 time`},
			{"show update:plan*", `<- - plan 1 0 of 2 done less noise: a rule .* \[~\] Reproduce the bug \[ \] Patch the lexer`},
			{"show " + number, `changed by less noise: a rule .* acpshim sent nothing instead`},
		},
		"editor": {
			{"summary", `client announces nothing .* plans #(\d+): the client got the plan \(#\d+\); the agent sent the plan 1 time `},
			{"show update:plan*", `<- plan 1 0 of 2 done \[~\] Reproduce the bug \[ \] Patch the lexer`},
			{"show " + number, `passed unchanged, to the client .*"Patch the lexer"`},
		},
		"dies": {
			{"summary", `^the agent was killed by a signal \(killed\) before it responded to #(\d+) session/prompt, `},
			{"show " + number, `response none .*"Fix the parser"`},
		},
		"start": {
			{"summary", `^the run ended with status 1 while the client waited for the agent: #1 initialize, .* stderr .*(Error: Cannot find module|SyntaxError: )`},
		},
	} {
		for _, agent := range []string{"codex-acp", "claude-agent-acp"} {
			t.Run(agent+" "+kind, func(t *testing.T) {
				t.Parallel()
				file, found := "../../docs/examples/"+agent+"-"+kind+".jsonl", ""
				for _, c := range commands {
					args := append([]string{"log"}, strings.Fields(strings.ReplaceAll(c[0], number, found))...)
					out, err := exec.Command("acpshim", append(args, "--run", file)...).Output()
					if err != nil {
						t.Fatal(err)
					}
					printed := string(out)
					matched := regexp.MustCompile(c[1]).FindStringSubmatch(strings.Join(strings.Fields(printed), " "))
					if matched == nil {
						t.Fatalf("%q does not say %s:\n%s", args, c[1], printed)
					}
					if found == "" && len(matched) > 1 {
						found = matched[1]
					}
					fitsAScreen(t, strings.ReplaceAll(printed, file, "RUN")) // a path is as long as people make it
				}
			})
		}
	}
}

func fitsAScreen(t *testing.T, printed string) {
	if n := strings.Count(printed, "\n"); n > 24 {
		t.Errorf("%d lines:\n%s", n, printed)
	}
	for line := range strings.Lines(printed) {
		if terminal.Width(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("more than 80 columns: %s", line)
		}
	}
}
