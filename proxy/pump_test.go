package proxy

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"acpshim/internal/chain/wire"
	"acpshim/internal/dev/growth"
)

// A marker holds lines that begin with H, wants more of lines that begin with M, and puts
// rewritten lines in angle brackets.
type marker struct {
	wire.Base
	seen []string
}

func (m *marker) Inspect(line []byte, _ bool) wire.Verdict {
	switch line[0] {
	case 'H':
		return wire.Hold
	case 'M':
		return wire.More
	}
	return wire.Pass
}

func (m *marker) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	m.seen = append(m.seen, string(line))
	body := bytes.TrimRight(line, "\n")
	dst = append(append(append(dst, '<'), body...), '>')
	return append(dst, line[len(body):]...), wire.Change{}
}

// A pipeReader reads at most the size of a pipe at a time.
type pipeReader struct{ io.Reader }

func (p pipeReader) Read(b []byte) (int, error) { return p.Reader.Read(b[:min(len(b), 4<<10)]) }

func TestAHeldLineIsNotCopiedWithEachPiece(t *testing.T) {
	growth.Linear(t, "a held line", 1<<20, func(size int) func() {
		line := "H" + strings.Repeat("x", size) + "\n"
		return func() {
			if err := Relay(io.Discard, pipeReader{strings.NewReader(line)}, &marker{}, 1<<24); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestRelayHoldsWholeLinesOnly(t *testing.T) {
	in := "a\nHb\n\nMc\r\nd\nH\n" + strings.Repeat("e", 70_000) + "\nH" + strings.Repeat("f", 70_000) + "\ng\nHlast"
	want := "a\n<Hb>\n\n<Mc\r>\nd\n<H>\n" + strings.Repeat("e", 70_000) + "\n<H" + strings.Repeat("f", 70_000) + ">\ng\n<Hlast>"
	for name, from := range map[string]func(io.Reader) io.Reader{
		"at once":        func(r io.Reader) io.Reader { return r },
		"byte by byte":   iotest.OneByteReader,
		"halves":         iotest.HalfReader,
		"with the error": iotest.DataErrReader,
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			m, cut := &marker{}, 0
			p := pump{from: from(strings.NewReader(in)), to: &out, look: m, limit: 1 << 20, truncated: func(bytes int) { cut += bytes }}
			if err := p.run(); err != nil {
				t.Fatal(err)
			}
			if cut != len("Hlast") {
				t.Errorf("told of %d bytes without a line end", cut)
			}
			if out.String() != want {
				t.Errorf("got %d bytes, want %d: %.80q", out.Len(), len(want), out.String())
			}
			if len(m.seen) != 5 {
				t.Errorf("%d lines were rewritten, want 5", len(m.seen))
			}
		})
	}
}

func TestRelayPassesLinesOverTheLimit(t *testing.T) {
	for _, size := range []int{98, 99, 100, 101, 300_000} {
		line := "H" + strings.Repeat("x", size-1) // and the newline
		var out bytes.Buffer
		long := 0
		p := pump{from: iotest.HalfReader(strings.NewReader("a\n" + line + "\nHb\n")), to: &out, look: &marker{}, limit: 100, tooLong: func() { long++ }}
		if err := p.run(); err != nil {
			t.Fatal(err)
		}
		want, wantLong := "a\n<"+line+">\n<Hb>\n", 0
		if size+1 > 100 {
			want, wantLong = "a\n"+line+"\n<Hb>\n", 1
		}
		if out.String() != want || long != wantLong {
			t.Errorf("a line of %d bytes: got %.200q, told %d times", size, out.String(), long)
		}
		if cap(p.buf) > 4*bufferSize {
			t.Errorf("a line of %d bytes left a buffer of %d", size, cap(p.buf))
		}
	}
}

// A lineInspector wants more of each line, and notes the lengths that it inspects.
type lineInspector struct {
	wire.Base
	parts, whole []int
}

func (u *lineInspector) Inspect(line []byte, whole bool) wire.Verdict {
	if whole {
		u.whole = append(u.whole, len(line))
	} else {
		u.parts = append(u.parts, len(line))
	}
	return wire.More
}

func TestALineIsInspectedAsHeadAndAsAWhole(t *testing.T) {
	u := &lineInspector{}
	line := strings.Repeat("x", 2*wire.HeadSize) + "\n"
	if err := Relay(io.Discard, iotest.OneByteReader(strings.NewReader(line)), u, 1<<20); err != nil {
		t.Fatal(err)
	}
	if n := len(u.parts); n != wire.HeadSize || u.parts[n-1] != wire.HeadSize || !slices.Equal(u.whole, []int{len(line)}) {
		t.Errorf("asked about %d parts, the last of %d bytes, and about %v", n, u.parts[n-1], u.whole)
	}
}

func TestRelayForwardsBeforeTheLineEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		go func() {
			Relay(outW, inR, &marker{}, 1<<20)
			outW.Close()
		}()
		read := func(want string) {
			t.Helper()
			b := make([]byte, 100)
			n, err := outR.Read(b)
			if err != nil || string(b[:n]) != want {
				t.Fatalf("read %q, %v, want %q", b[:n], err, want)
			}
		}
		io.WriteString(inW, "half a li")
		read("half a li")
		io.WriteString(inW, "ne\nH is held")
		read("ne\n")
		go io.WriteString(inW, " for its end\nrest")
		read("<H is held for its end>\nrest")
		inW.Close()
		if _, err := outR.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the end is %v, want EOF", err)
		}
	})
}

