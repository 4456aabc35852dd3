package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"acpshim/internal/chain/wire"
)

// An outbox is a marker, and has lines to drain, like a dispatcher. Drain returns one line at a
// time. At the end of the input, Flush returns them, too.
type outbox struct {
	marker
	await  func()      // AwaitReader; may be nil
	isFull atomic.Bool // there is no room

	mu      sync.Mutex // protects the fields below
	changed *sync.Cond // lines or closed
	lines   []string
	drains  int // calls of Drain
	closed  int // calls of Close
}

func newOutbox(await func()) *outbox {
	o := &outbox{await: await}
	o.changed = sync.NewCond(&o.mu)
	return o
}

// put adds lines without line ends, and reports whether they are accepted.
func (o *outbox) put(lines ...string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed > 0 {
		return false
	}
	o.lines = append(o.lines, lines...)
	return true
}

func (o *outbox) len() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.lines)
}

func (o *outbox) awaitEmpty() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.lines) > 0 {
		o.changed.Wait()
	}
}

func (o *outbox) take(dst []byte) (out []byte, by wire.Change) {
	if len(o.lines) == 0 {
		return dst, wire.Change{}
	}
	first := o.lines[0]
	o.lines = o.lines[1:]
	o.changed.Broadcast()
	return append(dst, first+"\n"...), wire.MadeBy(first, wire.Reason{})
}

func (o *outbox) Drain(dst []byte) (out []byte, by wire.Change) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drains++
	return o.take(dst)
}

func (o *outbox) Flush(dst []byte, end bool) (out []byte, by wire.Change) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !end {
		return dst, wire.Change{}
	}
	return o.take(dst)
}

func (o *outbox) AwaitReader() {
	if o.await != nil {
		o.await()
	}
}

func (o *outbox) HasRoom() bool { return !o.isFull.Load() }

func (o *outbox) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines = nil
	o.closed++
	o.changed.Broadcast()
}

// A direction is a pump with an Injector between two pipes.
type direction struct {
	*outbox
	j    *Injector
	pump *pump
	in   io.WriteCloser // what the sender writes to
	out  lockedBuffer   // what the receiver gets
}

// newDirection returns a direction that has not begun.
func newDirection(o *outbox) *direction {
	d := &direction{outbox: o, j: NewInjector()}
	from, in := io.Pipe()
	d.in, d.pump = in, &pump{from: from, to: &d.out, look: o, limit: 64, final: true}
	return d
}

// run moves the direction to its end, like Run.
func (d *direction) run() error {
	d.j.begin(d.pump)
	defer d.j.end(d.pump)
	return d.pump.run()
}

// start runs the direction, and waits until it is blocked.
func (d *direction) start() (ended <-chan error) {
	c := make(chan error, 1)
	go func() { c <- d.run() }()
	synctest.Wait()
	return c
}

// make adds lines, wakes the direction, and waits until it is blocked.
func (d *direction) make(lines ...string) {
	d.put(lines...)
	d.j.Wake()
	synctest.Wait()
}

// says lets the sender write, and waits until the direction is blocked. All earlier bytes were
// read, but these may wait.
func (d *direction) says(s string) {
	go io.WriteString(d.in, s)
	synctest.Wait()
}

// close ends the input, and waits until the direction is blocked.
func (d *direction) close() {
	d.in.Close()
	synctest.Wait()
}

// expect waits until the direction is blocked, and checks the written bytes.
func (d *direction) expect(t *testing.T, when, want string) {
	t.Helper()
	synctest.Wait()
	if got := d.out.String(); got != want {
		t.Errorf("%s: got %q, want %q", when, got, want)
	}
}

