package record

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// slowRedact makes a secret public, and takes a time for each line.
func slowRedact(slow func(line []byte) time.Duration) func([]byte) []byte {
	return func(line []byte) []byte {
		time.Sleep(slow(line))
		return bytes.ReplaceAll(line, []byte("secret"), []byte("public"))
	}
}

func (f *told) kinds() (kinds []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, err := range f.errs {
		switch {
		case errors.Is(err, ErrBehind):
			kinds = append(kinds, "behind")
		default:
			kinds = append(kinds, err.Error())
		}
	}
	return kinds
}

func (d *disk) text() (text []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.parts {
		text = append(text, p.text...)
	}
	return text
}

// Redaction that does not keep up costs the record lines, but not the traffic of a record that is
// not required. A required record gets every line.
func TestRedactionThatDoesNotKeepUp(t *testing.T) {
	for _, required := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d, f := &disk{left: -1}, &told{}
			r := begin(t, Options{create: d.create, MaxLine: 1000, QueueBytes: 10_000, Required: required, Failed: f.failed,
				Redact: slowRedact(func([]byte) time.Duration { return 900 * time.Millisecond })})
			began := time.Now()
			for i := range 200 {
				r.Tap(Agent).Passed(numbered(i, 400))
			}
			if held := time.Since(began); !required && held > 1100*time.Millisecond {
				t.Errorf("the traffic was held for %v", held)
			}
			time.Sleep(time.Minute)
			all := readFake(t, r, d)
			missing := check(t, all, 200, 400)
			if gaps := of(all, "gap"); required && missing+len(gaps) > 0 || !required && (missing < 100 || gaps[0].Gap.Why != whyBehind) {
				t.Errorf("required %v: %d lines are missing, the gaps are %+v", required, missing, gaps)
			}
			if kinds := f.kinds(); len(kinds) > 0 == required || !required && kinds[0] != "behind" {
				t.Errorf("required %v: told of %q", required, kinds)
			}
			if bytes.Contains(d.text(), []byte("secret")) {
				t.Errorf("required %v: something was not redacted", required)
			}
		})
	}
}

// Who logs is never held, however slow the disk of a required record is, and what is
// logged meanwhile is there.
func TestEventsNeverWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		d, f := &disk{left: -1}, &told{}
		r := begin(t, Options{create: d.create, MaxLine: 1000, QueueBytes: 100_000, Required: true, Failed: f.failed})
		d.set(-1, hold)
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
			t.Errorf("who logs was held for %v", held)
		}
		if kinds := f.kinds(); len(kinds) > 0 {
			t.Errorf("told of %q", kinds)
		}
		for range 2000 {
			fmt.Fprintln(r.Events(), `{"event":"more than there is room for"}`)
		}
		if held := time.Since(began); held > 0 {
			t.Errorf("who logs was held for %v", held)
		}
		close(hold)
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
