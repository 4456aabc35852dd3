package record

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// E7: a slow redaction costs the record lines, but does not hold the traffic unless the record is
// required. A required record has every line.
func TestSlowRedaction(t *testing.T) {
	for _, required := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d, f := &disk{left: -1}, &failures{}
			slow := func(line []byte) []byte {
				time.Sleep(900 * time.Millisecond)
				return line
			}
			r := begin(t, Options{create: d.create, MaxLine: 1000, QueueBytes: 10_000, Required: required, Failed: f.failed, Redact: slow})
			began := time.Now()
			for i := range 200 {
				r.Tap(Agent).Passed(numbered(i, 400))
			}
			if held := time.Since(began); !required && held > 100*time.Millisecond {
				t.Errorf("the traffic was held for %v", held)
			}
			time.Sleep(time.Minute)
			all := readFake(t, r, d)
			missing, gaps := check(t, all, 200, 400), of(all, "gap")
			if required {
				f.none(t)
				if missing > 0 {
					t.Errorf("%d lines are missing in a required record", missing)
				}
				return
			}
			f.once(t, ErrBehind)
			if missing < 100 || gaps[0].Gap.Why != whyBehind {
				t.Errorf("%d lines are missing, the gaps are %+v", missing, gaps)
			}
		})
	}
}

// A write to the log never waits, however slow the disk of a required record is, and the record has
// what was logged meanwhile.
func TestEventsNeverWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f, r := beginOn(t, -1, Options{QueueBytes: 100_000, Required: true})
		unblock := d.block()
		go func() {
			for i := range 2000 {
				r.Tap(Agent).Passed(numbered(i, 400))
			}
		}()
		time.Sleep(time.Minute)
		began := time.Now()
		for i := range 50 {
			fmt.Fprintf(r.Events(), "{\"event\":%d}\n", i)
		}
		if held := time.Since(began); held > 0 {
			t.Errorf("the log was held for %v", held)
		}
		f.none(t)
		for range 2000 {
			fmt.Fprintln(r.Events(), `{"event":"more than there is room for"}`)
		}
		if held := time.Since(began); held > 0 {
			t.Errorf("the log was held for %v", held)
		}
		unblock()
		time.Sleep(time.Second)
		all := readFake(t, r, d)
		if messages, events := len(of(all, "message")), len(of(all, "event")); messages != 2000 || events < 50 {
			t.Errorf("%d messages and %d events", messages, events)
		}
		if gaps := of(all, "gap"); len(gaps) != 1 || gaps[0].Gap.Stream != "event" || gaps[0].Gap.Why != whyBehind {
			t.Errorf("%d gaps: %+v", len(gaps), gaps)
		}
	})
}
