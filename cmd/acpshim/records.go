package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"acpshim/config"
	"acpshim/history"
	"acpshim/record"

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

A RECORD is a file, the beginning of its name in the folder of records, or left out for
the newest one. "acpshim log show -h" has the filters.`,
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

// recordsFolder is where the user's configuration has records.
func recordsFolder() (string, error) {
	c, err := flags{}.load()
	if err != nil {
		return "", badConfig(err, ": where records are is not known")
	}
	return recordsFolderOf(c)
}

// recordsFolderOf is the folder of a configuration, or else in the user's folder
// for state.
func recordsFolderOf(c config.Config) (string, error) {
	if c.Record.Folder != "" {
		return c.Record.Folder, nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "acpshim", "records"), nil
	}
	dir, err := os.UserHomeDir()
	dir = filepath.Join(dir, ".local", "state")
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		dir, err = os.UserCacheDir() // %LocalAppData% and ~/Library/Caches: there is none for state
	}
	if err == nil && !filepath.IsAbs(dir) {
		err = fmt.Errorf("%q in place of a home: want an absolute path", dir)
	}
	if err != nil {
		return "", fmt.Errorf("there is no folder for records, record.folder may name one: %w", err)
	}
	return filepath.Join(dir, "acpshim", "records"), nil
}

// records are the files of each record, the oldest record first.
func records() ([][]string, error) {
	folder, err := recordsFolder()
	if err != nil {
		return nil, err
	}
	all, err := record.Runs(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return all, err
}

// findRecord returns the first file of the record that a person named, the
// newest one if the name is empty.
func findRecord(name string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.HasSuffix(name, ".jsonl") {
		if _, err := os.Stat(name); err == nil || filepath.IsAbs(name) {
			return name, err
		}
	}
	all, err := records()
	if err != nil {
		return "", err
	}
	var found []string
	for _, parts := range all {
		if strings.HasPrefix(filepath.Base(parts[0]), name) {
			found = append(found, parts[0])
		}
	}
	folder, _ := recordsFolder()
	if len(found) == 0 && name == "" {
		return "", fmt.Errorf("there is no record in %s: run an agent with --record", folder)
	}
	if len(found) == 0 {
		return "", fmt.Errorf("no record in %s begins with %q, and there is no such file", folder, name)
	}
	if name != "" && len(found) > 1 {
		return "", fmt.Errorf("%d records begin with %q, the last is %s", len(found), name, filepath.Base(found[len(found)-1]))
	}
	return found[len(found)-1], nil
}

// readRecord reads the record that a person named.
func readRecord(name string) (*history.History, error) {
	parts, err := recordParts(name)
	if err != nil {
		return nil, err
	}
	files, err := record.Open(parts...)
	if err != nil {
		return nil, &exit{1, err, ""}
	}
	defer files.Close()
	h, err := history.Read(record.NewReader(files))
	if err != nil {
		return nil, &exit{1, err, ""}
	}
	tellNewer(h.Schema)
	return h, nil
}

// recordParts returns the files of the record that a person named.
func recordParts(name string) ([]string, error) {
	file, err := findRecord(name)
	if err != nil {
		return nil, failed(err)
	}
	parts, err := record.Parts(file)
	if err != nil || len(parts) == 0 {
		parts = []string{file} // of another name
	}
	return parts, nil
}
