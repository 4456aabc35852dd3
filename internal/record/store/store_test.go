package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNames(t *testing.T) {
	for _, argv := range [][]string{nil, {""}, {"/"}, {".."}, {strings.Repeat("é", 100)}, {strings.Repeat("a", 500)}, {"a\n\x00b"}} {
		name := PartName(NewName(argv, time.Now()), 3)
		if run, n, ok := splitName(name); !ok || n != 3 || PartName(run, 3) != name || len(name) > 100 {
			t.Errorf("%q makes the name %q", argv, name)
		}
	}
}

func TestPlantedFilesAreNotOpened(t *testing.T) {
	base := t.TempDir()
	elsewhere := filepath.Join(base, "elsewhere")
	os.Mkdir(elsewhere, 0o700)
	target := filepath.Join(base, "target")
	if err := os.Symlink(target, filepath.Join(elsewhere, "name.jsonl")); err != nil {
		t.Skip(err)
	}
	if _, err := Create("", elsewhere, "name.jsonl"); err == nil {
		t.Error("a planted link was followed")
	}
	os.WriteFile(filepath.Join(elsewhere, "taken.jsonl"), []byte("another's"), 0o600)
	if _, err := Create("", elsewhere, "taken.jsonl"); err == nil {
		t.Error("a file that was there was opened")
	}
	if _, err := Create("", elsewhere, "../name.jsonl"); err == nil {
		t.Error("a name led out of the folder")
	}
	if left, _ := os.ReadDir(elsewhere); len(left) != 2 {
		t.Errorf("%d files were created through the link", len(left)-2)
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("the target of a link was created")
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	var names []string // the newest first
	for age := range 5 {
		name := PartName(NewName([]string{fmt.Sprint("agent", age)}, now), age)
		path := filepath.Join(dir, name)
		os.WriteFile(path, make([]byte, 100), 0o600)
		at := now.Add(-time.Duration(age) * 24 * time.Hour)
		os.Chtimes(path, at, at)
		names = append(names, name)
	}
	os.WriteFile(filepath.Join(dir, "mine.jsonl"), make([]byte, 1000), 0o600)
	os.Symlink(filepath.Join(dir, "mine.jsonl"), filepath.Join(dir, PartName(NewName(nil, now), 0)))
	for _, c := range []struct {
		l    Limits
		want []string
	}{
		{Limits{DryRun: true}, nil},
		{Limits{DryRun: true, Bytes: 500}, nil},
		{Limits{DryRun: true, Bytes: 499}, names[4:]},
		{Limits{DryRun: true, Bytes: 1}, names},
		{Limits{DryRun: true, Bytes: 1, Except: names[3]}, []string{names[0], names[1], names[2], names[4]}},
		{Limits{DryRun: true, Age: 36 * time.Hour}, names[2:]},
		{Limits{Bytes: 350, Age: 84 * time.Hour}, names[3:]},
		{Limits{Bytes: 350, Age: 84 * time.Hour}, nil},
	} {
		removed, err := Prune(dir, c.l)
		var got []string
		for _, path := range removed.Paths {
			got = append(got, filepath.Base(path))
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%+v: removed %q, %v, want %q", c.l, got, err, c.want)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 5 {
		t.Errorf("%d files are left", len(left))
	}
	if _, err := Prune(filepath.Join(dir, "none"), Limits{}); err == nil {
		t.Error("a folder that is not there was pruned")
	}
}

func TestRunsOfAFolder(t *testing.T) {
	dir := t.TempDir()
	const first, second = "20260101T000000.000Z-b-1-00000001", "20260102T000000.000Z-a-1-00000002"
	for _, name := range []string{second + ".10.jsonl", second + ".jsonl", first + ".2.jsonl", second + ".9.jsonl", "notes.jsonl", first + ".txt"} {
		os.WriteFile(filepath.Join(dir, name), []byte("{}\n"), 0o600)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	const third = "20260103T000000.000Z-a-1-0000000"
	os.WriteFile(in(third+"1.jsonl"), nil, 0o600)
	os.WriteFile(in(second+".11.jsonl"), nil, 0o600)
	os.Mkdir(in(third+"2.jsonl"), 0o700)
	os.Symlink("notes.jsonl", in(third+"3.jsonl"))
	os.Symlink("nowhere", in(first+".3.jsonl"))
	got, err := Runs(dir)
	want := [][]string{{in(first + ".2.jsonl")}, {in(second + ".jsonl"), in(second + ".9.jsonl"), in(second + ".10.jsonl")}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if parts, err := Parts(in(third + "3.jsonl")); err != nil || len(parts) > 0 {
		t.Errorf("a link has the parts %q, %v", parts, err)
	}
	if begun := Begun(in(second + ".9.jsonl")); !begun.Equal(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)) || !Begun("notes.jsonl").IsZero() {
		t.Errorf("it began at %v", begun)
	}
	if _, err := Runs(in("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no folder: %v", err)
	}
}
