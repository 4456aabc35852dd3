//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"

	"acpshim/internal/setup/config"

	"github.com/rs/zerolog"
)

// stepAside replaces this process by the agent if standard input and output are a terminal. Then
// there is no client, and an agent that logs somebody in needs the terminal: ACP's terminal
// authentication runs the wrapped command with more arguments. It returns only if the agent cannot
// be executed.
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
