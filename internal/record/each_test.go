package record

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"acpshim/internal/chain/wire"
)

// Each gets all records of traffic, as a Reader reads them, and a record without a folder writes no
// file.
func TestEach(t *testing.T) {
	dir := t.TempDir()
	var each []Record
	o := Options{Dir: filepath.Join(dir, "records"), MaxLine: 100, Each: func(r Record) {
		if r.Message != nil {
			r.Message.Line, r.Message.Head = bytes.Clone(r.Message.Line), bytes.Clone(r.Message.Head)
		}
		each = append(each, r)
	}}
	why := wire.Reason{Code: "c", Text: "t", Values: []string{"v"}}
	say := func(r *Recorder) {
		r.Tap(Client).Passed([]byte("{}\nno JSON\n"))
		r.Tap(Client).Rewritten([]byte("[]\n"), []byte("[]\n"), wire.Change{Number: 1})
		r.Tap(Agent).Rewritten([]byte(`{"a":1}`+"\n"), []byte("{}\n{}\n"), wire.MadeBy("x", why))
		r.Tap(Agent).Rewritten([]byte("1\n"), []byte("2\n1\n"), wire.Change{Added: []wire.Addition{{
			Span: wire.Span{Start: 0, End: 2}, By: []wire.Cause{{Name: "y"}},
			From: wire.Origin{From: wire.Client, Number: 1}, IsHeld: true,
		}}})
		r.Events().Write([]byte("{}\n"))
		r.Tap(Agent).Passed(append(bytes.Repeat([]byte("x"), 200), '\n'))
	}
	r := begin(t, o)
	say(r)
	var want []Record
	for _, r := range readAll(t, r) {
		if r.Start == nil && r.Text == nil {
			want = append(want, r)
		}
	}
	if !reflect.DeepEqual(each, want) || len(each) != 10 {
		t.Errorf("given\n%+v\nwant\n%+v", each, want)
	}
	if m := each[6].Message; m.Held != 3 || m.Place != "before" {
		t.Errorf("the held line is %+v", m)
	}

	t.Chdir(dir)
	each, o.Dir = nil, ""
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	say(r)
	if err := r.Close(Outcome{}); err != nil {
		t.Fatal(err)
	}
	if len(each) != 10 || each[9].End == nil {
		t.Errorf("%d records without a folder: %+v", len(each), each)
	}
	if found, _ := os.ReadDir("."); len(found) != 1 {
		t.Errorf("there are %q", found)
	}
}
