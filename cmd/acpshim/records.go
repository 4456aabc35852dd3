package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"acpshim/internal/log/view"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/store"
	"acpshim/internal/setup/config"

	"github.com/spf13/cobra"
)

func newLog() *cobra.Command {
	return group("log", `Read the messages that --record has recorded:
  acpshim log list        list the recorded runs
  acpshim log watch       watch runs live on the terminal
  acpshim log show        show messages, one per row; -f follows a run
  acpshim log summary     tell what happened in a run, on one screen
  acpshim log stats       count messages and measure response times
  acpshim log diff        compare two runs
  acpshim log validate    check messages against the protocol's schema
  acpshim log export      write a run for other programs, without known secrets
  acpshim log open        show a run in a browser, or write it as an HTML file
  acpshim log replay      play a run again
  acpshim log prune       delete old records
Commands that read one run read the newest. --run RUN selects another: a file, a
date and hour (20261122T17, the start of its name), or last~1 (the one before).`, "acpshim log show 'update:plan*'",
		newList(), newWatch(), newShow(), newSummary(), newStats(), newDiff(), newValidate(), newExport(), newOpen(), newReplay(), newPrune())
}

// A finder finds the record that --run names. It reads the configuration once, because that may be
// a pipe. It reads it only when it needs the folder of records, so that a wrong configuration does
// not keep people from a record that they name by its path.
type finder struct {
	flags
	run     string        // "" is the newest
	numbers *view.Numbers // receives the numbers of messages; nil if the command accepts none
	loaded  func() (config.Config, error)
}

// addRun adds --run, --config and --set.
func (f *finder) addRun(c *cobra.Command) {
	c.Flags().VarP(&singleValue{&f.run, "a run", nil}, "run", "r", "read `RUN`: a file, the start of its name, or last~1")
	completeWith(c, "run", f.recordNames)
	f.addLayers(c)
}

// load is flags.load, called once.
func (f *finder) load() (config.Config, error) {
	if f.loaded == nil {
		f.loaded = sync.OnceValues(f.flags.load)
	}
	return f.loaded()
}

// folder returns the folder of records.
func (f *finder) folder() (string, error) {
	c, err := f.load()
	if err != nil {
		return "", badConfig(err, ", so the folder of records is not known")
	}
	dir, _, err := store.Folder(c.Record.Folder)
	return dir, err
}

// records returns the files of each record, the oldest record first.
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

// find returns the files of the record. The error is an exit.
func (f *finder) find() ([]string, error) {
	files, err := store.Find(f.run, f.folder)
	if err == nil {
		err = record.Check(files[0])
	}
	return files, failed(err)
}

// read reads the record, and reports whether its run is live. The error is an exit.
func (f *finder) read() (h *history.History, goesOn bool, err error) {
	files, err := f.find()
	if err != nil {
		return nil, false, err
	}
	goesOn = store.IsWritten(files...)
	h, err = history.Open(store.Opener(files))
	if err == nil {
		note(history.WarnNewer(h.Schema))
	}
	return h, goesOn, failed(err)
}

// open is read for a command that does not keep the record.
func (f *finder) open() (open opener, goesOn bool, err error) {
	files, err := f.find()
	if err != nil {
		return nil, false, err
	}
	return store.Opener(files), store.IsWritten(files...), nil
}

// An opener opens a record. It may be called several times.
type opener = func() (io.ReadCloser, error)

// noteMissing reads a record and notes what is missing in it, for a command that may read only a
// part of it. It notes a missing end, too, unless saysEnd: then the output of the command does.
func noteMissing(files []string, open opener, saysEnd bool) error {
	goesOn := store.IsWritten(files...)
	from, err := open()
	if err != nil {
		return failed(err)
	}
	defer from.Close()
	lacks, schema, err := record.Scan(from)
	lacks.Ended = lacks.Ended || saysEnd
	note(history.WarnNewer(schema))
	note(history.WarnMissing(lacks, goesOn))
	return failed(err)
}

// recordNames completes the value of --run: the names in the folder of records, the newest first,
// or files if a path is typed.
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
