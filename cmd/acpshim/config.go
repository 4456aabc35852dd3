package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"acpshim"
	"acpshim/internal/log/explain"
	"acpshim/internal/setup/config"
	"acpshim/internal/system/outfile"
	"acpshim/internal/text/terminal"

	"github.com/spf13/cobra"
)

func newConfig() *cobra.Command {
	return group("config", `Check, print or create the configuration:
  acpshim config check [FILE]   look for mistakes
  acpshim config show           print every key and value, and where it was set
  acpshim config init [FILE]    write a file to start with`, "acpshim config show --files",
		newConfigCheck(), newConfigShow(), newInit())
}

func newConfigCheck() *cobra.Command {
	var f flags
	var to format
	c := &cobra.Command{
		Use:     "check [flags] [FILE]",
		Example: "acpshim config check ~/.config/acpshim/config.toml",
		Long: `Look for mistakes in your configuration, and for keys that have no effect. With
FILE, check that file instead. The exit status is 78 if there are mistakes.`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			var c config.Config
			var err error
			read := args
			switch {
			case len(args) == 0:
				c, err = f.load()
				read = config.Sources{File: f.config}.Files()
			case f.config != "" || len(f.set) > 0:
				return &exit{exitUsage, errors.New("config check: want FILE, or --config and --set, not both"), ""}
			default:
				c, err = config.Sources{NoUser: true, File: args[0]}.Load()
			}
			switch {
			case !to.isText():
				return writeProblems(c, err)
			case err != nil:
				return badConfig(err, "")
			}
			warnings := c.Warnings()
			if len(warnings) > 0 {
				fmt.Fprintf(stderr(), "%v\n", warnings)
			}
			in := strings.Join(read, " and ")
			if in == "" {
				in = "the defaults; there is no other configuration"
				if _, err := config.UserFile(); err != nil {
					in += fmt.Sprintf(" (there is no folder for your own: %v)", err)
				}
			}
			if len(warnings) > 0 {
				in += fmt.Sprintf("; warnings: %d", len(warnings))
			}
			fmt.Fprintf(stdout(), "no mistakes in %s\n", terminal.Line(in))
			return nil
		},
	}
	to.add(c, "text", "json")
	f.addLayers(c)
	return c
}

// writeProblems writes the mistakes and warnings of a configuration as JSON. Err is that of loading
// it. The error is an exit.
func writeProblems(c config.Config, err error) error {
	problems := append(config.Problems{}, c.Warnings()...)
	isRead := err == nil || errors.As(err, &problems)
	if !isRead {
		return badConfig(err, "")
	}
	written := writeJSON(stdout(), map[string]config.Problems{"problems": problems})
	if err != nil && written == nil {
		return &exit{status: exitConfig}
	}
	return failed(written)
}

func newConfigShow() *cobra.Command {
	var f flags
	var files, reference bool
	c := &cobra.Command{
		Use:     "show [flags]",
		Example: "acpshim config show --client CodeCompanion.nvim",
		Long: `Print every key and its value, as a configuration file. A comment after each key
says where its value was set. With --client or --agent, the matching profiles
are applied. --reference prints what each key means instead. --files lists the
files that acpshim reads; later ones override earlier ones.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			switch {
			case files:
				f.listFiles()
				return nil
			case reference:
				_, err := io.WriteString(stdout(), acpshim.Reference)
				return failed(err)
			}
			got, err := f.load()
			if err != nil {
				return badConfig(err, "")
			}
			if f.peers != (peers{}) {
				got = got.For(explain.Named(f.peers.client), explain.Named(f.peers.agent))
			}
			fmt.Fprint(stdout(), got.TOML())
			return nil
		},
	}
	f.peers.addFor(c, "as the client", "as the agent")
	c.Flags().BoolVar(&reference, "reference", false, "only print what each key means, and its default")
	c.Flags().BoolVar(&files, "files", false, "only list the files, and whether they exist")
	f.addLayers(c)
	return c
}

// listFiles prints the files of the configuration, and whether they exist.
func (f flags) listFiles() {
	row := func(what, exists, name string) {
		fmt.Fprintf(stdout(), "%-9s %-15s %s\n", what, exists, terminal.Line(name))
	}
	row("shipped", "", "config.toml in acpshim")
	if name, err := config.UserFile(); err != nil {
		row("your own", "does not exist", err.Error())
	} else {
		row("your own", config.FileState(name), name)
	}
	if f.config != "" {
		row("--config", config.FileState(f.config), f.config)
	}
}

func newInit() *cobra.Command {
	return &cobra.Command{
		Use:     "init [FILE]",
		Example: "acpshim config init mine.toml",
		Long: `Write a configuration file to start with, and print its path. Without FILE, it
becomes your own configuration. Every key in it is commented out, so nothing
changes yet. An existing file is not overwritten.`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			name := strings.Join(args, "")
			if name == "" {
				var err error
				if name, err = config.UserFile(); err != nil {
					return &exit{1, fmt.Errorf("config init: there is no folder for your own configuration: %w", err), `name a file: "acpshim config init FILE"`}
				}
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					return failed(err)
				}
			}
			err := outfile.Create(name, outfile.Text(acpshim.StarterConfig))
			if errors.Is(err, outfile.ErrExists) {
				return &exit{1, err, `"acpshim config show --reference" prints all keys, to copy from`}
			}
			if err != nil {
				return failed(err)
			}
			fmt.Fprintln(stdout(), terminal.Line(name))
			return nil
		},
	}
}
