package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"acpshim/internal/wire"
)

// injecting runs a pump with an Injector, and ends both.
func injecting(to io.Writer, from io.Reader, look wire.Interceptor) (*Injector, func() error) {
	j := NewInjector(func(reason any, _ []byte) { panic(reason) })
	p := &pump{from: from, to: to, look: look, limit: 1 << 20}
	j.begin(p)
	return j, func() error {
		defer j.end()
		return p.run()
	}
}

func line(s string) producer {
	return func(dst []byte) ([]byte, wire.Change) { return append(dst, s+"\n"...), wire.MadeBy(s, "") }
}

// What is injected stands between lines: at once where none is half through,
// held lines included, and else behind the one that is.
func TestInjectWaitsForTheEndOfALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		var out lockedBuffer
		j, run := injecting(&out, inR, &marked{})
		go run()
		step := func(write, want string) {
			t.Helper()
			io.WriteString(inW, write)
			synctest.Wait()
			if got := out.String(); got != want {
				t.Errorf("after %q: %q, want %q", write, got, want)
			}
		}
		inject := func(s string) {
			go j.Inject(line(s))
			synctest.Wait()
		}
		inject("first")
		step("a\nhalf", "first\na\nhalf")
		inject("second")
		step(" more", "first\na\nhalf more")
		step(" end\nHeld", "first\na\nhalf more end\nsecond\n")
		inject("third")
		step(" too\nb\n", "first\na\nhalf more end\nsecond\nthird\n<Held too>\nb\n")
		inW.Close()
		synctest.Wait()
		if j.Inject(line("late")) || strings.Contains(out.String(), "late") {
			t.Errorf("injected after the end: %q", out.String())
		}
	})
}

// What waits is let go at the end.
func TestInjectEndsWithTheDirection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		j, run := injecting(io.Discard, inR, &marked{})
		go run()
		io.WriteString(inW, "half")
		synctest.Wait()
		results := make(chan bool, 2)
		for range cap(results) {
			go func() { results <- j.Inject(line("x")) }()
		}
		synctest.Wait()
		inW.Close()
		for range cap(results) {
			if <-results {
				t.Error("it says it was injected")
			}
		}
	})
}

// A client that takes nothing holds up who injects, and nobody longer than the
// run.
func TestInjectWaitsForASlowClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		j, run := injecting(outW, inR, &marked{})
		go run()
		done := 0
		var mu sync.Mutex
		for i := range 3 {
			go func() {
				j.Inject(line(fmt.Sprint(i)))
				mu.Lock()
				defer mu.Unlock()
				done++
			}()
		}
		time.Sleep(time.Hour)
		mu.Lock()
		if done != 0 {
			t.Errorf("%d were taken by nobody", done)
		}
		mu.Unlock()
		go io.Copy(io.Discard, outR)
		synctest.Wait()
		if done != 3 {
			t.Errorf("%d were taken, want 3", done)
		}
		inW.Close()
		outW.Close()
	})
}

func TestAFailedInjectionEndsTheDirection(t *testing.T) {
	broken := errors.New("broken")
	r, w := io.Pipe()
	r.CloseWithError(broken)
	j, run := injecting(w, strings.NewReader("a\n"), wire.Base{})
	j.Inject(line("x"))
	var failed errWrite
	if err := run(); !errors.Is(err, broken) || !errors.As(err, &failed) {
		t.Errorf("the direction ended with %v", err)
	}
	if j.Put([]byte("late\n"), wire.Cause{Name: "r"}, nil) {
		t.Error("a line was put into a direction that failed")
	}
	j, _ = injecting(w, strings.NewReader("a\n"), wire.Base{})
	j.Inject(line("x"))
	if j.Inject(func([]byte) ([]byte, wire.Change) { t.Error("called again"); return nil, wire.Change{} }) {
		t.Error("it says it was injected")
	}
}

func TestAProductionThatPanicsIsLeftOut(t *testing.T) {
	var out bytes.Buffer
	j, run := injecting(&out, strings.NewReader("a\n"), wire.Base{})
	told := 0
	j.panicked = func(any, []byte) { told++ }
	j.Inject(func(dst []byte) ([]byte, wire.Change) {
		_ = append(dst, "half"...)
		panic("x")
	})
	before, _ := j.guarded([]byte("b\n"), func([]byte) ([]byte, wire.Change) { panic("y") })
	run()
	if out.String() != "a\n" || told != 2 || string(before) != "b\n" {
		t.Errorf("got %q, told %d times", out.String(), told)
	}
}

