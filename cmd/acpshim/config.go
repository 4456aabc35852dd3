package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"acpshim"
	"acpshim/filters/rule/explain"
	"acpshim/internal/config"
	"acpshim/internal/outfile"
	"acpshim/internal/terminal"

	"github.com/spf13/cobra"
)

func newConfig() *cobra.Command {
	return group("config check|show|init", "check, show or init", `Check, print or create the configuration:
  acpshim config check [FILE]   look for mistakes
  acpshim config show           print the configuration in force
  acpshim config init [FILE]    write a file to start with`, newCheck(), newShow(), newInit())
}

func newCheck() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "check [FILE]",
		Long: `Look for mistakes in your configuration, and for keys that have no effect. With
FILE, check that file instead. The exit status is 78 if there are mistakes.`,
		Args: atMostOne("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			var c config.Config
			var err error
			read := args
			switch {
			case len(args) == 0:
				c, err = f.load()
				read = config.Sources{File: f.config}.Files()
			case f.config != "" || len(f.set) > 0:
				return &exit{exitUsage, errors.New("config check: FILE cannot be combined with --config or --set"), ""}
			default:
				c, err = config.Sources{NoUser: true, File: args[0]}.Load()
			}
			if err != nil {
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
			fmt.Fprintf(stdout(), "no mistakes in %s; warnings: %d\n", terminal.Line(in), len(warnings))
			return nil
		},
	}
	f.addLayers(c)
	return c
}

func newShow() *cobra.Command {
	var f flags
	var files, reference bool
	c := &cobra.Command{
		Use: "show",
		Long: `Print the configuration in force, as a configuration file. A comment after each
key says where its value comes from. With --client or --agent, the matching
profiles are applied. --reference prints what each key means instead. --files
lists the files that acpshim reads; later ones override earlier ones.`,
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
	f.peers.add(c)
	c.Flags().BoolVar(&reference, "reference", false, "only print what each key means, with its default")
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
		Use: "init [FILE]",
		Long: `Write a configuration file to start with, and print its path: FILE, or the path
of your own configuration. Every key in it is commented out, so nothing changes
yet. An existing file is not overwritten.`,
		Args: atMostOne("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			name := strings.Join(args, "")
			if name == "" {
				var err error
				if name, err = config.UserFile(); err != nil {
					return &exit{1, fmt.Errorf("there is no folder for your own configuration: %w", err), "give a FILE"}
				}
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					return failed(err)
				}
			}
			err := outfile.Create(name, outfile.Text(acpshim.StarterConfig))
			if errors.Is(err, outfile.ErrExists) {
				return &exit{1, err, `"acpshim config show" prints all keys`}
			}
			if err != nil {
				return failed(err)
			}
			fmt.Fprintln(stdout(), terminal.Line(name))
			return nil
		},
	}
}
