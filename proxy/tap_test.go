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

	"acpshim/internal/chain/wire"
)

// A tapRecorder is a Tap that notes its calls. Passing bytes in one or several pieces are noted
// alike.
type tapRecorder struct {
	notes  []string
	passed []byte
}

func (n *tapRecorder) Passed(b []byte) { n.passed = append(n.passed, b...) }

func (n *tapRecorder) Rewritten(line, out []byte, by wire.Change) {
	n.flush()
	n.notes = append(n.notes, fmt.Sprintf("%q to %q by %v", line, out, by.Names()))
}

func (n *tapRecorder) flush() {
	if len(n.passed) > 0 {
		n.notes = append(n.notes, fmt.Sprintf("%q", n.passed))
		n.passed = nil
	}
}

// A namedMarker is a marker, but leaves lines with = unchanged, and knows its name.
type namedMarker struct{ marker }

func (n *namedMarker) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	if bytes.IndexByte(line, '=') >= 0 {
		return append(dst, line...), wire.MadeBy("marks", wire.Reason{})
	}
	out, _ = n.marker.Rewrite(dst, line)
	return out, wire.MadeBy("marks", wire.Reason{})
}

func TestTapGetsLinesAndTheirReplacements(t *testing.T) {
	in := "a\nb\nHc\nd\nH=\nH" + strings.Repeat("x", 100) + "\nHlast"
	want := []string{
		`"a\nb\n"`,
		`"Hc\n" to "<Hc>\n" by [marks]`,
		`"d\n"`,
		`"H=\n" to "H=\n" by []`,
		fmt.Sprintf("%q", "H"+strings.Repeat("x", 100)+"\n"), // longer than the limit
		`"Hlast" to "<Hlast>" by [marks]`,
	}
	for name, from := range map[string]func(io.Reader) io.Reader{
		"at once":      func(r io.Reader) io.Reader { return r },
		"byte by byte": iotest.OneByteReader,
	} {
		tap := &tapRecorder{}
		i := Guard(&namedMarker{}, nil, func(any, []byte) { t.Error("it panicked") })
		if err := RelayTapped(io.Discard, from(strings.NewReader(in)), i, tap, 50); err != nil {
			t.Fatal(err)
		}
		tap.flush()
		if !slices.Equal(tap.notes, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(tap.notes, "\n"), strings.Join(want, "\n"))
		}
	}
	tap := &tapRecorder{}
	if err := RelayTapped(io.Discard, strings.NewReader("Ha\n"), &marker{}, tap, 50); err != nil || tap.notes[0] != `"Ha\n" to "<Ha>\n" by []` {
		t.Errorf("without names: %q, %v", tap.notes, err)
	}
}

// A claimer claims every line.
type claimer struct{ marker }

func (*claimer) Inspect([]byte, bool) wire.Verdict { return wire.Consume }

func TestTapGetsALineThatIsDroppedBecauseItIsTooLong(t *testing.T) {
	tap, long := &tapRecorder{}, strings.Repeat("x", 100)
	if err := RelayTapped(io.Discard, strings.NewReader("a\n"+long+"\nb\n"), &claimer{}, tap, 50); err != nil {
		t.Fatal(err)
	}
	want := []string{`"a\n" to "<a>\n" by []`, fmt.Sprintf(`%q to "" by []`, long+"\n"), `"b\n" to "<b>\n" by []`}
	if !slices.Equal(tap.notes, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(tap.notes, "\n"), strings.Join(want, "\n"))
	}
}

// They are between the lines of the sender.
func TestTapGetsDrainedLinesBeforeTheyAreWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tap, d := &tapRecorder{}, newDirection(newOutbox(nil))
		d.pump.tap = tap
		d.pump.to = writer(func(b []byte) {
			tap.flush()
			for _, made := range []string{"ours", "two", "three", "four"} {
				if strings.Contains(string(b), made) && !strings.Contains(strings.Join(tap.notes, ""), made) {
					t.Errorf("%q is written, and only %q was shown", b, tap.notes)
				}
			}
		})
		d.start()
		d.make("ours")
		d.says("a\nhalf")
		d.make("two", "three")
		d.says(" a line\nb\nHeld")
		d.make("four")
		d.says("\n")
		d.close()
		want := []string{`"" to "ours\n" by [ours]`, `"a\nhalf"`, `" a line\n"`, `"" to "two\n" by [two]`, `"" to "three\n" by [three]`, `"b\n"`,
			`"" to "four\n" by [four]`, `"Held\n" to "<Held>\n" by []`}
		if !slices.Equal(tap.notes, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(tap.notes, "\n"), strings.Join(want, "\n"))
		}
	})
}

// So a record never has a response before its request.
func TestTapGetsBytesBeforeTheyAreWritten(t *testing.T) {
	tap := &tapRecorder{}
	r := iotest.OneByteReader(strings.NewReader("ab\nHc\n"))
	var written bytes.Buffer
	w := writerFunc(func(p []byte) (int, error) {
		if len(tap.passed) == 0 && len(tap.notes) == 0 {
			t.Errorf("%q was written first", p)
		}
		tap.passed, tap.notes = nil, nil
		return written.Write(p)
	})
	if err := RelayTapped(w, r, &marker{}, tap, 50); err != nil || written.String() != "ab\n<Hc>\n" {
		t.Errorf("%q, %v", written.String(), err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