// claimed claims lines that begin with C and drops what is rewritten.
type claimed struct{ marked }

func (c *claimed) Inspect(line []byte, whole bool) wire.Verdict {
	if line[0] == 'C' {
		return wire.Consume
	}
	return c.marked.Inspect(line, whole)
}

func TestAClaimedLineNeverPasses(t *testing.T) {
	for _, size := range []int{5, 99, 100, 101, 300_000} {
		for name, from := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "halves": iotest.HalfReader,
		} {
			in := "a\nC" + strings.Repeat("x", size-1) + "\nHb\nc\nC" + strings.Repeat("y", size)
			var out bytes.Buffer
			c := &claimed{}
			p := pump{from: from(strings.NewReader(in)), to: &out, look: c, limit: 100}
			if err := p.run(); err != nil {
				t.Fatal(err)
			}
			want, seen := "a\n<Hb>\nc\n", 1 // the limit counts the C, and the newline where there is one
			if size < 100 {
				want, seen = "a\n<C"+strings.Repeat("x", size-1)+">\n<Hb>\nc\n<C"+strings.Repeat("y", size)+">", 3
			}
			if out.String() != want || len(c.seen) != seen {
				t.Errorf("%s, %d bytes: got %.200q, %d were seen", name, size, out.String(), len(c.seen))
			}
			if cap(p.buf) > 4*bufferSize {
				t.Errorf("%s, %d bytes: a buffer of %d is left", name, size, cap(p.buf))
			}
		}
	}
}

// FuzzInject: however the bytes come and whenever something is injected, the
// lines of both are whole and in their order.
func FuzzInject(f *testing.F) {
	f.Add([]byte("a\nHb\r\nMc\n\xff\x00\n\nlong long line\nlast\n"), uint8(3), uint8(2))
	f.Add(bytes.Repeat([]byte("Hxyz\nabc\n"), 30), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, in []byte, chunk, every uint8) {
		if !bytes.HasSuffix(in, []byte("\n")) || bytes.Contains(in, []byte("ours")) {
			return
		}
		var plain, out bytes.Buffer
		if err := Relay(&plain, bytes.NewReader(in), &marked{}, 64); err != nil {
			t.Fatal(err)
		}
		j := NewInjector(nil)
		n, injected := 0, 0
		var waiting sync.WaitGroup
		from := &between{chunked{in, int(chunk)%97 + 1}, func() {
			if n++; n%(int(every)%7+1) == 0 {
				text := fmt.Sprint("ours ", injected)
				injected++
				half := j.pump.state == passing
				if !half {
					j.Inject(line(text))
					return
				}
				waiting.Go(func() { j.Inject(line(text)) })
				for queued := false; !queued; {
					j.turn <- struct{}{}
					if queued = len(j.waiting) > 0; queued {
						last, _ := j.waiting[len(j.waiting)-1].produce(nil)
						queued = string(last) == text+"\n"
					}
					<-j.turn
				}
			}
		}}
		p := &pump{from: from, to: &out, look: &marked{}, limit: 64}
		j.begin(p)
		if err := p.run(); err != nil {
			t.Fatal(err)
		}
		j.end()
		waiting.Wait()
		var theirs []byte
		next := 0
		for l := range bytes.Lines(out.Bytes()) {
			if string(l) == fmt.Sprintf("ours %d\n", next) {
				next++
			} else {
				theirs = append(theirs, l...)
			}
		}
		if next != injected || !bytes.Equal(theirs, plain.Bytes()) {
			t.Fatalf("%d of %d of ours in %q, theirs %q", next, injected, out.Bytes(), plain.Bytes())
		}
	})
}

// between does something before each read.
type between struct {
	chunked
	do func()
}

func (b *between) Read(p []byte) (int, error) {
	b.do()
	return b.chunked.Read(p)
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A line may be ready before its direction is: the other one began first.
func TestInjectWaitsForTheBeginning(t *testing.T) {
	j := NewInjector(nil)
	injected := make(chan bool)
	go func() { injected <- j.Inject(line("ours")) }()
	select {
	case <-injected:
		t.Fatal("it was injected nowhere")
	case <-time.After(10 * time.Millisecond):
	}
	var out bytes.Buffer
	p := &pump{from: strings.NewReader(""), to: &out, look: &marked{}, limit: 64}
	j.begin(p)
	if !<-injected || out.String() != "ours\n" {
		t.Errorf("got %q", out.String())
	}
	j.end()
	if j.Inject(line("late")) {
		t.Error("it was injected after the end")
	}
}
