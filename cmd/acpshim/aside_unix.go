//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"

	"acpshim/internal/config"

	"github.com/rs/zerolog"
)

// stepAside executes the agent in the place of this process, on the terminal that standard input
// and output are: there is no client to relay to, and an agent that is to log somebody in (ACP's
// terminal authentication runs the wrapped command with more arguments) needs the terminal. It
// returns only if the agent cannot be executed.
func stepAside(agent config.Agent, log zerolog.Logger) {
	command := agent.Command
	if agent.Cwd != "" {
		if os.Chdir(agent.Cwd) != nil {
			return
		}
		os.Setenv("PWD", agent.Cwd)
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return
	}
	os.Stderr.WriteString("acpshim: hint: standard input and output are a terminal, so the agent runs on it and nothing is translated\n")
	log.Debug().Err(syscall.Exec(path, command, append(os.Environ(), environ(agent)...))).Msg("executing the agent")
}
