package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A feed sends all entries of a record in batches of a bounded size, and ends with the record.
func TestFeed(t *testing.T) {
	path := filepath.Join(t.TempDir(), run1+".jsonl")
	var text strings.Builder
	for i := range 2500 {
		text.WriteString(ask(i+1) + "\n")
	}
	text.WriteString(strings.Replace(ask(2501), "question", strings.Repeat("long", batchBytes), 1) + "\n" + ask(2502) + "\n")
	fmt.Fprintf(&text, `{"kind":"end","seq":%d,"status":0}`+"\n", 2503)
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFeed(path)
	seq := uint64(0)
	for {
		b, ok := f.wait().(batch)
		if !ok {
			break
		}
		if len(b.records) > batchRecords || b.feed != f || b.err != nil {
			t.Fatalf("%d records, %v", len(b.records), b.err)
		}
		for _, rec := range b.records {
			if seq++; rec.Seq != seq {
				t.Fatalf("record %d, want %d", rec.Seq, seq)
			}
		}
		if b.over != (seq == 2503) {
			t.Errorf("over is %v after %d", b.over, seq)
		}
	}
	if seq != 2503 {
		t.Errorf("%d records", seq)
	}
}

// A closed feed reads no more. The feed of a record that does not exist has an error.
func TestAFeedIsClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), run1+".jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat(ask(1)+"\n", 3*batchRecords)), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFeed(path)
	if b, ok := f.wait().(batch); !ok || len(b.records) == 0 {
		t.Fatalf("got %+v", b)
	}
	f.close()
	for range f.batches { // it ends, after what was given already
	}
	f = newFeed(path + ".none")
	if b, _ := f.wait().(batch); b.err == nil || !b.over {
		t.Errorf("got %+v", b)
	}
	m := opened(t, 100, 24, "")
	m.Update(batch{feed: m.run.feed, over: true, err: fmt.Errorf("open \x1b[2J: no such file")})
	m.shows(t, "the record cannot be read: open �[2J: no such file")
}
