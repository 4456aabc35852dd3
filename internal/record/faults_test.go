package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/record/store"

	"acpshim/internal/chain/wire"
)

// disk is a disk in memory that can be full or can block.
type disk struct {
	mu    sync.Mutex
	parts []*fakePart
	left  int           // bytes until it is full; negative is never
	hold  chan struct{} // writes wait until it is closed; nil is no wait
	calls int
}

func (d *disk) create(int) (part, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left == 0 {
		return nil, syscall.ENOSPC
	}
	p := &fakePart{d: d}
	d.parts = append(d.parts, p)
	return p, nil
}

// set sets how many bytes there are until the disk is full, and lets writes go on.
func (d *disk) set(left int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left, d.hold = left, nil
}

// block blocks writes until unblock is called.
func (d *disk) block() (unblock func()) {
	hold := make(chan struct{})
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold = hold
	return func() { close(hold) }
}

func (d *disk) writes() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}

// read returns the records of all parts.
func (d *disk) read(t *testing.T) []Record {
	t.Helper()
	d.mu.Lock()
	parts := d.parts
	d.mu.Unlock()
	return d.readParts(t, parts)
}

func (d *disk) readParts(t *testing.T, parts []*fakePart) []Record {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	var text []byte
	for _, p := range parts {
		text = append(text, p.text...)
	}
	return drain(t, NewReader(bytes.NewReader(text)), 0)
}

type fakePart struct {
	d    *disk
	text []byte
	gone bool
}

func (p *fakePart) WriteAt(b []byte, off int64) (int, error) {
	p.d.mu.Lock()
	hold := p.d.hold
	p.d.mu.Unlock()
	if hold != nil {
		<-hold
	}
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	p.d.calls++
	n, there := len(b), len(p.text)-int(off) // overwritten bytes take no room
	if p.d.left >= 0 {
		n = min(n, there+p.d.left)
		p.d.left -= max(n-there, 0)
	}
	p.text = append(p.text[:off], b[:n]...)
	if n < len(b) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (p *fakePart) Close() error { return nil }
func (p *fakePart) Gone() bool   { return p.gone }

// failures collects the calls of Failed.
type failures struct {
	mu   sync.Mutex
	errs []error
}

func (f *failures) failed(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errs = append(f.errs, err)
}

func (f *failures) none(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.errs) > 0 {
		t.Errorf("Failed got %v", f.errs)
	}
}

func (f *failures) once(t *testing.T, want error) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.errs) != 1 || !errors.Is(f.errs[0], want) {
		t.Errorf("Failed got %v, want only %v", f.errs, want)
	}
}

// numbered returns a line of a size with a number.
func numbered(i, size int) []byte {
	line := fmt.Appendf(nil, `{"n":%d,"x":"`, i)
	return append(append(line, bytes.Repeat([]byte("x"), size-len(line)-3)...), "\"}\n"...)
}

// check fails unless each line is there once and in order, or is in a gap. It returns how many
// lines are missing.
func check(t *testing.T, all []Record, count, size int) (missing int) {
	t.Helper()
	next := 0
	for _, r := range all {
		if r.Gap != nil {
			if r.Gap.Stream != "agent" || r.Gap.Bytes != int64(r.Gap.Count*size) || r.Gap.Count == 0 || r.Gap.To.Before(r.Gap.From) || r.Gap.From.IsZero() {
				t.Errorf("gap %+v of lines of %d bytes", r.Gap, size)
			}
			next += r.Gap.Count
			missing += r.Gap.Count
		}
		if r.Message != nil {
			if want := numbered(next, size); !bytes.Equal(r.Message.Line, want) {
				t.Fatalf("line %d is %.60q", next, r.Message.Line)
			}
			next++
		}
	}
	if next != count {
		t.Errorf("%d lines are accounted for, want %d", next, count)
	}
	end := all[len(all)-1].End
	if end == nil || end.Lost.Lines != missing || end.Lost.Bytes != int64(missing*size) || end.Agent.Lines != count-missing || end.Gaps != len(of(all, "gap")) {
		t.Errorf("%d lines are missing, the end is %+v", missing, end)
	}
	return missing
}

