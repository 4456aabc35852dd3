package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"acpshim"
	"acpshim/filters/rule/explain"
	"acpshim/internal/config"
	"acpshim/internal/layers"
	"acpshim/internal/outfile"
	"acpshim/internal/terminal"

	"github.com/spf13/cobra"
)

func newConfig() *cobra.Command {
	return group("config check|show|path|init", "check, show, path or init", `See, check and begin the configuration:
  acpshim config check [FILE]   look for mistakes and for what is of no use
  acpshim config show           print what counts, and where each value is from
  acpshim config path           print which files are looked at
  acpshim config init           write a file to begin with

"acpshim config check -h" and so on say more.`, newCheck(), newShow(), newPath(), newInit())
}

func newCheck() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "check [FILE]",
		Long: `Look for mistakes in the configuration, and for what is of no use in it. With
FILE, that file is looked at in place of your own configuration. The exit status
is 0 if the configuration can be used, and 78 if it is wrong.`,
		Args: atMostOne("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			var c config.Config
			var err error
			read := args
			switch {
			case len(args) == 0:
				c, err = f.load()
				read = layers.Layers{File: f.config}.Files()
			case f.config != "" || len(f.set) > 0:
				return &exit{exitUsage, errors.New("config check: want FILE, or --config and --set, not both"), ""}
			default:
				c, err = layers.Layers{NoUser: true, File: args[0]}.Load()
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
				in = "the default, which is all there is"
				if _, err := layers.UserFile(); err != nil {
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
	var client, agent string
	c := &cobra.Command{
		Use: "show [flags]",
		Long: `Print the configuration as it counts, with a comment behind each key that says
where its value is from. What is printed is a configuration file itself. With
--client or --agent-name, the profiles that match are applied. A version may follow
the name: --client "zed 0.201.5".`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			got, err := f.load()
			if err != nil {
				return badConfig(err, "")
			}
			if c.Flags().Changed("client") || agent != "" {
				got = got.For(explain.Named(client), explain.Named(agent))
			}
			fmt.Fprint(stdout(), got.TOML())
			return nil
		},
	}
	f.addLayers(c)
	c.Flags().StringVar(&client, "client", "", "as it is for a client that calls itself `NAME`, or is called so by --client-name")
	c.Flags().StringVar(&agent, "agent-name", "", "as it is for an agent that calls itself `NAME`")
	completeNothing(c, "client", "agent-name")
	return c
}

func newPath() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "path [--config FILE]",
		Long: `Print which files are looked at, and whether they are there. A later one
counts more than an earlier one, and --set more than all. There are no others.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			row := func(what, there, name string) {
				fmt.Fprintf(stdout(), "%-9s %-14s %s\n", what, there, terminal.Line(name))
			}
			row("shipped", "", "config.toml in acpshim")
			if name, err := layers.UserFile(); err != nil {
				row("your own", "is not there", err.Error())
			} else {
				row("your own", layers.WhetherThere(name), name)
			}
			if f.config != "" {
				row("--config", layers.WhetherThere(f.config), f.config)
			}
			return nil
		},
	}
	addOnce(c.Flags(), &f.config, "config", "a file", "`FILE` is looked at, too")
	return c
}

func newInit() *cobra.Command {
	return &cobra.Command{
		Use: "init [FILE]",
		Long: `Write a configuration file to begin with, and print its name: FILE, or your own
configuration. It has each key with its default behind a #, so that nothing
changes yet. A file that is there stays as it is.`,
		Args: atMostOne("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			name := strings.Join(args, "")
			if name == "" {
				var err error
				if name, err = layers.UserFile(); err != nil {
					return &exit{1, fmt.Errorf("there is no folder for your own configuration: %w", err), "name a file"}
				}
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					return failed(err)
				}
			}
			err := outfile.Create(name, outfile.Text(config.CommentedOut(acpshim.DefaultConfig)))
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