// If a line passes, they go after it. Otherwise they go at once, even if the beginning of a line
// is held.
func TestLinesAreDrainedBetweenLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDirection(newOutbox(nil))
		d.start()
		d.make("first")
		d.expect(t, "before all lines", "first\n")
		d.says("a\nhalf")
		d.expect(t, "the beginning of a line", "first\na\nhalf")
		d.make("second", "third")
		d.says(" more")
		d.expect(t, "half a line", "first\na\nhalf more")
		d.says(" end\nHeld")
		d.expect(t, "the end of a line", "first\na\nhalf more end\nsecond\nthird\n")
		d.make("fourth")
		d.expect(t, "half a line that is held", "first\na\nhalf more end\nsecond\nthird\nfourth\n")
		d.says(" too\nb\nM")
		d.expect(t, "a line that was held", "first\na\nhalf more end\nsecond\nthird\nfourth\n<Held too>\nb\n")
		d.make("fifth")
		d.says("ore\n")
		d.expect(t, "a line that is not decided", "first\na\nhalf more end\nsecond\nthird\nfourth\n<Held too>\nb\nfifth\n<More>\n")
		d.close()
	})
}

// A line that becomes too long to be held passes. A line that is dropped for that does not.
func TestLinesAreDrainedAfterALongLine(t *testing.T) {
	long := strings.Repeat("x", 100)
	for begin, want := range map[string]string{"H" + long: "H" + long + " end\nours\n", "C" + long: "ours\n"} {
		synctest.Test(t, func(t *testing.T) {
			o := newOutbox(nil)
			d := newDirection(o)
			d.pump.look = claimingOutbox{o}
			d.start()
			d.says(begin)
			d.make("ours")
			if isThere := strings.Contains(d.out.String(), "ours"); isThere != (begin[0] == 'C') {
				t.Errorf("half through %.1s: got %q", begin, d.out.String())
			}
			d.says(" end\n")
			d.expect(t, "the end of the line", want)
			d.close()
		})
	}
}

// A claimingOutbox claims lines that begin with C.
type claimingOutbox struct{ *outbox }

func (c claimingOutbox) Inspect(line []byte, whole bool) wire.Verdict {
	if line[0] == 'C' {
		return wire.Consume
	}
	return c.outbox.Inspect(line, whole)
}

func TestAWakeBeforeTheDirectionBeginsCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDirection(newOutbox(nil))
		d.make("a", "b")
		time.Sleep(time.Hour)
		d.expect(t, "before it begins", "")
		d.start()
		d.expect(t, "when it has begun", "a\nb\n")
		d.close()
	})
}

func TestSeveralWakesAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDirection(newOutbox(nil))
		d.start()
		d.put("a", "b")
		for range 3 {
			d.j.Wake()
		}
		d.expect(t, "between lines", "a\nb\n")
		if d.drains < 3 || d.drains > 4 { // once for each line, and until there is nothing; twice if the first wake was heard at once
			t.Errorf("drained %d times", d.drains)
		}
		d.says("half")
		d.drains = 0
		for range 3 {
			d.make()
		}
		d.says("\nc\nd\n")
		d.expect(t, "within a line", "a\nb\nhalf\nc\nd\n")
		if d.drains != 1 {
			t.Errorf("drained %d times after a line, want once", d.drains)
		}
		d.close()
	})
}

// They waited for the end of a line, which gets its line end.
func TestWaitingLinesLeaveAtTheEnd(t *testing.T) {
	for in, want := range map[string]string{"half": "half\nours\n", "Held": "ours\n<Held>", "": "ours\n", "a\n": "a\nours\n"} {
		synctest.Test(t, func(t *testing.T) {
			d := newDirection(newOutbox(nil))
			d.start()
			d.says(in)
			d.make("ours")
			d.in.Close()
			d.expect(t, fmt.Sprintf("the end of %q", in), want)
		})
	}
}

// Close is called once.
func TestNothingIsDrainedAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDirection(newOutbox(nil))
		d.start()
		d.says("a\nhalf")
		d.close()
		drains := d.drains
		if d.put("late") {
			t.Error("a line is accepted after the end")
		}
		d.lines = []string{"late"} // as if it was
		d.j.Wake()
		d.expect(t, "after the end", "a\nhalf")
		for range 100 { // there are two ways to notice the end
			d.j.alone(func(*pump) error {
				t.Error("something is written after the end")
				return nil
			})
		}
		if d.drains != drains || d.closed != 1 {
			t.Errorf("drained %d times after the end, closed %d times", d.drains-drains, d.closed)
		}
		d = newDirection(newOutbox(nil)) // without an Injector
		(*Injector)(nil).begin(d.pump)
		(*Injector)(nil).end(d.pump)
		if d.closed != 1 {
			t.Errorf("closed %d times without an Injector", d.closed)
		}
	})
}

