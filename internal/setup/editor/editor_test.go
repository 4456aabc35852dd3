package editor

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what came of the cases")

const shim = "/opt/acpshim"

// named is the editor of that name.
func named(t testing.TB, name string) Editor {
	t.Helper()
	all := All()
	i := slices.IndexFunc(all, func(e Editor) bool { return e.Name == name })
	if i < 0 {
		t.Fatalf("no editor %q", name)
	}
	return all[i]
}

// A case is a change of one entry.
type action struct {
	verb, editor, name string
	command            []string
	shim               Shim
}

func readAction(t *testing.T, line string) action {
	t.Helper()
	all, _, ok := words(strings.TrimSpace(line))
	if !ok || len(all) < 4 {
		t.Fatalf("want a verb, an editor, a name and a command, not %q", line)
	}
	a := action{verb: all[0], editor: all[1], name: all[2], shim: Shim{Program: shim}}
	for _, word := range all[3:] {
		switch word {
		case "record":
			a.shim.Record = true
		case "path":
			a.shim.Path = "/home/u/bin:/usr/bin"
		default:
			a.command = append(a.command, word)
		}
	}
	return a
}

// do changes the entry of a text, and returns its name, which that of a twin is not, and the
// change.
func (a action) do(t testing.TB, before []byte) (string, Change) {
	t.Helper()
	e := named(t, a.editor)
	d, err := Parse(before)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := d.Entry(e, a.name)
	if err != nil || (entry == nil) != (a.verb == "add") {
		t.Fatalf("entry %q is %v: %v", a.name, entry, err)
	}
	var c Change
	name := a.name
	switch a.verb {
	case "wrap":
		c, err = d.Wrap(e, entry, a.shim, a.command[0])
	case "twin":
		name += " (acpshim)"
		c, err = d.Twin(e, entry, name, a.shim, a.command)
	case "add":
		c, err = d.Add(e, System{OS: "linux"}, a.name, a.shim, a.command)
	}
	if err != nil {
		t.Fatal(err)
	}
	return name, c
}

// Each case is also one with other line ends, and one with a byte order mark.
func TestChanges(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := readAction(t, string(archive.Files[0].Data))
			before := archive.Files[1].Data
			name, c := a.do(t, before)
			after := c.Apply(before)
			if *update {
				archive.Files = append(archive.Files[:2], txtar.File{Name: "after", Data: after})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if len(archive.Files) < 3 {
				t.Fatal("there is no after: -update writes it")
			}
			if diff := cmp.Diff(string(archive.Files[2].Data), string(after)); diff != "" {
				t.Error(diff)
			}
			checkBack(t, named(t, a.editor), name, before, c)
			crlf := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }
			mark := func(text []byte) []byte { return append([]byte("\ufeff"), text...) }
			for _, other := range []func([]byte) []byte{crlf, mark} {
				if len(before) == 0 {
					continue // there is nothing to see line ends in
				}
				name, c := a.do(t, other(before))
				if diff := cmp.Diff(string(other(after)), string(c.Apply(other(before)))); diff != "" {
					t.Error(diff)
				}
				checkBack(t, named(t, a.editor), name, other(before), c)
			}
		})
	}
}

// checkBack checks that a change can be undone, and what else is true of each.
func checkBack(t testing.TB, e Editor, name string, before []byte, c Change) {
	t.Helper()
	after := c.Apply(before)
	d, err := Parse(after)
	if err != nil {
		t.Fatalf("%v in\n%s", err, after)
	}
	entry, err := d.Entry(e, name)
	if err != nil || entry == nil || !entry.Wrapped() || len(entry.Agent) == 0 {
		t.Fatalf("after it, the entry is %+v: %v in\n%s", entry, err, after)
	}
	undone, ok := d.Undo(e, name, c)
	if !ok {
		t.Fatalf("cannot be undone:\n%s", after)
	}
	if got := undone.Apply(after); !bytes.Equal(got, before) {
		t.Fatalf("undone it is\n%q, it was\n%q", got, before)
	}
	if !entry.Recording {
		record := d.Rewrap(entry, shim, true)
		recorded, err := Parse(record.Apply(after))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := recorded.Entry(e, name); err != nil || got == nil || !got.Recording || !slices.Equal(got.Agent, entry.Agent) {
			t.Fatalf("with --record, the entry is %+v: %v in\n%s", got, err, record.Apply(after))
		}
	}
	// Without knowing the change, the command is what it was, but for its program.
	off, err := d.Unwrap(entry)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := Parse(off.Apply(after))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := bare.Entry(e, name); err != nil || got == nil || got.Wrapped() || !slices.Equal(got.Command, entry.Agent) {
		t.Fatalf("with acpshim taken off, the entry is %+v: %v in\n%s", got, err, off.Apply(after))
	}
	gone := d.Remove(entry).Apply(after)
	left, err := Parse(gone)
	if err != nil {
		t.Fatalf("%v after it was removed:\n%s", err, gone)
	}
	if again, err := left.Entry(e, name); err == nil && again != nil {
		t.Fatalf("was not removed:\n%s", gone)
	}
}
