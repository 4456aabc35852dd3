package record

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/wire"
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
		case errors.Is(err, ErrRedaction):
			kinds = append(kinds, "redaction")
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

// A line that takes too long to redact is a gap by that name, and so are those that come
// while it is at work. The record goes on behind them. What was not redacted is nowhere.
func TestSlowRedactionIsAGap(t *testing.T) {
	for _, required := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d, f := &disk{left: -1}, &told{}
			r := begin(t, Options{create: d.create, Required: required, Failed: f.failed, Redact: slowRedact(func(line []byte) time.Duration {
				if bytes.Contains(line, []byte("slow")) {
					return 25 * time.Second
				}
				return 0
			})})
			agent, client := r.Tap(Agent), r.Tap(Client)
			agent.Passed([]byte("{\"n\":0,\"x\":\"secret\"}\n{\"slow\":\"secret\"}\n"))
			time.Sleep(2 * time.Second)
			agent.Rewritten([]byte("{\"n\":2,\"x\":\"secret\"}\n"), []byte("{\"n\":3,\"x\":\"secret\"}\n"), wire.Change{})
			client.Passed([]byte("{\"n\":4,\"x\":\"secret\"}\n"))
			time.Sleep(30 * time.Second)
			agent.line([]byte("{\"n\":5,\"x\":\"secret\"}\n"), rewritten{stage: stageOut}) // of one in the gap
			client.Passed([]byte("{\"n\":6,\"x\":\"secret\"}\n"))
			all := readFake(t, r, d)
			var got []string
			for _, rec := range all {
				switch {
				case rec.Message != nil:
					got = append(got, fmt.Sprintf("%s %s%d", rec.Message.Dir, rec.Message.Line, rec.Message.Of))
				case rec.Gap != nil:
					got = append(got, fmt.Sprintf("gap %s %d %d %s", rec.Gap.Stream, rec.Gap.Count, rec.Gap.Bytes, rec.Gap.Why))
				}
			}
			want := []string{
				"agent {\"n\":0,\"x\":\"public\"}\n0",
				"gap agent 1 18 redaction took too long",
				"gap client 1 21 redaction took too long",
				"gap agent 2 42 redaction took too long",
				"agent {\"n\":5,\"x\":\"public\"}\n0",
				"client {\"n\":6,\"x\":\"public\"}\n0",
			}
			if slices.Sort(got[2:4]); !slices.Equal(got, append(slices.Clone(want[:2]), want[3], want[2], want[4], want[5])) {
				t.Errorf("required %v: got %q, want %q", required, got, want)
			}
			if end := all[len(all)-1].End; end == nil || end.Lost != (Count{4, 81}) || end.Gaps != 3 || end.Agent.Lines != 1 || end.Client.Lines != 1 {
				t.Errorf("required %v: the end is %+v", required, end)
			}
			if kinds := f.kinds(); !slices.Equal(kinds, []string{"redaction"}) {
				t.Errorf("required %v: told of %q", required, kinds)
			}
			if bytes.Contains(d.text(), []byte("secret")) {
				t.Errorf("required %v: something was not redacted", required)
			}
		})
	}
}

// Redaction that never ends holds the traffic of a required record for its time, once,
// and not the end of the run. The disk is still waited for.
func TestRedactionThatNeverEndsHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f, ever := &disk{left: -1}, &told{}, make(chan struct{})
		defer close(ever)
		r := begin(t, Options{create: d.create, MaxLine: 1000, QueueBytes: 10_000, Required: true, Failed: f.failed, RedactTime: 700 * time.Millisecond,
			Redact: func(line []byte) []byte { <-ever; return line }, Argv: []string{"agent"}})
		began := time.Now()
		for i := range 2000 {
			r.Tap(Agent).Passed(numbered(i, 400))
		}
		if held := time.Since(began); held > 700*time.Millisecond {
			t.Errorf("the traffic was held for %v", held)
		}
		hold := make(chan struct{})
		d.set(-1, hold)
		time.AfterFunc(time.Minute, func() { close(hold) })
		time.Sleep(10 * time.Second)
		began = time.Now()
		for i := range 2000 {
			r.Tap(Agent).Passed(numbered(2000+i, 400))
		}
		if held := time.Since(began); held < 40*time.Second {
			t.Errorf("the traffic waited for the disk for %v", held)
		}
		began = time.Now()
		all := readFake(t, r, d)
		if missing := check(t, all, 4000, 400); missing != 4000 {
			t.Errorf("%d lines are missing", missing)
		}
		if argv := all[0].Start.Argv; !slices.Equal(argv, []string{"(redaction took too long)"}) {
			t.Errorf("the command is %q", argv)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("closed after %v", took)
		}
		if kinds := f.kinds(); !slices.Equal(kinds, []string{"redaction"}) {
			t.Errorf("told of %q", kinds)
		}
	})
}

// Many lines that take long, but not too long, do not hold the traffic, either, and the
// disk is not blamed for them.
func TestRedactionThatDoesNotKeepUp(t *testing.T) {
	for _, required := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d, f := &disk{left: -1}, &told{}
			r := begin(t, Options{create: d.create, MaxLine: 1000, QueueBytes: 10_000, Required: required, Failed: f.failed,
				Redact: slowRedact(func([]byte) time.Duration { return 900 * time.Millisecond })})
			began := time.Now()
			for i := range 2000 {
				r.Tap(Agent).Passed(numbered(i, 400))
			}
			if held := time.Since(began); held > 1100*time.Millisecond {
				t.Errorf("required %v: the traffic was held for %v", required, held)
			}
			time.Sleep(time.Minute)
			all := readFake(t, r, d)
			if missing := check(t, all, 2000, 400); missing < 1900 {
				t.Errorf("required %v: %d lines are missing", required, missing)
			}
			if gaps := of(all, "gap"); len(gaps) == 0 || gaps[0].Gap.Why != "redaction did not keep up" {
				t.Errorf("required %v: the gaps are %+v", required, gaps)
			}
			if kinds := f.kinds(); !slices.Equal(kinds, []string{"redaction"}) {
				t.Errorf("required %v: told of %q", required, kinds)
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
