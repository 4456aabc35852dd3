package record

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"acpshim/internal/wire"
)

// Each gets all records of traffic, and a record without a folder writes no file.
func TestEach(t *testing.T) {
	dir := t.TempDir()
	var each []byte
	o := Options{Dir: filepath.Join(dir, "records"), MaxLine: 100, Each: func(line []byte) { each = append(each, line...) }}
	say := func(r *Recorder) {
		r.Tap(Client).Passed([]byte("{}\nno JSON\n"))
		r.Tap(Agent).Rewritten([]byte(`{"a":1}`+"\n"), []byte("{}\n{}\n"), wire.MadeBy("x", wire.Reason{}))
		r.Events().Write([]byte("{}\n"))
		r.Tap(Agent).Passed(append(bytes.Repeat([]byte("x"), 200), '\n'))
	}
	r := begin(t, o)
	say(r)
	if err := r.Close(Outcome{}); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(o.Dir, r.Name()))
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	for line := range bytes.Lines(file) {
		if !bytes.HasPrefix(line, []byte(`{"kind":"start"`)) && !bytes.HasPrefix(line, []byte(`{"kind":"event"`)) {
			want = append(want, line...)
		}
	}
	if !bytes.Equal(each, want) || bytes.Count(each, []byte("\n")) != 7 {
		t.Errorf("given\n%swant\n%s", each, want)
	}

	t.Chdir(dir)
	each, o.Dir = nil, ""
	if r, err = New(o); err != nil {
		t.Fatal(err)
	}
	say(r)
	if err := r.Close(Outcome{}); err != nil {
		t.Fatal(err)
	}
	if got := bytes.Count(each, []byte("\n")); got != 7 {
		t.Errorf("%d lines without a folder: %s", got, each)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*")); len(found) != 1 {
		t.Errorf("there are %q", found)
	}
}