// The end of a direction waits for a blocked write.
func TestWakeDoesNotWaitForASlowReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDirection(newOutbox(nil))
		outR, outW := io.Pipe()
		d.pump.to = outW
		d.start()
		begin := time.Now()
		for _, line := range []string{"a", "b", "c"} {
			d.make(line)
		}
		if d := time.Since(begin); d > 0 {
			t.Errorf("who wakes waited %v", d)
		}
		d.in.Close()
		time.Sleep(time.Hour)
		if d.closed > 0 {
			t.Error("it ended while a line was being written")
		}
		go io.Copy(&d.out, outR)
		d.expect(t, "when it is read", "a\nb\nc\n")
		if d.closed == 0 {
			t.Error("it did not end")
		}
		outW.Close()
	})
}

// It ends at the latest with the next read. Nothing more is drained.
func TestAFailedWriteEndsTheDirection(t *testing.T) {
	for when, half := range map[string]string{"at once": "", "after a line that is half through": "half"} {
		synctest.Test(t, func(t *testing.T) {
			d := newDirection(newOutbox(nil))
			broken := errors.New("broken")
			d.pump.to = writerFunc(func(b []byte) (int, error) {
				if strings.Contains(string(b), "ours") {
					return 0, broken
				}
				return d.out.Write(b)
			})
			ended := d.start()
			d.says(half)
			d.make("ours")
			drains := d.drains
			d.make("more")
			if d.drains != drains {
				t.Errorf("%s: drained %d times after it failed", when, d.drains-drains)
			}
			d.says(" end\n")
			var failed errWrite
			if err := <-ended; !errors.Is(err, broken) || !errors.As(err, &failed) {
				t.Errorf("%s: the direction ended with %v", when, err)
			}
			d.expect(t, when, half)
			if d.put("late") {
				t.Errorf("%s: a line is accepted after the end", when)
			}
			d.in.Close()
		})
	}
}

func TestAPanicInDrainDropsItsOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDirection(newOutbox(nil))
		told, behind := 0, newOutbox(nil)
		d.pump.look = Guard(panickingOutbox{d.outbox}, behind, func(any, []byte) { told++ })
		d.start()
		d.says("a\nHeld")
		d.make("ours")
		d.says(" line\n")
		d.expect(t, "after the panic", "a\n<Held line>\n")
		behind.put("behind")
		d.j.Wake()
		d.expect(t, "woken again", "a\n<Held line>\nbehind\n")
		d.close()
		if told != 1 || d.closed != 1 {
			t.Errorf("told %d times, closed %d times", told, d.closed)
		}
	})
}

// A panickingOutbox panics in Drain if it has lines.
type panickingOutbox struct{ *outbox }

func (d panickingOutbox) Drain(dst []byte) (out []byte, by wire.Change) {
	if d.len() > 0 {
		_ = append(dst, "half"...)
		panic("in Drain")
	}
	return dst, wire.Change{}
}

// Lines are drained while the pump still has its last output in memory.
func TestWrittenBytesAreNotWrittenAgain(t *testing.T) {
	large := strings.Repeat("x", writeSize)
	for _, made := range []string{"ours", large} {
		synctest.Test(t, func(t *testing.T) {
			d := newDirection(newOutbox(nil))
			d.start()
			want := ""
			step := func(says, line, gets string) {
				t.Helper()
				if says != "" {
					d.says(says)
				}
				if line != "" {
					d.put(line)
				}
				d.j.Wake()
				synctest.Wait()
				want += gets
				if got := d.out.String(); got != want {
					t.Fatalf("after %q and %.9q: got %d bytes that end in %q, want %d", says, line, len(got), got[max(0, len(got)-30):], len(want))
				}
			}
			step("Ha\n", "", "<Ha>\n")
			step("Hb\n", made, "<Hb>\n"+made+"\n")
			step("", "", "")
			step("", made, made+"\n")
			step("c\n", "", "c\n")
			step("Hd\nHe", made, "<Hd>\n"+made+"\n")
			step("", made, made+"\n")
			step(" f\ng", made, "<He f>\ng")
			step("\n", "", "\n"+made+"\n")
			step("h\n", made, "h\n"+made+"\n")
			d.in.Close()
			d.expect(t, "the end", want)
		})
	}
}