// E1: the disk is full for some time, after any number of bytes.
func TestFullDisk(t *testing.T) {
	const size, count = 300, 2000
	for _, left := range []int{0, 1, 200, 500, 1000, 70_000} {
		synctest.Test(t, func(t *testing.T) {
			d, f, r := beginOn(t, left, Options{QueueBytes: 100_000, Wait: time.Millisecond})
			tap := r.Tap(Agent)
			for i := range count {
				tap.Passed(numbered(i, size))
				if i%10 == 0 {
					time.Sleep(20 * time.Millisecond) // 4 s in all
				}
				if i == count/4 {
					d.set(-1)
				}
			}
			if missing := check(t, readFake(t, r, d), count, size); missing == 0 || missing > count*3/4 {
				t.Errorf("with room for %d bytes, %d lines are missing", left, missing)
			}
			f.once(t, syscall.ENOSPC)
		})
	}
}

// beginOn begins a record on a disk with room for some bytes. By default its queue is small.
func beginOn(t *testing.T, left int, o Options) (*disk, *failures, *Recorder) {
	t.Helper()
	d, f := &disk{left: left}, &failures{}
	o.create, o.Failed, o.MaxLine, o.QueueBytes = d.create, f.failed, 1000, cmp.Or(o.QueueBytes, 10_000)
	return d, f, begin(t, o)
}

func readFake(t *testing.T, r *Recorder, d *disk) []Record {
	t.Helper()
	if err := r.Close(Outcome{}); err != nil {
		t.Error(err)
	}
	return d.read(t)
}

// If the disk stays full, the writer tries once a second, and calls Failed once. The record has no
// end.
func TestDiskStaysFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f, r := beginOn(t, 2000, Options{QueueBytes: 1 << 20})
		for i := range 100 {
			r.Tap(Agent).Passed(numbered(i, 300))
			if i >= 10 {
				time.Sleep(time.Second)
			}
		}
		if n := d.writes(); n < 90 || n > 110 {
			t.Errorf("%d writes in 100 s", n)
		}
		err := r.Close(Outcome{})
		lost := 100 - len(of(drain(t, NewReader(bytes.NewReader(d.parts[0].text)), 1), "message"))
		if want := fmt.Sprintf("missing there: %d:", lost); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), want) {
			t.Errorf("closed with %v, want %q", err, want)
		}
		f.once(t, syscall.ENOSPC)
	})
}

// The writer tries again at the end, also before the next second.
func TestDiskHasRoomAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f, r := beginOn(t, 1000, Options{QueueBytes: 1 << 20})
		for i := range 10 {
			r.Tap(Agent).Passed(numbered(i, 300))
		}
		time.Sleep(tryAgain / 2)
		d.set(-1)
		check(t, readFake(t, r, d), 10, 300)
		f.once(t, syscall.ENOSPC)
	})
}

// E7: a disk that blocks holds the traffic for a moment, once.
func TestSlowDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	const size, count = 400, 9000
	for _, cut := range []int{size, 37, 399, 401, 7000} {
		synctest.Test(t, func(t *testing.T) {
			d, f, r := beginOn(t, -1, Options{QueueBytes: 200_000})
			unblock := d.block()
			var all []byte
			for i := range count {
				all = append(all, numbered(i, size)...)
			}
			tap, began := r.Tap(Agent), time.Now()
			feed := func(b []byte) {
				for len(b) > 0 {
					n := min(len(b), cut)
					tap.Passed(b[:n])
					b = b[n:]
				}
			}
			feed(all[:size*3000+1])
			if d := time.Since(began); d != 100*time.Millisecond {
				t.Errorf("the traffic was held for %v", d)
			}
			time.Sleep(30 * time.Second)
			feed(all[size*3000+1 : size*6000+2])
			unblock()
			time.Sleep(time.Second)
			// The gap ends with the line in progress.
			feed(all[size*6000+2:])
			missing := check(t, readFake(t, r, d), count, size)
			if missing < 3000 || missing > 6001 {
				t.Errorf("in pieces of %d: %d lines are missing", cut, missing)
			}
			f.once(t, ErrBehind)
		})
	}
}

// A gap is recorded as soon as there is room, not with the next line.
func TestGapIsRecordedWithoutMoreTraffic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f, r := beginOn(t, -1, Options{})
		unblock := d.block()
		agent, client := r.Tap(Agent), r.Tap(Client)
		agent.Passed([]byte("{}\n"))
		time.Sleep(time.Second) // the writer waits for the disk
		for i := range 100 {
			agent.Passed(numbered(i, 400))
		}
		client.Rewritten([]byte("{\"a\":1}\n"), []byte("{\"b\":1}\n{\"c\":1}\n"), wire.Change{})
		unblock()
		time.Sleep(time.Second)
		gaps := of(d.read(t), "gap")
		if len(gaps) != 2 || gaps[1].Gap.Stream != "agent" && gaps[0].Gap.Stream != "agent" {
			t.Fatalf("%d gaps", len(gaps))
		}
		for _, g := range gaps {
			if g.Gap.Stream == "client" && (g.Gap.Count != 3 || g.Gap.Bytes != 24) {
				t.Errorf("gap %+v of three rewritten lines", g.Gap)
			}
		}
		client.Rewritten([]byte("{\"a\":1}\n"), []byte("{\"b\":1}\n"), wire.Change{})
		all := readFake(t, r, d)
		if m := of(all, "message"); m[len(m)-1].Message.Of != m[len(m)-2].Seq {
			t.Error("the line after the gap does not name the record of the line before it")
		}
		f.once(t, ErrBehind)
	})
}

