package proxy

import (
	"bytes"
	"strings"
	"testing"

	"acpshim/internal/wire"
)

// mined panics at a line that begins with P, in Look if it goes on with p.
type mined struct{ wire.Base }

func (mined) Inspect(line []byte, _ bool) wire.Verdict {
	if bytes.HasPrefix(line, []byte("Pp")) {
		panic("in Look")
	}
	return wire.Hold
}

func (mined) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	dst = append(dst, '<')
	if line[0] == 'P' {
		panic("in Rewrite")
	}
	return append(dst, line...), wire.Change{}
}

func (mined) TooLong([]byte) { panic("in TooLong") }

func (mined) Flush(dst []byte, end bool) (out []byte, by wire.Change) {
	if dst = append(dst, "half"...); end {
		panic("in Flush")
	}
	return append(dst, " and whole\n"...), wire.MadeBy("mined", "")
}

func TestGuardPassesWhatPanics(t *testing.T) {
	for _, bad := range []string{"Pp", "Pr"} {
		told := 0
		g := Guard(mined{}, nil, func(reason any, stack []byte) {
			if told++; !strings.Contains(string(stack), "mined") {
				t.Errorf("the stack of %v does not show where", reason)
			}
		})
		var out bytes.Buffer
		if err := Relay(&out, strings.NewReader("a\n"+bad+"\nb\n"+bad+"\n"), g, 100); err != nil {
			t.Fatal(err)
		}
		if want := "<a\n" + bad + "\nb\n" + bad + "\n"; out.String() != want || told != 1 {
			t.Errorf("got %q, told %d times, want %q, once", out.String(), told, want)
		}
	}
}

func TestGuardFlushesUntilItPanics(t *testing.T) {
	told := 0
	g := Guard(mined{}, nil, func(any, []byte) { told++ })
	for _, end := range []bool{false, true, false} {
		want := "a\n"
		if !end && told == 0 {
			want = "a\nhalf and whole\n"
		}
		if out, _ := g.Flush([]byte("a\n"), end); string(out) != want {
			t.Errorf("at the end, %v: got %q, want %q", end, out, want)
		}
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	Guard(mined{}, nil, func(any, []byte) { told++ }).TooLong(nil)
	if told != 2 {
		t.Error("not told of a panic in TooLong")
	}
}
