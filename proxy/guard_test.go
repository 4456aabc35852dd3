package proxy

import (
	"bytes"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
)

// A panicker panics at a line that begins with P, in Inspect if p follows.
type panicker struct{ wire.Base }

func (panicker) Inspect(line []byte, _ bool) wire.Verdict {
	if bytes.HasPrefix(line, []byte("Pp")) {
		panic("in Look")
	}
	return wire.Hold
}

func (panicker) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	dst = append(dst, '<')
	if line[0] == 'P' {
		panic("in Rewrite")
	}
	return append(dst, line...), wire.Change{}
}

func (panicker) TooLong([]byte) { panic("in TooLong") }

func (panicker) Flush(dst []byte, end bool) (out []byte, by wire.Change) {
	if dst = append(dst, "half"...); end {
		panic("in Flush")
	}
	return append(dst, " and whole\n"...), wire.MadeBy("panicker", wire.Reason{})
}

func (panicker) Drain(dst []byte) (out []byte, by wire.Change) {
	_ = append(dst, "half"...)
	panic("in Drain")
}

func TestGuardPassesALineAfterAPanic(t *testing.T) {
	for _, bad := range []string{"Pp", "Pr"} {
		told := 0
		g := Guard(panicker{}, nil, func(reason any, stack []byte) {
			if told++; !strings.Contains(string(stack), "panicker") {
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
	g := Guard(panicker{}, nil, func(any, []byte) { told++ })
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
	Guard(panicker{}, nil, func(any, []byte) { told++ }).TooLong(nil)
	if told != 2 {
		t.Error("not told of a panic in TooLong")
	}
}

// After a panic in Drain, the fallback is drained. Close and AwaitReader still go to the first
// Interceptor.
func TestGuardDrainsUntilItPanics(t *testing.T) {
	told, awaited, behind := 0, 0, newOutbox(nil)
	first := newOutbox(func() { awaited++ })
	g := Guard(panickingOutbox{first}, behind, func(any, []byte) { told++ })
	drain := func(want string) {
		t.Helper()
		if out, _ := g.Drain([]byte("a\n")); string(out) != want {
			t.Errorf("got %q, want %q", out, want)
		}
	}
	drain("a\n")
	first.put("ours")
	behind.put("behind")
	drain("a\n")
	drain("a\nbehind\n")
	g.AwaitReader()
	g.Close()
	if told != 1 || awaited != 1 || first.closed != 1 {
		t.Errorf("told %d times of a panic, %d times to wait, %d times of the end", told, awaited, first.closed)
	}
	if out, _ := Guard(panicker{}, nil, func(any, []byte) { told++ }).Drain([]byte("a\n")); string(out) != "a\n" || told != 2 {
		t.Errorf("got %q, told %d times", out, told)
	}
}
