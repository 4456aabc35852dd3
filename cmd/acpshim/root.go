package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"acpshim"
	"acpshim/config"

	"github.com/spf13/cobra"
)

const usage = `acpshim stands between an editor (ACP client) and a coding agent that do not
understand each other. It turns the plans of new agents into the one plan that
old clients show, and relays everything else untouched.

Usage:
  acpshim [flags] [--] COMMAND [ARG...]   run an agent behind acpshim
  acpshim demo [--client plan]            see it work, nothing to install
  acpshim plan FILE                       show a plan document as a checklist

Example: in an editor's settings, where it said "npx -y some-agent",
  "command": "/abs/path/acpshim", "args": ["--", "npx", "-y", "some-agent"]

Flags, before COMMAND; everything after it is the agent's:
%s
Without --config, acpshim/config.toml in your user configuration folder is read
if it is there. On a terminal the agent runs as if acpshim were not there.
The exit status is the agent's (128+n if signal n killed it), or 2 wrong usage,
78 bad configuration, 125 own failure, 126 not executable, 127 not found.
`

// flags are the command line's own settings; an empty one was not given.
type flags struct{ config, logLevel, logFile string }

func newRoot() *cobra.Command {
	var f flags
	root := &cobra.Command{
		Use:           "acpshim [flags] [--] COMMAND [ARG...]",
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "" {
				return &exit{exitUsage, errors.New("no agent command given"),
					`try "acpshim -- codex-acp" in place of "codex-acp", or "acpshim demo"`}
			}
			return wrap(f, args)
		},
	}
	root.Flags().SetInterspersed(false) // the agent's own flags are the agent's
	root.Flags().SortFlags = false
	root.Flags().StringVar(&f.config, "config", "", "read the configuration from `FILE`")
	root.Flags().StringVar(&f.logLevel, "log-level", "", "`LEVEL` of the log: debug, info, warn, error, off")
	root.Flags().StringVar(&f.logFile, "log-file", "", "append the log to `FILE`, not to standard error")
	root.Flags().Bool("version", false, "print the version")
	root.Flags().BoolP("help", "h", false, "print this")
	root.SetVersionTemplate("acpshim {{.Version}}\n")
	root.SetUsageFunc(func(*cobra.Command) error { return nil })
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if c == root {
			fmt.Fprintf(c.OutOrStdout(), usage, root.Flags().FlagUsages())
			return
		}
		fmt.Fprintf(c.OutOrStdout(), "%s\n\nUsage:\n  %s\n\nFlags:\n%s", c.Long, c.UseLine(), c.Flags().FlagUsages())
	})
	root.SuggestionsMinimumDistance = 2
	// An agent may be called help or completion, too.
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true})
	root.AddCommand(newDemo(), newPlan())
	return root
}

// load returns the effective configuration.
func (f flags) load() (config.Config, error) {
	c := config.Default(acpshim.DefaultConfig)
	name := f.config
	if name == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return f.override(c) // no home, no user configuration
		}
		name = filepath.Join(dir, "acpshim", "config.toml")
	}
	source, err := readConfig(name)
	switch {
	case f.config == "" && (errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)):
	case err != nil:
		return c, err
	default:
		if c, err = config.Parse(c, name, string(source)); err != nil {
			return c, err
		}
	}
	return f.override(c)
}

// readConfig reads a configuration file. What is no file does not block it, and
// a little more than the largest configuration is enough to refuse it.
func readConfig(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, config.MaxSize+1))
}

// override applies the flags, which are checked as the keys they stand for.
func (f flags) override(c config.Config) (config.Config, error) {
	if f.logFile != "" {
		c.Log.File, _ = filepath.Abs(f.logFile)
	}
	if f.logLevel == "" {
		return c, nil
	}
	got, err := config.Parse(c, "--log-level", fmt.Sprintf("log.level = %q", f.logLevel))
	if err != nil {
		return c, &exit{exitUsage, fmt.Errorf("--log-level: want debug, info, warn, error or off, not %q", f.logLevel), ""}
	}
	return got, nil
}

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && v == "(devel)" {
			v = "commit " + s.Value[:min(12, len(s.Value))]
		}
	}
	return v
}
