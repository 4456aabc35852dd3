package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"acpshim/internal/config"

	"github.com/spf13/cobra"
)

// newLogCommand is the command whose subcommands read records.
func newLogCommand() *cobra.Command {
	c := &cobra.Command{
		Use:                   "log COMMAND",
		DisableFlagsInUseLine: true,
		Long: `Read what --record has recorded:
  acpshim log list                       list the records
  acpshim log show [RECORD] [FILTER]     show a record, a row a message
  acpshim log tail [-f]                  show the end of one, and what comes
  acpshim log grep TEXT                  look for a text, in all with --all
  acpshim log stats [RECORD] [FILTER]    count and measure what is in it
  acpshim log validate [RECORD] [FILTER] hold each message against the protocol's schema
  acpshim log export [RECORD] [FILTER]   write it for others, without secrets
  acpshim log report [RECORD] -o FILE    write it as an HTML file to look at
  acpshim log replay [RECORD]            play it again, as a client or an agent, too
  acpshim log prune                      remove old ones

A RECORD is a file, the beginning of its name in the folder of records (record.folder of
the configuration), or left out for the newest one. "acpshim log show -h" has the filters.`,
		SuggestionsMinimumDistance: 2,
		Args:                       cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &exit{exitUsage, errors.New("log: want a command"), `"acpshim log -h" lists them`}
			}
			hint := `"acpshim log -h" lists them`
			if near := c.SuggestionsFor(args[0]); len(near) > 0 {
				hint = fmt.Sprintf("did you mean %q? %s", near[0], hint)
			}
			return &exit{exitUsage, fmt.Errorf("log: no command %q", args[0]), hint}
		},
	}
	c.AddCommand(newLogList(), newLogShow(), newLogTail(), newLogGrep(), newLogStats(), newLogValidate(), newLogExport(), newLogReport(), newLogReplay(), newLogPrune())
	addHelp(c)
	return c
}

// recordsFolderOf is the folder of a configuration, or else in the user's folder
// for state.
func recordsFolderOf(c config.Config) (string, error) {
	if c.Record.Folder != "" {
		return c.Record.Folder, nil
	}
	dir, err := stateFolder()
	if err != nil {
		return "", fmt.Errorf("there is no folder for records, record.folder may name one: %w", err)
	}
	return filepath.Join(dir, "acpshim", "records"), nil
}

// stateFolder is the user's folder for state.
func stateFolder() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	dir, err := os.UserHomeDir()
	dir = filepath.Join(dir, ".local", "state")
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		dir, err = os.UserCacheDir() // %LocalAppData% and ~/Library/Caches: there is none for state
	}
	if err == nil && !filepath.IsAbs(dir) {
		err = fmt.Errorf("%q in place of a home: want an absolute path", dir)
	}
	return dir, err
}