func TestRelayTellsWhichSideEnded(t *testing.T) {
	broken := errors.New("broken")
	err := Relay(io.Discard, io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken)), wire.Base{}, 1)
	var w errWrite
	if !errors.Is(err, broken) || errors.As(err, &w) {
		t.Errorf("reading failed: %v", err)
	}
	r, w2 := io.Pipe()
	r.CloseWithError(broken)
	for name, look := range map[string]wire.Interceptor{
		"passing lines": wire.Base{}, "what is rewritten": &marker{}, "much that is rewritten": &grower{},
		"held lines": &lineKeeper{kept: "kept\n"}, "much that is kept": &lineKeeper{kept: strings.Repeat("x", writeSize) + "\n"},
	} {
		p := pump{from: strings.NewReader("Hgone\n"), to: w2, look: look, limit: 100, final: true}
		if err := p.run(); !errors.Is(err, broken) || !errors.As(err, &w) {
			t.Errorf("writing %s failed: %v", name, err)
		}
	}
}

// A claimDropper claims lines that begin with C, and drops them.
type claimDropper struct{ marker }

func (c *claimDropper) Inspect(line []byte, whole bool) wire.Verdict {
	if line[0] == 'C' {
		return wire.Consume
	}
	return c.marker.Inspect(line, whole)
}

func TestAClaimedLineNeverPasses(t *testing.T) {
	for _, size := range []int{5, 99, 100, 101, 300_000} {
		for name, from := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "halves": iotest.HalfReader,
		} {
			in := "a\nC" + strings.Repeat("x", size-1) + "\nHb\nc\nC" + strings.Repeat("y", size)
			var out bytes.Buffer
			c := &claimDropper{}
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

// FuzzRelay: for any reads, passing lines stay the same, and held lines are rewritten as a whole
// and once.
func FuzzRelay(f *testing.F) {
	f.Add([]byte("a\nHb\r\nMc\n\xff\x00\n\nlast"), uint8(3))
	f.Add(bytes.Repeat([]byte("Hxyz\nabc"), 30), uint8(1))
	f.Fuzz(func(t *testing.T, in []byte, chunk uint8) {
		var want []byte
		for line := range bytes.Lines(in) {
			if m := (&marker{}); m.Inspect(line, true) == wire.Pass || len(line) > 64 {
				want = append(want, line...)
			} else {
				want, _ = m.Rewrite(want, line)
			}
		}
		var out bytes.Buffer
		if err := Relay(&out, &chunkReader{in, int(chunk)%97 + 1}, &marker{}, 64); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), want) {
			t.Fatalf("got %q, want %q", out.Bytes(), want)
		}
	})
}

// A chunkReader reads a few bytes at a time.
type chunkReader struct {
	b []byte
	n int
}

func (c *chunkReader) Read(p []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.n)], c.b)
	c.b = c.b[n:]
	return n, nil
}