// The record of a line that replaced a lost line does not name another record.
func TestGapBetweenALineAndWhatBecameOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, r := beginOn(t, -1, Options{})
		tap := r.Tap(Agent)
		tap.Rewritten([]byte("{\"a\":1}\n"), []byte("{\"b\":1}\n"), wire.Change{})
		time.Sleep(time.Second)
		unblock := d.block()
		for i := range 2000 {
			r.Tap(Client).Passed(numbered(i, 400))
		}
		tap.line([]byte("{\"lost\":1}\n"), change{stage: stageIn})
		unblock()
		time.Sleep(time.Second)
		tap.line([]byte("{\"c\":1}\n"), change{stage: stageOut})
		all := readFake(t, r, d)
		m := of(all, "message")
		if last := m[len(m)-1].Message; string(last.Line) != "{\"c\":1}\n" || last.Of != 0 {
			t.Errorf("%q is of record %d", last.Line, last.Of)
		}
		if g := of(all, "gap"); len(g) != 2 {
			t.Errorf("%d gaps", len(g))
		}
	})
}

// A gap counts a line that never ended.
func TestGapAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, r := beginOn(t, -1, Options{})
		unblock := d.block()
		for i := range 2000 {
			r.Tap(Agent).Passed(numbered(i, 400))
		}
		r.Tap(Agent).Passed([]byte("{\"cut"))
		time.AfterFunc(time.Second, unblock)
		all := readFake(t, r, d)
		lines, gaps := len(of(all, "message")), of(all, "gap")
		if len(gaps) != 1 || lines+gaps[0].Gap.Count != 2001 || gaps[0].Gap.Bytes != int64(400*(2000-lines)+5) {
			t.Errorf("%d lines, %d gaps, %+v", lines, len(gaps), gaps[0].Gap)
		}
	})
}

// A required record holds the traffic until the record fails.
func TestRequiredRecord(t *testing.T) {
	if _, err := New(Options{Required: true, create: (&disk{}).create}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a required record on a full disk: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		d, f, r := beginOn(t, -1, Options{Required: true})
		unblock := d.block()
		time.AfterFunc(time.Minute, unblock)
		began := time.Now()
		for i := range 2000 {
			r.Tap(Agent).Passed(numbered(i, 400))
		}
		if d := time.Since(began); d < time.Minute {
			t.Errorf("the traffic was held for %v", d)
		}
		d.set(0)
		for i := range 100 {
			r.Tap(Agent).Passed(numbered(2000+i, 400))
		}
		time.Sleep(2 * time.Second)
		f.once(t, syscall.ENOSPC)
		for i := range 2000 {
			r.Tap(Agent).Passed(numbered(2100+i, 400))
		}
		d.set(-1)
		time.Sleep(2 * time.Second)
		if missing := check(t, readFake(t, r, d), 4100, 400); missing == 0 {
			t.Error("the traffic was held after the record had failed")
		}
	})
}

// E3: the file is removed or renamed while it is written.
func TestFileGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f, r := beginOn(t, -1, Options{QueueBytes: 1 << 20})
		for i := range 3 {
			r.Tap(Agent).Passed(numbered(i, 100))
		}
		time.Sleep(2 * time.Second)
		d.mu.Lock()
		d.parts[0].gone = true
		d.mu.Unlock()
		r.Tap(Agent).Passed(numbered(3, 100))
		time.Sleep(2 * time.Second)
		r.Close(Outcome{})
		d.parts = d.parts[1:]
		all := d.read(t)
		gaps := of(all, "gap")
		if len(all) != 4 || all[0].Start.Part != 1 || len(gaps) != 1 || gaps[0].Gap.Count != 3 || gaps[0].Gap.Stream != "all" || gaps[0].Gap.Why != whyGone {
			t.Errorf("the second part has %d records: %+v", len(all), all)
		}
		if len(f.errs) != 1 || !strings.Contains(f.errs[0].Error(), whyGone) {
			t.Errorf("Failed got %v", f.errs)
		}
	})
}

