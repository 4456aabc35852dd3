package proxy

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"acpshim/internal/chain/wire"
)

// A delayer is a marker, but delays lines that begin with K, and flushes them one at a time.
type delayer struct {
	marker
	kept [][]byte
}

func (l *delayer) Inspect(line []byte, whole bool) wire.Verdict {
	if line[0] == 'K' {
		return wire.Hold
	}
	return l.marker.Inspect(line, whole)
}

func (l *delayer) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	if line[0] != 'K' {
		return l.marker.Rewrite(dst, line)
	}
	l.kept = append(l.kept, keptLine(line))
	return dst, wire.Change{}
}

// keptLine returns the form of a delayed line, which no other line has.
func keptLine(line []byte) []byte {
	return fmt.Appendf(nil, "kept! %s\n", bytes.TrimRight(line, "\n"))
}

func (l *delayer) Flush(dst []byte, end bool) (out []byte, by wire.Change) {
	if len(l.kept) > 0 {
		dst = append(dst, l.kept[0]...)
		l.kept = l.kept[1:]
	}
	return dst, wire.Change{}
}

// FuzzFlush: delayed lines come once, in order, after the lines before them and not inside of
// another line. All other lines are the same as without them, and a tap gets what is written.
func FuzzFlush(f *testing.F) {
	f.Add([]byte("a\nKb\nHc\nK\nMc\nlast without an end"), uint8(3))
	f.Add([]byte("K1\nK2\nKlast without an end"), uint8(90))
	f.Add([]byte("K\nKlast without an end, which is too long to be held and so passes as it is"), uint8(78))
	f.Add(bytes.Repeat([]byte("Kxyz\nabc\nHd\n"), 30), uint8(1))
	f.Fuzz(func(t *testing.T, in []byte, chunk uint8) {
		if bytes.Contains(in, []byte("kept!")) {
			return
		}
		var rest, kept []byte
		for line := range bytes.Lines(in) {
			if line[0] == 'K' && len(line) <= 64 {
				kept = append(kept, keptLine(line)...)
			} else {
				rest = append(rest, line...)
			}
		}
		var want, out bytes.Buffer
		if err := Relay(&want, bytes.NewReader(rest), &marker{}, 64); err != nil {
			t.Fatal(err)
		}
		tap := &outputTap{}
		p := pump{from: &chunkReader{in, int(chunk)%97 + 1}, to: &out, look: &delayer{}, tap: tap, limit: 64, final: true}
		if err := p.run(); err != nil {
			t.Fatal(err)
		}
		var others, came []byte
		for line := range bytes.Lines(out.Bytes()) {
			if bytes.HasPrefix(line, []byte("kept!")) {
				came = append(came, line...)
			} else {
				others = append(others, line...)
			}
		}
		if !bytes.Equal(came, kept) {
			t.Fatalf("kept lines came as %q, want %q", came, kept)
		}
		if !bytes.Equal(bytes.TrimSuffix(others, []byte("\n")), bytes.TrimSuffix(want.Bytes(), []byte("\n"))) {
			t.Fatalf("the others came as %q, want %q", others, want.Bytes())
		}
		if !bytes.Equal(tap.out, out.Bytes()) {
			t.Fatalf("the tap saw %q, written was %q", tap.out, out.Bytes())
		}
	})
}

// An outputTap is a tap that keeps the written bytes. Like a record, it ends a last line without
// an end before an added line, because the pump does not show the end that it adds.
type outputTap struct{ out []byte }

func (s *outputTap) Passed(b []byte) { s.out = append(s.out, b...) }

func (s *outputTap) Rewritten(line, out []byte, by wire.Change) {
	if n := len(s.out); line == nil && len(out) > 0 && n > 0 && s.out[n-1] != '\n' {
		s.out = append(s.out, '\n')
	}
	s.out = append(s.out, out...)
}

// A writeMeter notes the largest write.
type writeMeter struct{ most, all int }

func (c *writeMeter) Write(b []byte) (int, error) {
	c.most, c.all = max(c.most, len(b)), c.all+len(b)
	return len(b), nil
}

// A grower makes three megabytes of each line.
type grower struct{ marker }

func (g *grower) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	return append(append(dst, strings.Repeat("x", 3<<20-1)...), '\n'), wire.Change{}
}

func TestLargeRewrittenLinesAreNotGathered(t *testing.T) {
	out := &writeMeter{}
	p := pump{from: strings.NewReader(strings.Repeat("H\n", 100)), to: out, look: &grower{}, limit: 1 << 20}
	if err := p.run(); err != nil {
		t.Fatal(err)
	}
	if out.all != 300<<20 || out.most > 4*writeSize || cap(p.out) > 2*writeSize {
		t.Errorf("%d bytes were written, %d at once, and %d are kept", out.all, out.most, cap(p.out))
	}
}

