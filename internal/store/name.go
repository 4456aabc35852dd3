// Package store keeps the files of records: which folder they are in, how they are named,
// who writes one now, and what may stay. What is in them is package record's business.
//
// A run has one file or several, its parts: NAME.jsonl, NAME.1.jsonl and so on.
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

// NewName returns a name for a run of the agent argv that begins now: time, agent, process and
// chance make it unlike others. Names sort by time.
func NewName(argv []string, begun time.Time) string {
	agent := "agent"
	if len(argv) > 0 {
		// Windows' paths are cut on other systems, too: names do not depend on them.
		base := argv[0][strings.LastIndexAny(argv[0], `/\`)+1:]
		if base = strings.Trim(odd().ReplaceAllString(base, "_"), "._-"); base != "" {
			agent = base[:min(len(base), 40)]
		}
	}
	var chance [4]byte
	rand.Read(chance[:])
	return fmt.Sprintf("%s-%s-%d-%s", begun.UTC().Format(nameTime), agent, os.Getpid(), hex.EncodeToString(chance[:]))
}

// Compiled when they are needed: a run without a record does not.
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

// PartName returns the name of the file of a part, which are counted from 0.
func PartName(run string, part int) string {
	if part == 0 {
		return run + suffix
	}
	return run + "." + strconv.Itoa(part) + suffix
}

// splitName splits the name of a file; ok is false if it is not that of a part.
func splitName(file string) (run string, part int, ok bool) {
	m := fileName().FindStringSubmatch(file)
	if m == nil {
		return "", 0, false
	}
	part, err := strconv.Atoi("0" + m[2])
	return m[1], part, err == nil
}

// Begun returns when a run began, by the name of one of its files; the zero time if the file
// is not named like a part.
func Begun(file string) time.Time {
	run, _, _ := splitName(filepath.Base(file))
	stamp, _, _ := strings.Cut(run, "-")
	begun, _ := time.Parse(nameTime, stamp)
	return begun
}

// Number returns which part of its run a file is, by its name; 0 if the file is not named like
// a part.
func Number(file string) int {
	_, part, _ := splitName(filepath.Base(file))
	return part
}

// Name returns the name of a record by that of its first file.
func Name(files []string) string { return strings.TrimSuffix(filepath.Base(files[0]), suffix) }

// ShortName returns the shortest beginning of the name of records[i] that ends before a dot or
// a dash and that no other one has. The records are in the order of Runs.
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

// NamesBeginning returns the names of records that begin so, the newest one first.
func NamesBeginning(records [][]string, begin string) (names []string) {
	for _, files := range slices.Backward(records) {
		if name := Name(files); strings.HasPrefix(name, begin) {
			names = append(names, name)
		}
	}
	return names
}
