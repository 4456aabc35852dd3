package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"acpshim"
	"acpshim/internal/config"

	"github.com/spf13/cobra"
)

// addLayers adds the flags that are layers of the configuration.
func (f *flags) addLayers(c *cobra.Command) {
	addOnce(c.Flags(), &f.config, "config", "a file", "read `FILE` over your own configuration")
	c.Flags().StringArrayVar(&f.set, "set", nil, "set a key, as `KEY=VALUE`; may be given again")
	completeWith(c, "set", completeSetting)
}

// load returns the effective configuration. The error is an exit if it is only
// the command line that is wrong, and else tells of all layers.
func (f flags) load() (config.Config, error) { return f.loadOver(userConfig()) }

// loadNamed is load without the user's own configuration.
func (f flags) loadNamed() (config.Config, error) { return f.loadOver("", errNotRead) }

var errNotRead = errors.New("is not read")

// loadOver is load with a file, unless there is an error, in place of the user's own.
func (f flags) loadOver(name string, err error) (config.Config, error) {
	c := config.Default(acpshim.DefaultConfig)
	var inFiles, inFlags config.Problems
	if err == nil { // else there is no home and no user configuration
		c, err = over(c, name, regularOnly, &inFiles)
		if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return c, err
		}
	}
	if f.config != "" {
		var err error
		if c, err = over(c, f.config, orPipe, &inFiles); err != nil {
			return c, err
		}
	}
	for _, assignment := range f.set {
		var err error
		c, err = config.Assign(c, "--set", assignment)
		collect(err, &inFlags)
	}
	if f.record {
		var err error
		c, err = config.Assign(c, "--record", "record.enabled=true")
		collect(err, &inFlags)
	}
	if f.logFile != "" {
		path, err := filepath.Abs(f.logFile)
		if err != nil {
			return c, err
		}
		c, err = config.Assign(c, "--log-file", "log.file="+path)
		collect(err, &inFlags)
	}
	if f.logLevel != "" {
		got, err := config.Assign(c, "--log-level", "log.level="+f.logLevel)
		if err != nil {
			return c, &exit{exitUsage, fmt.Errorf("--log-level: want debug, info, warn, error or off, not %q", f.logLevel), ""}
		}
		c = got
	}
	switch {
	case inFiles != nil:
		return c, slices.Concat(c.Warnings(), inFiles, inFlags)
	case inFlags != nil:
		return c, &exit{exitUsage, inFlags, ""}
	}
	return c, nil
}

// userConfig is the path of the user's own configuration.
func userConfig() (string, error) {
	dir, err := os.UserConfigDir()
	if err == nil && !filepath.IsAbs(dir) {
		err = fmt.Errorf("%q is relative to the working directory, which is an agent's project: is $HOME right?", dir)
	}
	return filepath.Join(dir, "acpshim", "config.toml"), err
}

// readsStdin reports whether load would read what is on standard input.
func (f flags) readsStdin() bool {
	named, err := os.Stat(f.config)
	if err != nil || named.Mode().IsRegular() {
		return false
	}
	stdin, err := os.Stdin.Stat()
	return err == nil && os.SameFile(named, stdin)
}

// files are the files that load reads.
func (f flags) files() (names []string) {
	if name, err := userConfig(); err == nil && whetherThere(name) == isThere {
		names = append(names, name)
	}
	if f.config != "" {
		names = append(names, f.config)
	}
	return names
}

const isThere, isNotThere = "is there", "is not there"

// whetherThere says whether there is a file of that name.
func whetherThere(name string) string {
	switch _, err := os.Stat(name); {
	case err == nil:
		return isThere
	case errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return isNotThere
	default:
		return "cannot be read"
	}
}

// What is read: somebody's own file is read at each start, and a pipe there could
// block it; a pipe that the command line names is meant.
const regularOnly, orPipe = fs.FileMode(0), fs.ModeNamedPipe

// over returns c with a file read over it. What is wrong in the file is added to
// problems, the error is about reading it.
func over(c config.Config, name string, also fs.FileMode, problems *config.Problems) (config.Config, error) {
	source, err := readConfig(name, also)
	if err != nil {
		return c, err
	}
	c, err = config.Parse(c, name, string(source))
	collect(err, problems)
	return c, nil
}

// collect adds the problems that err is, if it is not nil.
func collect(err error, problems *config.Problems) {
	var more config.Problems
	errors.As(err, &more)
	*problems = append(*problems, more...)
}

// readConfig reads a configuration file, or what is of also. Nothing else blocks it,
// and a little more than the largest configuration is enough to refuse it.
func readConfig(name string, also fs.FileMode) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode().Type()&^also != 0 {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	isPipe, flags := !info.Mode().IsRegular(), os.O_RDONLY
	if isPipe {
		flags |= syscall.O_NONBLOCK // opening it would wait for somebody who writes
	}
	f, err := os.OpenFile(name, flags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if isPipe {
		return readPipe(f)
	}
	return readAll(f)
}

func readAll(f *os.File) ([]byte, error) { return io.ReadAll(io.LimitReader(f, config.MaxSize+1)) }

// How long a configuration may take that comes through a pipe: until it begins, if
// nobody has the pipe open, and until it ends.
const (
	pipeBegins = time.Second
	pipeEnds   = 30 * time.Second
)

// readPipe reads what somebody writes to a pipe, who may not be there yet.
func readPipe(f *os.File) ([]byte, error) {
	begun := time.Now()
	f.SetReadDeadline(begun.Add(pipeEnds)) // where it can have one
	var source []byte
	for {
		more, err := readAll(f)
		source = append(source, more...)
		waits, took := errors.Is(err, syscall.EAGAIN), time.Since(begun)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) || waits && took >= pipeEnds:
			return nil, fmt.Errorf("%s is a pipe that did not end within %v", f.Name(), pipeEnds)
		case !waits && (err != nil || len(source) > 0) || len(source) > config.MaxSize:
			return source, err
		case !waits && took >= pipeBegins:
			return nil, fmt.Errorf("%s is a pipe, and nobody wrote to it within %v", f.Name(), pipeBegins)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// chosen returns the agent that is to run: args, or with --agent the one of that
// name with args behind its own.
func (f flags) chosen(c config.Config, args []string) (config.Agent, error) {
	if f.agent == "" {
		return config.Agent{Command: args}, nil
	}
	agent, ok := c.Agents[f.agent]
	if !ok {
		names := slices.Sorted(maps.Keys(c.Agents))
		err := fmt.Errorf("--agent: the configuration has no agent %q", f.agent)
		hint := fmt.Sprintf("it has %s", strings.Join(names, ", "))
		near := config.Nearest(f.agent, names)
		switch {
		case len(names) == 0:
			hint = "an agent is [agents.NAME] with a command, such as command = [\"codex-acp\"]; it has none"
		case near != "":
			hint = fmt.Sprintf("did you mean %s? %s", near, hint)
		}
		return agent, &exit{exitUsage, err, hint}
	}
	if agent.Cwd != "" && !isFolder(agent.Cwd) {
		at := c.From("agents." + f.agent + ".cwd")
		return agent, &exit{exitConfig, fmt.Errorf("agent %q: %s is no folder to start it in (cwd, %s)", f.agent, agent.Cwd, at), ""}
	}
	agent.Command = append(slices.Clone(agent.Command), args...)
	return agent, nil
}

// environ is what an agent gets besides this process's environment.
func environ(agent config.Agent) []string {
	var variables []string
	for _, name := range slices.Sorted(maps.Keys(agent.Env)) {
		variables = append(variables, name+"="+agent.Env[name])
	}
	return variables
}