// E3: the file is removed, and the run ends. There is a gap for the lost lines, and the end counts
// them.
func TestFileGoneBeforeTheEnd(t *testing.T) {
	for _, more := range []int{0, 1} { // lines after the file was removed
		for _, wait := range []time.Duration{0, tryAgain - flushEvery, tryAgain, time.Hour} {
			synctest.Test(t, func(t *testing.T) {
				d, f, r := beginOn(t, -1, Options{QueueBytes: 1 << 20})
				for i := range 3 {
					r.Tap(Agent).Passed(numbered(i, 100))
				}
				time.Sleep(tryAgain / 2)
				d.parts[0].gone = true
				for i := range more {
					r.Tap(Agent).Passed(numbered(3+i, 100))
				}
				time.Sleep(wait)
				if err := r.Close(Outcome{}); err != nil {
					t.Fatal(err)
				}
				lost := len(of(d.readParts(t, d.parts[:1]), "message"))
				all := d.readParts(t, d.parts[1:])
				gaps, end := of(all, "gap"), all[len(all)-1].End
				if len(gaps) != 1 || all[1].Gap == nil || gaps[0].Gap.Count != lost || lost+len(of(all, "message")) != 3+more {
					t.Errorf("%d lines are lost: %+v", lost, all)
				}
				if end == nil || end.Gaps != 1 || end.Lost.Lines != lost {
					t.Errorf("%d lines are lost, the end is %+v", lost, end)
				}
				if len(f.errs) != 1 || !strings.Contains(f.errs[0].Error(), whyGone) {
					t.Errorf("Failed got %v", f.errs)
				}
			})
		}
	}
}

// E3, T22: a real file is moved within a line. The line is whole in the next part, and a file at
// the old path is left alone.
func TestFileMovedAway(t *testing.T) {
	for name, move := range map[string]func(path string) error{
		"removed": os.Remove,
		"renamed": func(path string) error { return os.Rename(path, path+".1") },
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".1"), os.WriteFile(path, []byte("another's\n"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { checkMovedAway(t, name == "replaced", move) })
		})
	}
}

func checkMovedAway(t *testing.T, replaced bool, move func(path string) error) {
	f := &failures{}
	r := begin(t, Options{Failed: f.failed})
	tap, path := r.Tap(Agent), filepath.Join(r.opts.Dir, r.Name())
	tap.Passed([]byte("{\"n\":1}\n{\"n\":"))
	time.Sleep(2 * flushEvery)
	if err := move(path); err != nil {
		t.Fatal(err)
	}
	time.Sleep(tryAgain + 200*time.Millisecond)
	tap.Passed([]byte("2}\n{\"n\":3}\n"))
	if err := r.Close(Outcome{}); err != nil {
		t.Fatal(err)
	}
	files, err := store.Open(filepath.Join(r.opts.Dir, store.PartName(r.name, 1)))
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	all := drain(t, NewReader(files), 0)
	var lines []string
	for _, rec := range of(all, "message") {
		lines = append(lines, string(rec.Message.Line))
	}
	if gaps := of(all, "gap"); len(gaps) != 1 || gaps[0].Gap.Count != 1 || gaps[0].Gap.Stream != "all" || !slices.Equal(lines, []string{"{\"n\":2}\n", "{\"n\":3}\n"}) {
		t.Errorf("the next part has %q and the gaps %+v", lines, gaps)
	}
	if len(f.errs) != 1 || !strings.Contains(f.errs[0].Error(), whyGone) {
		t.Errorf("Failed got %v", f.errs)
	}
	if text, err := os.ReadFile(path); replaced && string(text) != "another's\n" {
		t.Errorf("in the file's place is %q, %v", text, err)
	}
}

// The folder is removed and can be created again later.
func TestFolderGone(t *testing.T) { synctest.Test(t, testFolderGone) }

func testFolderGone(t *testing.T) {
	dir, f := filepath.Join(t.TempDir(), "records"), &failures{}
	r := begin(t, Options{Dir: dir, Failed: f.failed})
	r.Tap(Agent).Passed([]byte("1\n"))
	os.RemoveAll(dir)
	os.WriteFile(dir, nil, 0o600)
	time.Sleep(tryAgain + 100*time.Millisecond)
	r.Tap(Agent).Passed([]byte("2\n"))
	time.Sleep(2 * flushEvery)
	os.Remove(dir)
	time.Sleep(tryAgain + 200*time.Millisecond)
	all := readAll(t, r)
	if len(all) != 4 || all[0].Start.Part != 1 || all[1].Gap == nil || string(all[2].Message.Line) != "2\n" || all[3].End == nil {
		t.Errorf("%d records: %+v", len(all), all)
	}
	if len(f.errs) != 1 {
		t.Errorf("Failed got %v", f.errs)
	}
}

