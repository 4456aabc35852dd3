package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"acpshim/internal/config"
	"acpshim/internal/history"
	"acpshim/internal/history/query"
	"acpshim/internal/history/show"
	"acpshim/internal/history/view"
	"acpshim/internal/record"
	"acpshim/internal/store"

	"github.com/spf13/cobra"
)

// newLogCommand is the command whose subcommands read records.
func newLogCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "log COMMAND",
		Long: `Read what --record has recorded:
  acpshim log list                        list the records
  acpshim log summary [RECORD]            tell what happened in one, on a screen
  acpshim log show [RECORD] [FILTER]      show a record, a row a message
  acpshim log watch [FILTER]              watch runs live on the terminal
  acpshim log tail [-f]                   show the end of one, and what comes
  acpshim log grep TEXT                   look for a text, in all with --all
  acpshim log stats [RECORD] [FILTER]     count and measure what is in it
  acpshim log validate [RECORD] [FILTER]  hold it against the protocol's schema
  acpshim log export [RECORD] [FILTER]    write it for others, without secrets
  acpshim log report [RECORD] -o FILE     write it as an HTML file to look at
  acpshim log open [RECORD]               look at that file in a browser
  acpshim log replay [RECORD]             play it again, as client or agent, too
  acpshim log prune                       remove old ones
A RECORD is a file, the beginning of its name in record.folder with the T in it
(20261122T17), or last~1 for the one before the last. Without one it is the last.`,
		Annotations:                map[string]string{"filters": query.Help},
		SuggestionsMinimumDistance: 2,
		Args:                       cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			hint := `"acpshim log -h" lists them`
			if len(args) == 0 {
				return &exit{exitUsage, errors.New("log: want a command"), hint}
			}
			if near := c.SuggestionsFor(args[0]); len(near) > 0 {
				hint = fmt.Sprintf("did you mean %q? %s", near[0], hint)
			}
			return &exit{exitUsage, fmt.Errorf("log: no command %q", args[0]), hint}
		},
	}
	c.AddCommand(newList(), newSummary(), newLogShow(), newTail(), newWatch(), newGrep(), newStats(), newValidate(), newExport(), newReport(), newOpen(), newReplay(), newPrune())
	return c
}

// A finder finds records where the configuration has them. It reads the configuration once, as
// that may be a pipe, and not before it is needed: a record that is named by its path is found
// also if the configuration is wrong. The zero value has the user's own.
type finder struct {
	flags
	numbers *show.Numbers // where numbers of entries go, for a command that takes them
	loaded  func() (config.Config, error)
}

// load is that of flags, once.
func (f *finder) load() (config.Config, error) {
	if f.loaded == nil {
		f.loaded = sync.OnceValues(f.flags.load)
	}
	return f.loaded()
}

// folder is where records are.
func (f *finder) folder() (string, error) {
	c, err := f.load()
	if err != nil {
		return "", badConfig(err, ": where records are is not known")
	}
	dir, _, err := store.Folder(c.Record.Folder)
	return dir, err
}

// records are the files of each record, the oldest record first.
func (f *finder) records() ([][]string, error) {
	folder, err := f.folder()
	if err != nil {
		return nil, err
	}
	all, err := store.Runs(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return all, err
}

// find returns the files of the record that a person named; of the newest one if name is "". The
// error is an exit.
func (f *finder) find(name string) ([]string, error) {
	files, err := store.Find(name, f.folder)
	if err == nil {
		err = record.Check(files[0])
	}
	return files, failed(err)
}

// read reads the record that a person named, and reports whether its run goes on. The error is an
// exit.
func (f *finder) read(name string) (h *history.History, goesOn bool, err error) {
	files, err := f.find(name)
	if err != nil {
		return nil, false, err
	}
	goesOn = store.IsWritten(files...)
	h, err = history.Open(store.Opener(files))
	if err == nil {
		note(view.Newer(h.Schema))
	}
	return h, goesOn, failed(err)
}

// open is read for a command that does not keep the record.
func (f *finder) open(name string) (open opener, goesOn bool, err error) {
	files, err := f.find(name)
	if err != nil {
		return nil, false, err
	}
	return store.Opener(files), store.IsWritten(files...), nil
}

// An opener opens a record, as often as is wanted.
type opener = func() (io.ReadCloser, error)

// noteMissing reads a record and says what is missing in it, for a command that may see only a part
// of it; and that there is no end, unless its output does.
func noteMissing(files []string, open opener, saysEnd bool) error {
	goesOn := store.IsWritten(files...)
	from, err := open()
	if err != nil {
		return failed(err)
	}
	defer from.Close()
	lacks, schema, err := record.Scan(from)
	lacks.Ended = lacks.Ended || saysEnd
	note(view.Newer(schema))
	note(view.Incomplete(lacks, goesOn))
	return failed(err)
}

// recordNames are what may be typed for a record: the names of those in the folder of records, or
// files where a path is begun. The newest one is the first.
func (f *finder) recordNames(typed string) (names []string, does cobra.ShellCompDirective) {
	if strings.ContainsRune(typed, os.PathSeparator) || strings.HasPrefix(typed, ".") {
		return []string{"jsonl"}, cobra.ShellCompDirectiveFilterFileExt
	}
	all, err := f.records()
	if err != nil {
		return nil, noFiles
	}
	return drawable(store.NamesBeginning(all, typed)), noFiles | cobra.ShellCompDirectiveKeepOrder
}

// completeRecord completes the names of records for a command that takes one RECORD. What else it
// takes are files.
func (f *finder) completeRecord(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return f.recordNames(typed)
}
