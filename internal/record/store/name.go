// Package store names, finds, opens and prunes the files of records. Package record knows what is
// in them.
//
// The record of a run has one or more files, its parts: NAME.jsonl, NAME.1.jsonl and so on.
package store

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// NewName returns a unique name for a run of the agent argv. It consists of the time, the agent,
// the process id and random digits. Names sort by time.
func NewName(argv []string, begun time.Time) string {
	agent := "agent"
	if len(argv) > 0 {
		// Windows paths are cut on other systems, too, so that names are the same everywhere.
		base := argv[0][strings.LastIndexAny(argv[0], `/\`)+1:]
		if base = strings.Trim(odd().ReplaceAllString(base, "_"), "._-"); base != "" {
			agent = base[:min(len(base), 40)]
		}
	}
	var random [4]byte
	rand.Read(random[:])
	return fmt.Sprintf("%s-%s-%d-%s", begun.UTC().Format(nameTime), agent, os.Getpid(), hex.EncodeToString(random[:]))
}

// They are compiled on first use, because a run without a record needs neither.
var (
	odd      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9._-]+`) })
	fileName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\d{8}T\d{6}\.\d{3}Z-[A-Za-z0-9._-]+-\d+-[0-9a-f]{8})(?:\.(\d+))?\.jsonl$`)
	})
)

const (
	suffix   = ".jsonl"
	nameTime = "20060102T150405.000Z"
)

// PartName returns the file name of a part of a run. The first part is 0.
func PartName(run string, part int) string {
	if part == 0 {
		return run + suffix
	}
	return run + "." + strconv.Itoa(part) + suffix
}

// splitName splits the file name of a part; ok is false for other names.
func splitName(file string) (run string, part int, ok bool) {
	m := fileName().FindStringSubmatch(file)
	if m == nil {
		return "", 0, false
	}
	part, err := strconv.Atoi("0" + m[2])
	return m[1], part, err == nil
}

// Begun returns when a run began, which the names of its files say. It returns the zero time if the
// file is not named like a part.
func Begun(file string) time.Time {
	run, _, _ := splitName(filepath.Base(file))
	stamp, _, _ := strings.Cut(run, "-")
	begun, _ := time.Parse(nameTime, stamp)
	return begun
}

// Number returns the number of a part by its file name, or 0 if the file is not named like a part.
func Number(file string) int {
	_, part, _ := splitName(filepath.Base(file))
	return part
}

// Name returns the name of a record, which is that of its first file without the suffix.
func Name(files []string) string { return strings.TrimSuffix(filepath.Base(files[0]), suffix) }

// ShortName returns the shortest unique prefix of the name of records[i] that ends before a dot or
// a dash. The records are in the order of Runs.
func ShortName(records [][]string, i int) string {
	name := Name(records[i])
	for at, c := range name {
		if c != '.' && c != '-' {
			continue
		}
		begins := func(j int) bool {
			return j >= 0 && j < len(records) && strings.HasPrefix(Name(records[j]), name[:at])
		}
		if !begins(i-1) && !begins(i+1) {
			return name[:at]
		}
	}
	return name
}

// NamesBeginning returns the names of records that begin with a text, the newest first.
func NamesBeginning(records [][]string, begin string) (names []string) {
	for _, files := range slices.Backward(records) {
		if name := Name(files); strings.HasPrefix(name, begin) {
			names = append(names, name)
		}
	}
	return names
}