// T22: the full disk of the system.
func TestDevFull(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /dev/full")
	}
	open := func(int) (part, error) {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		return &store.File{File: full, Path: "/dev/full"}, err
	}
	if _, err := New(Options{Required: true, create: open}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a required record: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		f := &failures{}
		r := begin(t, Options{create: open, Failed: f.failed, QueueBytes: 1 << 20, MaxLine: 1 << 10})
		began := time.Now()
		for i := range 20_000 {
			r.Tap(Agent).Passed(numbered(i, 250))
		}
		if d := time.Since(began); d > 100*time.Millisecond { // the default of Wait
			t.Errorf("20,000 messages waited for %v", d)
		}
		if err := r.Close(Outcome{}); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("closed with %v", err)
		}
		f.once(t, syscall.ENOSPC)
	})
}

// Close returns after a time, and the goroutine ends when the disk no longer blocks.
func TestCloseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{left: -1}
		r := begin(t, Options{create: d.create, Flush: 3 * time.Second})
		unblock := d.block()
		r.Tap(Agent).Passed([]byte("{}\n"))
		began := time.Now()
		if err := r.Close(Outcome{}); err == nil || time.Since(began) != 3*time.Second {
			t.Errorf("closed with %v after %v", err, time.Since(began))
		}
		unblock()
		<-r.writer.done // synctest fails if a goroutine is left
		if n := len(d.read(t)); n != 3 {
			t.Errorf("%d records", n)
		}
	})
}

// E9: everything older than the flush interval is in the file.
func TestFlushInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{left: -1}
		r := begin(t, Options{create: d.create})
		if n := len(of(d.read(t), "start")); n != 1 {
			t.Errorf("%d starts before anything happened", n)
		}
		synctest.Wait()
		for i := range 10 {
			r.Tap(Agent).Passed(numbered(i, 100))
		}
		synctest.Wait()
		if n := len(d.read(t)); n != 1 {
			t.Errorf("%d records at once", n)
		}
		time.Sleep(flushEvery + time.Millisecond)
		if n := len(d.read(t)); n != 11 || d.writes() != 2 {
			t.Errorf("%d records in %d writes after the interval", n, d.writes())
		}
		check(t, readFake(t, r, d), 10, 100)
	})
}

// Many goroutines record at once, for the race detector.
func TestManyWriters(t *testing.T) {
	r := begin(t, Options{PartBytes: 200 << 10})
	var all sync.WaitGroup
	for _, d := range []wire.Side{Client, Agent} {
		all.Go(func() {
			tap := r.Tap(d)
			for i := range 2000 {
				tap.Passed(numbered(i, 200))
				tap.Rewritten(numbered(i, 100), numbered(i, 120), wire.Change{By: []wire.Cause{{Name: "x"}}})
			}
		})
	}
	all.Go(func() {
		for i := range 2000 {
			fmt.Fprintf(r.Events(), `{"n":%d}`+"\n", i)
		}
	})
	all.Wait()
	records := readAll(t, r)
	if m, e := len(of(records, "message")), len(of(records, "event")); m != 2*2000*3 || e != 2000 {
		t.Errorf("%d messages, %d events", m, e)
	}
	in := map[uint64]wire.Side{}
	for _, rec := range of(records, "message") {
		if rec.Message.Stage == "in" {
			in[rec.Seq] = rec.Message.Dir
		} else if rec.Message.Stage == "out" && in[rec.Message.Of] != rec.Message.Dir {
			t.Fatalf("record %d is of %d", rec.Seq, rec.Message.Of)
		}
	}
}

// A burst of 20,000 messages is recorded without a gap, also when both processors are busy.
func TestBurstIsComplete(t *testing.T) {
	r := begin(t, Options{})
	block := messages(250)
	total := 20_000 * 250 / len(block) * len(block)
	burst(t, block, total, r.Tap(Agent))
	all := readAll(t, r)
	if n := len(of(all, "message")); n != bytes.Count(block, []byte("\n"))*(total/len(block)) || len(of(all, "gap")) > 0 {
		t.Errorf("%d messages, %d gaps", n, len(of(all, "gap")))
	}
}
