package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"acpshim/internal/text/terminal"
)

// Dates as people type them to name a record: with the digits of its name, or with dashes.
var (
	dated  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^20\d{6}(T\w*)?(\.|$)`) })
	dashed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^20\d\d-\d\d-\d\d(T[\d:]*)?$`) })
)

// IsName reports whether a text looks like the name of a record: a date, last~1, or a path.
func IsName(text string) bool {
	_, isLast := fromLast(text)
	return isLast || strings.HasSuffix(text, suffix) || dated().MatchString(text) || dashed().MatchString(text)
}

// fromLast returns how many records are newer than the one that a name such as "last" or "last~1"
// means.
func fromLast(name string) (n int, ok bool) {
	rest, ok := strings.CutPrefix(name, "last")
	if !ok || rest == "" {
		return 0, ok
	}
	n, err := strconv.Atoi(strings.TrimPrefix(rest, "~"))
	return n, err == nil && n >= 0 && rest[0] == '~'
}

// Find returns the files of a record. Name is the path of one of its files, or in a folder the
// prefix of a file name, "last" or "last~1". "" is the newest record in the folder. Folder is
// called only if it is needed.
func Find(name string, folder func() (string, error)) ([]string, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.HasSuffix(name, suffix) {
		if _, err := os.Stat(name); err == nil || filepath.IsAbs(name) {
			return recordAt(name)
		}
	}
	dir, err := folder()
	if err != nil {
		return nil, err
	}
	all, err := Runs(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if n, ok := fromLast(name); ok && n < len(all) {
		return all[len(all)-1-n], nil
	} else if ok && len(all) > 0 {
		return nil, fmt.Errorf("%s has %s: last~%d is the oldest", dir, terminal.Count(len(all), "record", "records"), len(all)-1)
	} else if ok {
		name = ""
	}
	prefix := name
	if dashed().MatchString(name) {
		prefix = strings.NewReplacer("-", "", ":", "").Replace(name)
	}
	var found [][]string
	for _, files := range all {
		if slices.ContainsFunc(files, func(file string) bool { return strings.HasPrefix(filepath.Base(file), prefix) }) {
			found = append(found, files)
		}
	}
	switch n := len(found); {
	case n == 0 && name == "":
		return nil, fmt.Errorf("there is no record in %s: run an agent with --record", dir)
	case n == 0:
		if _, err := os.Stat(name); err == nil {
			return recordAt(name)
		}
		return nil, fmt.Errorf("no record in %s begins with %q, and there is no such file", dir, name)
	case n > 1 && name != "":
		return nil, fmt.Errorf("%d records begin with %q, the last is %s", n, prefix, filepath.Base(found[n-1][0]))
	default:
		return found[n-1], nil
	}
}

// recordAt returns the files of the record with a file at path. If the file is not named like a
// part, it is the only one.
func recordAt(path string) ([]string, error) {
	if files, err := Parts(path); err == nil && len(files) > 0 {
		return files, nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("there is no record %s: %w", path, errors.Unwrap(err))
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder: name a record in it", path)
	}
	return []string{path}, nil
}

// Has reports whether a path leads to one of a record's files, also by another name or a link.
func Has(files []string, path string) bool {
	is, err := os.Stat(path)
	return err == nil && is.Mode().IsRegular() && slices.ContainsFunc(files, func(file string) bool {
		info, err := os.Stat(file)
		return err == nil && os.SameFile(is, info)
	})
}
