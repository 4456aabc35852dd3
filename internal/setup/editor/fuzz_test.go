package editor

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzWrap wraps each entry that a text has, and adds one: all that is before and behind the entry
// stays, the other entries say what they said, and undone it is the same text.
func FuzzWrap(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range txtar.Parse(data).Files[1:] {
			f.Add(part.Data, "Codex", "codex acp", false)
			f.Add(bytes.ReplaceAll(part.Data, []byte("\n"), []byte("\r\n")), "x", "", true)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, name, word string, record bool) {
		d, err := Parse(text)
		if err != nil {
			return
		}
		s := Shim{Program: shim, Record: record}
		if record {
			s.Path = "/usr/bin"
		}
		for _, e := range All() {
			entries, err := d.Entries(e)
			if e.InCode() || err != nil {
				continue
			}
			for i := range entries {
				entry := &entries[i]
				if one, err := d.Entry(e, entry.Name); err != nil || one == nil || entry.Command == nil || entry.Wrapped() {
					continue
				}
				c, err := d.Wrap(e, entry, s, "/bin/"+word)
				if err != nil {
					continue
				}
				if c.Start != entry.value.StartOffset || len(c.Old) != entry.value.EndOffset-entry.value.StartOffset {
					t.Fatalf("%s: the change of %q is not that of its entry", e.Name, entry.Name)
				}
				checkBack(t, e, entry.Name, text, c)
				checkOthers(t, e, d, c, entry.Name)
			}
			if had, err := d.Entry(e, name); had != nil || err != nil {
				continue
			}
			if c, err := d.Add(e, System{OS: "linux"}, name, s, []string{"/bin/" + word, word}); err == nil {
				checkBack(t, e, name, text, c)
				checkOthers(t, e, d, c, name)
			}
		}
	})
}

// checkOthers checks that a change does nothing to the other entries.
func checkOthers(t *testing.T, e Editor, d *Document, c Change, name string) {
	t.Helper()
	values := func(d *Document) (values []string) {
		entries, err := d.Entries(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if entry.Name != name {
				values = append(values, entry.Name, string(d.text[entry.value.StartOffset:entry.value.EndOffset]))
			}
		}
		return values
	}
	after, err := Parse(c.Apply(d.text))
	if err != nil {
		t.Fatal(err)
	}
	was, is := values(d), values(after)
	if len(was) != len(is) {
		t.Fatalf("%d other entries are %d", len(was)/2, len(is)/2)
	}
	for i := range was {
		if was[i] != is[i] {
			t.Fatalf("%q is %q", was[i], is[i])
		}
	}
}