// Without a pause of the sender, they are flushed now and then.
func TestLinesAreFlushedWhenNoMoreAreThere(t *testing.T) {
	flushes := func(from io.Reader) (n int) {
		l := &delayer{}
		if err := Relay(writer(func(b []byte) { n += bytes.Count(b, []byte("kept!")) }), from, l, 64); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := flushes(&chunkReader{[]byte("K1\na\nK2\n"), 3}); n != 2 {
		t.Errorf("%d lines came", n)
	}
	var out bytes.Buffer
	if err := Relay(&out, &chunkReader{[]byte("K\nHab\n"), 3}, &delayer{}, 64); err != nil || out.String() != "kept! K\n<Hab>\n" {
		t.Errorf("while a line is held: %q, %v", out.String(), err)
	}
	var log []string
	lines := "K\n" + strings.Repeat("some text to be passed on\n", 1<<20)
	if err := Relay(writer(func(b []byte) {
		if bytes.Contains(b, []byte("kept!")) {
			log = append(log, fmt.Sprint("flushed behind ", len(b)))
		}
	}), strings.NewReader(lines), &delayer{}, 64); err != nil || len(log) != 1 {
		t.Errorf("%v, %v", log, err)
	}
}

// A readyFlusher is a marker, and flushes its lines.
type readyFlusher struct {
	marker
	kept string
}

func (r *readyFlusher) Flush(dst []byte, _ bool) (out []byte, by wire.Change) {
	dst, r.kept = append(dst, r.kept...), ""
	return dst, wire.MadeBy("ready", wire.Reason{})
}

func (r *readyFlusher) TooLong([]byte) { r.kept = "kept\n" }

// Lines that become ready within a line go after it. So do lines that follow from a line that was
// too long.
func TestNothingIsFlushedIntoALine(t *testing.T) {
	for in, readyAt := range map[string]int{"abcdefgh\nrest\n": 2, "Habcdefgh\nrest\n": 0, "Hab\nabcdefgh\nrest\n": 3} {
		var out bytes.Buffer
		r, reads := &readyFlusher{}, 0
		from := &readHook{chunkReader{[]byte(in), 3}, func() {
			if reads++; reads == readyAt {
				r.kept = "kept\n"
			}
		}}
		if err := Relay(&out, from, r, 6); err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(in, "rest", "kept\nrest", 1)
		want = strings.Replace(want, "Hab\n", "<Hab>\n", 1)
		if out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
	}
}

// A flushCounter counts its flushes.
type flushCounter struct {
	wire.Base
	times int
}

func (a *flushCounter) Flush(dst []byte, _ bool) (out []byte, by wire.Change) {
	a.times++
	return dst, wire.Change{}
}

// While more bytes are there at once, flushes are rare.
func TestFlushesAreFew(t *testing.T) {
	a := &flushCounter{}
	lines := strings.Repeat("some text to be passed on\n", flushEvery/26+bufferSize/4)
	if err := Relay(io.Discard, strings.NewReader(lines), a, 64); err != nil || a.times < 2 || a.times > 4 {
		t.Errorf("it was asked %d times within %d bytes, %v", a.times, len(lines), err)
	}
}

type writer func(b []byte)

func (w writer) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}

// A stallingReader returns all bytes as if there were more, and then blocks.
type stallingReader struct {
	b    []byte
	more chan struct{}
}

func (s *stallingReader) Read(p []byte) (int, error) {
	if len(s.b) == 0 {
		<-s.more
		return 0, io.EOF
	}
	n := copy(p, s.b)
	s.b = s.b[n:]
	return n, nil
}

// A read that fills the buffer may be the last one for long.
func TestLinesAreFlushedAfterAFullRead(t *testing.T) {
	for _, reads := range []int{1, 2} { // the second one comes while the first one's pause goes on
		synctest.Test(t, func(t *testing.T) {
			in := "K1\nK2\n" + strings.Repeat("x", reads*bufferSize-7) + "\n"
			from := &stallingReader{[]byte(in), make(chan struct{})}
			var out lockedBuffer
			j := NewInjector()
			p := &pump{from: from, to: &out, look: &delayer{}, limit: 64, final: true}
			j.begin(p)
			done := make(chan error)
			go func() { done <- p.run() }()
			time.Sleep(time.Duration(reads)*flushPause - time.Millisecond)
			synctest.Wait()
			if strings.Contains(out.String(), "kept!") {
				t.Error("flushed though more may be there at once")
			}
			time.Sleep(4 * flushPause)
			synctest.Wait()
			if got := out.String(); !strings.HasSuffix(got, "\nkept! K1\nkept! K2\n") {
				t.Errorf("not flushed: %.40q", got[max(0, len(got)-40):])
			}
			close(from.more)
			if err := <-done; err != nil {
				t.Error(err)
			}
			j.end(p)
		})
	}
}

// A lineKeeper is a marker, keeps a line to the end, and drops lines that begin with "gone".
type lineKeeper struct {
	marker
	kept string
}

func (k *lineKeeper) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	out = dst
	if !bytes.Contains(line, []byte("gone")) {
		out, _ = k.marker.Rewrite(dst, line)
	}
	return out, wire.MadeBy("keeps", wire.Reason{})
}

func (k *lineKeeper) Flush(dst []byte, end bool) (out []byte, by wire.Change) {
	if end {
		dst, k.kept = append(dst, k.kept...), ""
	}
	return dst, wire.MadeBy("keeps", wire.Reason{})
}

func TestKeptLinesLeaveAtTheEnd(t *testing.T) {
	for _, test := range []struct{ in, kept, want string }{
		{"", "", ""},
		{"half", "", "half"},
		{"", "kept\n", "kept\n"},
		{"a\n", "kept\n", "a\nkept\n"},
		{"half", "kept\n", "half\nkept\n"},
		{"Held", "kept\n", "<Held>\nkept\n"},
		{"a\nHgone", "kept\n", "a\nkept\n"},
	} {
		for name, from := range map[string]io.Reader{"by itself": strings.NewReader(test.in), "with the end": iotest.DataErrReader(strings.NewReader(test.in))} {
			var out lockedBuffer
			tap, k := &tapRecorder{}, &lineKeeper{kept: test.kept}
			p := pump{from: from, to: &out, look: k, final: true, tap: tap, limit: 100}
			if err := p.run(); err != nil || out.String() != test.want {
				t.Errorf("%q, %s, became %q, want %q; %v", test.in, name, out.String(), test.want, err)
			}
			if n := len(tap.notes); test.kept != "" && (n == 0 || tap.notes[n-1] != `"" to "kept\n" by [keeps]`) {
				t.Errorf("the tap saw %q", tap.notes)
			}
		}
	}
}