func TestAwaitReaderIsNotCalledWithinAPassingLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		d := newDirection(newOutbox(func() { calls++ }))
		d.start()
		synctest.Wait()
		want := 1
		for _, step := range []struct {
			says string
			more int
		}{
			{"a\n", 1}, {"half", 0}, {" more", 0}, {" end\n", 1}, {"b\nhalf", 0}, {" end\nHeld", 1}, {" more", 1}, {" end\nhalf", 0},
			{"\nH" + strings.Repeat("x", 100), 0}, {" more", 0}, {"\nM", 1}, {"ore\n", 1},
		} {
			d.says(step.says)
			if want += step.more; calls != want {
				t.Errorf("after %.9q it was called %d times, want %d", step.says, calls, want)
				want = calls
			}
		}
		d.close()
		calls = 0
		if Relay(io.Discard, strings.NewReader("a\nHb\n"), d.outbox, 64); calls > 0 {
			t.Errorf("called %d times without an Injector", calls)
		}
	})
}

// No lines of the sender are read meanwhile.
func TestLinesAreDrainedWhileAwaitReaderWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		there := make(chan struct{})
		d := newDirection(newOutbox(func() { <-there }))
		d.start()
		d.says("Ha\nHeld")
		d.make("first")
		d.expect(t, "while it waits", "first\n")
		there <- struct{}{}
		d.expect(t, "when it has waited", "first\n<Ha>\n")
		d.says(" line\nb\n")
		d.make("second")
		d.expect(t, "while it waits within a line that is held", "first\n<Ha>\nsecond\n")
		close(there)
		d.expect(t, "when it does not wait any more", "first\n<Ha>\nsecond\n<Held line>\nb\n")
		d.close()
	})
}

// Lines that arrive at once wait after the one that leaves no room. 100 requests in one write,
// with 1 MB for each response, took 500 MB.
func TestLinesOfOneReadWaitForRoom(t *testing.T) {
	for _, isLast := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var waits chan struct{}
			d := newDirection(newOutbox(func() {
				if waits != nil {
					<-waits
				}
			}))
			if isLast {
				d.pump.from = iotest.DataErrReader(io.LimitReader(d.pump.from, int64(len("a\nHa\nHb\nc\nHalf"))))
			}
			d.start()
			synctest.Wait()
			waits = make(chan struct{})
			d.isFull.Store(true)
			d.says("a\nHa\nHb\nc\nHalf")
			d.expect(t, "when there is no room", "a\n<Ha>\n")
			d.make("first")
			d.expect(t, "what is made meanwhile", "a\n<Ha>\nfirst\n")
			waits <- struct{}{}
			d.expect(t, "when there is room for a moment", "a\n<Ha>\nfirst\n<Hb>\n")
			d.isFull.Store(false)
			close(waits)
			want := "a\n<Ha>\nfirst\n<Hb>\nc\n"
			if isLast {
				want += "<Half>"
			}
			d.expect(t, "when there is room", want)
			d.close()
		})
	}
}

// twoDirections returns two directions that have begun. Each one waits while the other's outbox
// has lines.
func twoDirections() (a, b *direction) {
	outA, outB := newOutbox(nil), newOutbox(nil)
	outA.await, outB.await = outB.awaitEmpty, outA.awaitEmpty
	a, b = newDirection(outA), newDirection(outB)
	a.start()
	b.start()
	return a, b
}

// Both are drained while they wait for a reader.
func TestTwoDirectionsDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoDirections()
		a.put("to a")
		b.put("to b")
		for _, d := range []*direction{a, b} {
			d.says("Held ") // the read has begun, and the next one waits
			d.says("line\n")
			d.expect(t, "while both wait", "")
		}
		a.make()
		b.make()
		a.expect(t, "when both are drained", "to a\n<Held line>\n")
		b.expect(t, "when both are drained", "<Held line>\nto b\n")
		a.close()
		b.close()
	})
}

