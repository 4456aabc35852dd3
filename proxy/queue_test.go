package proxy

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"acpshim/internal/wire"
)

// What was put in is written in its order: where no line is half through, and else
// behind the last one, which gets its end.
func TestWhatIsPutInIsWrittenAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		var out lockedBuffer
		j, run := injecting(&out, inR, &marked{})
		ended := make(chan error)
		go func() { ended <- run() }()
		first := strings.Repeat("x", 2*maxQueued) + "\n" // a single line may be of any size
		j.Put([]byte(first), wire.Cause{Name: "r"}, nil)
		synctest.Wait()
		io.WriteString(inW, "half")
		want := first + "half\n"
		for i := range 300 {
			if text := fmt.Sprintf("ours %d\n", i); j.Put([]byte(text), wire.Cause{Name: "r"}, nil) {
				want += text
			}
		}
		synctest.Wait()
		inW.Close()
		if err := <-ended; err != nil || out.String() != want {
			t.Errorf("%v: %.80q of %d bytes", err, out.String(), len(out.String()))
		}
		if j.Put([]byte("late\n"), wire.Cause{Name: "r"}, nil) {
			t.Error("a line was put in after the end")
		}
	})
}

// Who puts in more than the peer takes waits, and is told in the end.
func TestPutWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outR, outW := io.Pipe()
		inR, inW := io.Pipe()
		j, run := injecting(outW, inR, &marked{})
		go func() {
			run()
			outW.Close()
		}()
		line := []byte(strings.Repeat("x", maxQueued/4-1) + "\n")
		put := 0
		begin := time.Now()
		for j.Put(line, wire.Cause{Name: "r"}, nil) {
			put++
		}
		if d := time.Since(begin); put != 5 || d != patience { // one is being written
			t.Errorf("%d were put in, within %v", put, d)
		}
		if begin := time.Now(); j.Put(line, wire.Cause{Name: "r"}, nil) || time.Since(begin) > 0 {
			t.Error("it waits again for a peer that takes nothing")
		}
		io.ReadFull(outR, make([]byte, len(line)))
		synctest.Wait()
		if !j.Put(line, wire.Cause{Name: "r"}, nil) {
			t.Error("there is room, and it is refused")
		}
		if begin := time.Now(); j.Put(line, wire.Cause{Name: "r"}, nil) || time.Since(begin) != patience {
			t.Errorf("it waited %v for a peer that took something", time.Since(begin))
		}
		var taken lockedBuffer
		go io.Copy(&taken, outR)
		synctest.Wait()
		if got, want := len(taken.String()), 5*len(line); got != want {
			t.Errorf("%d bytes arrived, want %d", got, want)
		}
		inW.Close()
	})
}

// Who waits for room is let go when the direction ends.
func TestWhoWaitsForRoomIsLetGoAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := NewInjector(nil)
		j.Put(make([]byte, maxQueued), wire.Cause{Name: "r"}, nil)
		begin, put := time.Now(), make(chan bool)
		go func() { put <- j.Put([]byte("x\n"), wire.Cause{Name: "r"}, nil) }()
		synctest.Wait()
		j.end()
		if <-put || time.Since(begin) > 0 {
			t.Errorf("it waited %v, or was put in", time.Since(begin))
		}
	})
}

// late is a Tap that puts a line in when it is shown the first one of ours.
type late struct {
	noted
	to  *Injector
	put []bool
}

func (l *late) Rewritten([]byte, []byte, wire.Change) {
	if l.put == nil {
		l.put = []bool{l.to.Put([]byte("late\n"), wire.Cause{Name: "r"}, nil)}
	}
}

// A line that comes when the last ones are written is refused: nobody would write it.
func TestNothingIsPutInBehindTheLast(t *testing.T) {
	var out lockedBuffer
	j, reads := NewInjector(nil), 0
	tap := &late{to: j}
	from := &between{chunked{[]byte("half"), 4}, func() {
		if reads++; reads == 2 {
			j.Put([]byte("ours\n"), wire.Cause{Name: "r"}, nil)
		}
	}}
	p := &pump{from: from, to: &out, look: wire.Base{}, tap: tap, limit: 64, final: true}
	j.begin(p)
	err := p.run()
	j.end()
	if err != nil || out.String() != "half\nours\n" || !slices.Equal(tap.put, []bool{false}) {
		t.Errorf("got %q, %v; lines were put in behind: %v", out.String(), err, tap.put)
	}
}

// replying puts lines that begin with R into the other direction, too.
type replying struct {
	wire.Base
	to, other *Injector
}

func (*replying) Inspect([]byte, bool) wire.Verdict { return wire.Hold }

func (r *replying) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	if line[0] == 'R' {
		r.to.Put(line, wire.Cause{Name: "r"}, r.other)
	}
	return append(dst, line...), wire.Change{}
}

// A direction that waits for room in the other one has what is put into it written, behind what
// was made of the lines before.
func TestWhoWaitsForRoomLetsOthersIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := NewInjector(nil)
		full.Put(make([]byte, maxQueued), wire.Cause{Name: "r"}, nil)
		inR, inW := io.Pipe()
		var out lockedBuffer
		look := &replying{to: full}
		j, run := injecting(&out, inR, look)
		look.other = j
		go run()
		io.WriteString(inW, "a\nR\n")
		synctest.Wait()
		for _, want := range []string{"a\nours\n", "a\nours\nours\n"} {
			j.Put([]byte("ours\n"), wire.Cause{Name: "r"}, nil)
			if synctest.Wait(); out.String() != want {
				t.Errorf("while it waits: %q, want %q", out.String(), want)
			}
		}
		time.Sleep(patience)
		synctest.Wait()
		if want := "a\nours\nours\nR\n"; out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
		inW.Close()
	})
}

// keeping is marked, keeps something to the end, and drops lines that are gone.
type keeping struct {
	marked
	kept string
}

func (k *keeping) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	out = dst
	if !bytes.Contains(line, []byte("gone")) {
		out, _ = k.marked.Rewrite(dst, line)
	}
	return out, wire.MadeBy("keeps", "")
}

func (k *keeping) Flush(dst []byte, end bool) (out []byte, by wire.Change) {
	if end {
		dst, k.kept = append(dst, k.kept...), ""
	}
	return dst, wire.MadeBy("keeps", "")
}

func TestWhatIsKeptLeavesAtTheEnd(t *testing.T) {
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
			tap, k := &noted{}, &keeping{kept: test.kept}
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
