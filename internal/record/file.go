package record

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// newName makes the name of a run from what tells runs apart: time, agent,
// process, chance. Names of one agent sort by time.
func newName(argv []string, begun time.Time) string {
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

// partName is the file of a part: NAME.jsonl, NAME.1.jsonl and so on.
func partName(run string, part int) string {
	if part == 0 {
		return run + suffix
	}
	return run + "." + strconv.Itoa(part) + suffix
}

// splitName takes the name of a file apart; ok is false if it is no record's.
func splitName(file string) (run string, part int, ok bool) {
	m := fileName().FindStringSubmatch(file)
	if m == nil {
		return "", 0, false
	}
	part, err := strconv.Atoi("0" + m[2])
	return m[1], part, err == nil
}

// Begun tells when a run began by the name of one of its files; the zero time if it is
// not named like one.
func Begun(file string) time.Time {
	run, _, _ := splitName(filepath.Base(file))
	stamp, _, _ := strings.Cut(run, "-")
	begun, _ := time.Parse(nameTime, stamp)
	return begun
}

// Number tells which part of a run a file is by its name, from 0; 0 if it is not named
// like one.
func Number(file string) int {
	_, part, _ := splitName(filepath.Base(file))
	return part
}

// createPart makes a new file in the folder of the records, and locks it. What somebody else
// planted is an error, and never followed.
func createPart(base, dir, name string) (part, error) {
	folder, err := openFolder(base, dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // O_EXCL follows no link
	if err != nil {
		return nil, inFolder(dir, err)
	}
	lock(f)
	return &file{f, filepath.Join(dir, name)}, nil
}

// file is a part on a disk.
type file struct {
	*os.File
	path string
}

// WriteAt returns also with an error how much was written, which os.File does not.
func (f *file) WriteAt(b []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(b, off)
	if err == nil {
		return n, nil
	}
	if info, e := f.Stat(); e == nil {
		n = int(min(max(info.Size()-off, 0), int64(len(b))))
	}
	return n, err
}

func (f *file) Gone() bool {
	at, err := os.Lstat(f.path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	ours, err := f.Stat()
	return err == nil && !os.SameFile(at, ours)
}

// IsWritten reports whether the file of a record at path is that which a run writes
// now. It is false if that cannot be known.
func IsWritten(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false // opening a pipe might wait
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return isLocked(f)
}
