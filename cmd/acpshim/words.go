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

	"acpshim/internal/log/query"
	"acpshim/internal/record/store"
	"acpshim/internal/run/remote"
	"acpshim/internal/setup/config"
	"acpshim/internal/text/terminal"
	"acpshim/proxy"
)

// Texts for people go to standard error, because standard output carries the protocol. Sentences
// begin in lower case and have no period. A hint is a question or something to do.

// stdout and stderr are for people: control characters in foreign text are escaped, so that a
// terminal does not obey them. Do not write output for programs to them.
func stdout() io.Writer { return terminal.NewWriter(os.Stdout) }
func stderr() io.Writer { return terminal.NewWriter(os.Stderr) }

// asItIs returns standard output for bytes that must not change. On a terminal it escapes them.
func asItIs() io.Writer {
	if terminal.IsTerminal(os.Stdout) {
		return stdout()
	}
	return os.Stdout
}

// maxInput is the largest document, message or conversation that is read, in bytes.
const maxInput = 64 << 20

// readInput reads a file, or standard input. The error is an exit.
func readInput(name string, isStdin bool) ([]byte, error) {
	in := os.Stdin
	if isStdin && terminal.IsTerminal(in) {
		note("reading from the terminal; press Ctrl-D on an empty line to end")
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
		err = fmt.Errorf("it is larger than %d MiB", maxInput>>20)
	}
	if err != nil {
		return nil, failed(fmt.Errorf("reading %q: %w", name, err))
	}
	return text, nil
}

// note prints a note on standard error, unless text is "".
func note(text string) {
	if text != "" {
		fmt.Fprintf(stderr(), "acpshim: %s\n", terminal.Line(text))
	}
}

// noteNothing says that nothing matches a filter. A hint may follow.
func noteNothing(q query.Query, hint string) {
	if !q.Empty() {
		note("no message matches " + terminal.Plain(q.String(), 100) + hintOfRun(q.String()) + hint)
	}
}

// writeJSON writes a value for programs, on one line.
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
		return &exit{exitNotExecutable, fmt.Errorf("agent %q: this is a folder", name), "name a program in it"}
	case errors.Is(err, exec.ErrNotFound):
		hint := "editors often have another PATH than your shell: use the absolute path"
		if sub := nearSubcommand(name); sub != "" {
			hint = fmt.Sprintf("did you mean %s?", sub)
		}
		return &exit{exitNotFound, fmt.Errorf("agent %q: not found in PATH", name), hint}
	case errors.Is(err, fs.ErrNotExist):
		if path, lookErr := exec.LookPath(name); lookErr == nil {
			return &exit{exitNotFound, fmt.Errorf("agent %q: its interpreter was not found", name),
				fmt.Sprintf("the first line of %s, or its loader, names a program that is not on this machine", path)}
		}
		hint := "is the path right?"
		if u, ok := asURL(name); ok {
			name = remote.Shown(u) // without a password
			hint = fmt.Sprintf(`to use an agent on another machine, run "acpshim connect %[1]s"; `+
				`to examine it, run "acpshim doctor %[1]s"`, name)
		}
		return &exit{exitNotFound, fmt.Errorf("agent %q: there is no such file", name), hint}
	case errors.Is(err, exec.ErrDot):
		return &exit{exitNotFound, fmt.Errorf("agent %q: only found in the current folder", name),
			fmt.Sprintf("to run it from there, write ./%s", name)}
	case errors.Is(err, fs.ErrPermission):
		return &exit{exitNotExecutable, fmt.Errorf("agent %q: not executable", name),
			fmt.Sprintf("to make it executable, run \"chmod +x %s\"", name)}
	case errors.Is(err, syscall.ENOTDIR):
		return &exit{exitNotExecutable, fmt.Errorf("agent %q: part of the path is not a folder", name), "is the path right?"}
	case errors.Is(err, syscall.ENOEXEC):
		return &exit{exitNotExecutable, fmt.Errorf("agent %q: this machine cannot run this file", name),
			"a script needs a first line such as #!/bin/sh"}
	}
	return &exit{exitFailure, fmt.Errorf("agent %q: %w", name, err), ""}
}

// endedEarly returns the exit for an agent that ended before it responded to initialize. Last has
// the last lines of its output.
func endedEarly(command []string, s proxy.Status, last []string) *exit {
	said, rest := "see its output above, if there is any", ""
	if len(last) > 0 {
		said = "its last output:"
	}
	if len(command) > 1 {
		rest = " ..." // there may be secrets in it
	}
	what := []error{fmt.Errorf("agent %q: %v before it responded to initialize; %s", command[0], s, said)}
	for _, line := range last {
		what = append(what, errors.New("  "+line))
	}
	return &exit{s.ExitCode(), errors.Join(what...), fmt.Sprintf("\"acpshim doctor -- %s%s\" examines it", command[0], rest)}
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// badConfig returns the exit for a wrong configuration, with all mistakes and the consequence.
// Mistakes on the command line are wrong usage.
func badConfig(err error, follows string) error {
	var problems config.Problems
	var e *exit
	switch {
	case errors.As(err, &e):
		return err
	case errors.As(err, &problems):
		return &exit{exitConfig, fmt.Errorf("the configuration has mistakes%s\n%w", follows, problems), ""}
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
