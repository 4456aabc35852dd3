package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"acpshim/internal/config"
	"acpshim/internal/history/query"
	"acpshim/internal/store"
	"acpshim/internal/terminal"
	"acpshim/proxy"

	"github.com/mattn/go-isatty"
)

// Everything that reaches a person goes through this file, to standard error:
// standard output is the protocol's. Sentences begin in lower case and have no
// period; a hint is a question or something to do.

// stdout and stderr are for people: what is foreign in a text is shown so that a
// terminal does not obey it. What is for programs is not written there.
func stdout() io.Writer { return terminal.NewWriter(os.Stdout) }
func stderr() io.Writer { return terminal.NewWriter(os.Stderr) }

// asItIs is standard output for bytes that have to stay as they are, unless a person
// looks at them.
func asItIs() io.Writer {
	if isatty.IsTerminal(os.Stdout.Fd()) {
		return stdout()
	}
	return os.Stdout
}

// maxInput is the largest document, message or conversation that is read, in bytes.
const maxInput = 64 << 20

// readInput reads a file, or standard input. The error is an exit.
func readInput(name string, isStdin bool) ([]byte, error) {
	in := os.Stdin
	if isStdin && isatty.IsTerminal(in.Fd()) {
		note("reading it from the terminal; Ctrl-D on a line of its own ends it")
	}
	if !isStdin {
		f, err := os.Open(name)
		if err != nil {
			return nil, failed(err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err == nil && len(text) > maxInput {
		err = fmt.Errorf("is larger than %d MiB", maxInput>>20)
	}
	if err != nil {
		return nil, failed(fmt.Errorf("reading %q: %w", name, err))
	}
	return text, nil
}

// note says something besides on standard error; "" is nothing.
func note(text string) {
	if text != "" {
		fmt.Fprintf(stderr(), "acpshim: %s\n", terminal.Line(text))
	}
}

// noteNothing says that a filter was too narrow.
func noteNothing(q query.Query) {
	if !q.Empty() {
		note("no message matches " + terminal.Plain(q.String(), 100) + hintOfRun(q.String()))
	}
}

// writeJSON writes a value for programs, on one line in which nothing is hidden.
func writeJSON(w io.Writer, value any) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(value); err != nil {
		return err
	}
	_, err := w.Write(terminal.JSON(b.Bytes()))
	return err
}

// cannotStart explains why an agent did not start.
func cannotStart(command []string, err error) *exit {
	name := command[0]
	switch {
	case strings.ContainsRune(name, os.PathSeparator) && isFolder(name):
		return &exit{exitNotExecutable, fmt.Errorf("agent %q: is a folder", name), "which program in it is the agent?"}
	case errors.Is(err, exec.ErrNotFound):
		hint := "editors often have another PATH than your shell: give the absolute path"
		if sub := nearSubcommand(name); sub != "" {
			hint = fmt.Sprintf("did you mean %s?", sub)
		}
		return &exit{exitNotFound, fmt.Errorf("agent %q: not found in PATH", name), hint}
	case errors.Is(err, fs.ErrNotExist):
		if path, lookErr := exec.LookPath(name); lookErr == nil {
			return &exit{exitNotFound, fmt.Errorf("agent %q: its interpreter was not found", name),
				fmt.Sprintf("%s names, in its first line or as its loader, a program that is not on this machine", path)}
		}
		return &exit{exitNotFound, fmt.Errorf("agent %q: not found", name), "is the path right?"}
	case errors.Is(err, exec.ErrDot):
		return &exit{exitNotFound, fmt.Errorf("agent %q: found in the current folder only", name),
			fmt.Sprintf("to run it from there, write ./%s", name)}
	case errors.Is(err, fs.ErrPermission):
		return &exit{exitNotExecutable, fmt.Errorf("agent %q: may not be executed", name),
			fmt.Sprintf("is it a program? then \"chmod +x %s\"", name)}
	case errors.Is(err, syscall.ENOTDIR):
		return &exit{exitNotExecutable, fmt.Errorf("agent %q: part of the path is no folder", name), "is the path right?"}
	case errors.Is(err, syscall.ENOEXEC):
		return &exit{exitNotExecutable, fmt.Errorf("agent %q: is no program this machine can run", name),
			"a script needs a first line such as #!/bin/sh"}
	}
	return &exit{exitFailure, fmt.Errorf("agent %q: %w", name, err), ""}
}

// endedEarly is for an agent that ended before it answered initialize; last is what it wrote last.
func endedEarly(command []string, s proxy.Status, last []string) *exit {
	said, rest := "what it said of that is above, if it did", ""
	if len(last) > 0 {
		said = "it said last:"
	}
	if len(command) > 1 {
		rest = " ..." // there may be secrets in it
	}
	what := []error{fmt.Errorf("agent %q: %v before it answered initialize; %s", command[0], s, said)}
	for _, line := range last {
		what = append(what, errors.New("  "+line))
	}
	return &exit{s.ExitCode(), errors.Join(what...), fmt.Sprintf("\"acpshim doctor -- %s%s\" examines it", command[0], rest)}
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// badConfig lists what is wrong with the configuration, and says what follows.
// What is wrong on the command line is wrong usage.
func badConfig(err error, follows string) error {
	var problems config.Problems
	var e *exit
	switch {
	case errors.As(err, &e):
		return err
	case errors.As(err, &problems):
		return &exit{exitConfig, fmt.Errorf("the configuration is wrong%s\n%w", follows, problems), ""}
	}
	return &exit{exitConfig, fmt.Errorf("the configuration cannot be read%s: %w", follows, err), ""}
}

// hintOfRun returns a hint for a filter that looks like the name of a run.
func hintOfRun(text string) string {
	if !store.IsName(text) {
		return ""
	}
	return fmt.Sprintf("; to name a run, write --run %s", terminal.Plain(text, 100))
}
