package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"acpshim/internal/config"
	"acpshim/internal/history"
	"acpshim/internal/record"
)

// A finder finds records where the configuration has them. It reads that once, as it
// may be a pipe, and not before it is needed: a record that is named by its path is
// found also if the configuration is wrong. The zero value has the user's own.
type finder struct {
	flags
	loaded func() (config.Config, error)
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
	return recordsFolderOf(c)
}

// records are the files of each record, the oldest record first.
func (f *finder) records() ([][]string, error) {
	folder, err := f.folder()
	if err != nil {
		return nil, err
	}
	all, err := record.Runs(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return all, err
}

var dashed = regexp.MustCompile(`^20\d\d-\d\d(-\d\d)?(T[\d:]*)?$`)

// find returns the files of the record that a person named by its path, or by the
// beginning of a file's name; of the newest one if the name is empty. The error is an
// exit.
func (f *finder) find(name string) ([]string, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.HasSuffix(name, ".jsonl") {
		if _, err := os.Stat(name); err == nil || filepath.IsAbs(name) {
			return recordAt(name)
		}
	}
	all, err := f.records()
	if err != nil {
		return nil, failed(err)
	}
	begin := name
	if dashed.MatchString(name) {
		begin = strings.NewReplacer("-", "", ":", "").Replace(name)
	}
	var found [][]string
	for _, parts := range all {
		if slices.ContainsFunc(parts, func(part string) bool { return strings.HasPrefix(filepath.Base(part), begin) }) {
			found = append(found, parts)
		}
	}
	folder, _ := f.folder()
	switch n := len(found); {
	case n == 0 && name == "":
		return nil, failed(fmt.Errorf("there is no record in %s: run an agent with --record", folder))
	case n == 0:
		return nil, failed(fmt.Errorf("no record in %s begins with %q, and there is no such file", folder, name))
	case n > 1 && name != "":
		return nil, failed(fmt.Errorf("%d records begin with %q, the last is %s", n, begin, filepath.Base(found[n-1][0])))
	default:
		return found[n-1], nil
	}
}

// recordAt returns the files of the record that has one at a path. What is not named
// like a record has to have a line of one, but for a pipe, which is not looked at. The
// error is an exit.
func recordAt(path string) ([]string, error) {
	if parts, err := record.Parts(path); err == nil && len(parts) > 0 {
		return parts, nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, failed(fmt.Errorf("there is no record %s: %w", path, errors.Unwrap(err)))
	case info.IsDir():
		return nil, failed(fmt.Errorf("%s is a folder: want a record in it", path))
	case !info.Mode().IsRegular():
		return []string{path}, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, failed(err)
	}
	defer file.Close()
	const enough = 64 << 20
	if _, err := record.NewReader(io.LimitReader(file, enough)).Next(); errors.Is(err, io.EOF) {
		return nil, failed(fmt.Errorf("%s is no record: it has no line of one", path))
	}
	return []string{path}, nil
}

// read reads the record that a person named, and tells whether its run goes on. The
// error is an exit.
func (f *finder) read(name string) (h *history.History, goesOn bool, err error) {
	parts, err := f.find(name)
	if err != nil {
		return nil, false, err
	}
	goesOn = isWritten(parts)
	h, err = readRecord(recordOpener(parts))
	return h, goesOn, err
}

// readRecord reads the record that open opens. The error is an exit.
func readRecord(open func() (io.ReadCloser, error)) (*history.History, error) {
	files, err := open()
	if err != nil {
		return nil, failed(err)
	}
	defer files.Close()
	h, err := history.Read(record.NewReader(files))
	if err != nil {
		return nil, failed(err)
	}
	tellNewer(h.Schema)
	return h, nil
}
