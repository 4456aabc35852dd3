package proxy

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The sender is silent.
func TestAFailedWriteReleasesTheOtherDirection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoDirections()
		a.pump.to = writerFunc(func([]byte) (int, error) { return 0, errors.New("broken") })
		a.put("one", strings.Repeat("x", writeSize), "three")
		b.says("first\n")
		b.says("last\n")
		a.j.Wake()
		b.expect(t, "after a write that failed", "first\nlast\n")
		if a.put("late") {
			t.Error("a line is accepted that nobody drains")
		}
		a.close()
		b.close()
	})
}

func TestALineDrainedAfterTheInputIsOnItsOwnLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for in, want := range map[string]string{"": "ours\n", "a\n": "a\nours\n", "Held": "<Held>\nours\n"} {
			d := newDirection(newOutbox(nil))
			d.pump.from = strings.NewReader(in)
			d.j.begin(d.pump)
			if err := d.pump.run(); err != nil {
				t.Fatal(err)
			}
			d.make("ours")
			d.j.end(d.pump)
			d.expect(t, in, want)
		}
	})
}

// More lines are added while others are written.
func TestDrainedLinesDoNotBlockTheSender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDirection(newOutbox(nil))
		made, before := strings.Repeat("x", writeSize-1), 0
		const most = 100
		d.pump.to = writer(func(b []byte) {
			if strings.HasPrefix(string(b), "x") && before < most {
				before++
				d.put(made) // meanwhile the other direction made one more
				d.j.Wake()
				time.Sleep(time.Millisecond) // the receiver is slow
			}
			if strings.Contains(string(b[max(0, len(b)-9):]), "a\n") && before == most {
				t.Errorf("the line was written after %d others that were made after it came", before)
			}
		})
		d.start()
		d.put(made)
		go io.WriteString(d.in, "a\n")
		d.make()
		time.Sleep(time.Hour)
		d.close()
	})
}

func TestAPanicReleasesTheOtherDirection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoDirections()
		a.pump.look = Guard(panickingOutbox{a.outbox}, nil, func(any, []byte) {})
		a.put("one")
		b.says("first\n")
		b.says("last\n")
		a.j.Wake()
		b.expect(t, "after the panic", "first\nlast\n")
		if a.put("late") {
			t.Error("a line is accepted that nobody drains")
		}
		a.close()
		b.close()
	})
}