func TestTheEndOfALineIsReadWhileTheOtherDirectionWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoDirections()
		a.says("half")
		b.says("Hone")
		a.make("to a")
		b.put("to b")
		b.says(" two") // b waits until a is drained, and a has a line half through
		b.says(" three\n")
		b.expect(t, "while it waits", "")
		a.says(" line\n")
		a.expect(t, "the end of the line", "half line\nto a\n")
		b.expect(t, "when the other one has been drained", "<Hone two three>\n")
		a.says("more\n")
		a.expect(t, "while it waits", "half line\nto a\n")
		b.make()
		a.expect(t, "when both have been drained", "half line\nto a\nmore\n")
		a.close()
		b.close()
	})
}

func TestTheEndReleasesTheOtherDirection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoDirections()
		a.says("half")
		a.make("to a")
		b.says("one\n")
		b.says("two\n")
		b.expect(t, "while it waits", "one\n")
		a.in.Close()
		a.expect(t, "its end", "half\nto a\n")
		b.expect(t, "the other one's end", "one\ntwo\n")
		b.in.Close()
		synctest.Wait()
	})
}

// FuzzInject: for any reads and drains, the lines of both are complete and in order. Only the end
// of a passing line is waited for, AwaitReader is called between lines, and a tap gets what is
// written.
func FuzzInject(f *testing.F) {
	f.Add([]byte("a\nHb\r\nMc\n\xff\x00\n\nlong long line\nlast\n"), uint8(3), uint8(2))
	f.Add(bytes.Repeat([]byte("Hxyz\nabc\n"), 30), uint8(1), uint8(1))
	f.Add([]byte("H"+strings.Repeat("too long ", 9)+"\nb\nC\n"), uint8(4), uint8(0))
	f.Fuzz(func(t *testing.T, in []byte, chunk, every uint8) {
		if len(in) > 4096 || !bytes.HasSuffix(in, []byte("\n")) || bytes.Contains(in, []byte("ours")) {
			return
		}
		var plain bytes.Buffer
		if err := Relay(&plain, bytes.NewReader(in), &marker{}, 64); err != nil {
			t.Fatal(err)
		}
		var out lockedBuffer
		o := newOutbox(func() {
			if got := out.String(); got != "" && got[len(got)-1] != '\n' {
				t.Errorf("AwaitReader is called after %q", got)
			}
		})
		j, tap, reads, made := NewInjector(), &outputTap{}, 0, 0
		p := &pump{to: &out, look: o, tap: tap, limit: 64, final: true}
		p.from = &readHook{chunkReader{in, int(chunk)%97 + 1}, func() {
			if reads++; reads%(int(every)%7+1) != 0 {
				return
			}
			o.put(fmt.Sprint("ours ", made), fmt.Sprint("ours ", made+1))
			made += 2
			got := out.String()
			isOpen := got != "" && got[len(got)-1] != '\n'
			j.Wake()
			for isDone := false; !isDone; runtime.Gosched() {
				j.turn <- struct{}{}
				isDone = o.len() == 0 || isOpen && p.drains
				<-j.turn
			}
		}}
		j.begin(p)
		if err := p.run(); err != nil {
			t.Fatal(err)
		}
		j.end(p)
		var theirs []byte
		next := 0
		for l := range bytes.Lines([]byte(out.String())) {
			if string(l) == fmt.Sprintf("ours %d\n", next) {
				next++
			} else {
				theirs = append(theirs, l...)
			}
		}
		if next != made || !bytes.Equal(theirs, plain.Bytes()) {
			t.Fatalf("%d of %d of ours in %q, theirs %q", next, made, out.String(), plain.Bytes())
		}
		if string(tap.out) != out.String() {
			t.Fatalf("the tap saw %q, written was %q", tap.out, out.String())
		}
	})
}

// A readHook calls a function before each read.
type readHook struct {
	chunkReader
	do func()
}

func (b *readHook) Read(p []byte) (int, error) {
	b.do()
	return b.chunkReader.Read(p)
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
