package telemetry

import (
	"fmt"
	"io"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/lossy"
	"acpshim/internal/otlp"
	"acpshim/internal/record"
)

// A Live sends the traces of a run to a collector during the run. It makes them of the lines of the
// run's record, whether or not a file is written. Neither the run nor the record waits for the
// collector. A nil one sends nothing.
type Live struct {
	lines  *lossy.Writer  // writes to the pipe
	pipe   *io.PipeWriter // read by a goroutine
	sender *otlp.Sender
	lost   bool          // lines are missing; valid when done is closed
	done   chan struct{} // closed when all lines were read
	left   int           // the number of spans that were left out; valid when done is closed
}

// maxFeed is larger than the longest line of a record with the default limits.
const maxFeed = 8 << 20

// LiveOptions say what is sent, and to whom.
type LiveOptions struct {
	Options
	Client  *otlp.Client
	Version string                   // of acpshim
	Line    func(line []byte) []byte // redacts a message; nil does not
	Failed  func(error)              // is called with an error when spans no longer arrive; may be nil
}

// Begin returns a Live that sends until it is closed.
func Begin(o LiveOptions) *Live {
	from, to := io.Pipe()
	l := &Live{lines: lossy.NewWriter(to), pipe: to, done: make(chan struct{})}
	l.lines.Limit = maxFeed
	l.sender = otlp.NewSender(o.Client, otlp.NewEnvelope(o.Version, o.Run), o.Failed)
	go l.read(from, o)
	return l
}

// Record adds a line of the run's record. It never waits.
func (l *Live) Record(line []byte) {
	if l != nil {
		l.lines.Write(line)
	}
}

// read makes spans of the lines.
func (l *Live) read(from io.Reader, o LiveOptions) {
	defer close(l.done)
	t := newTracer(o.Options, l.sender.Put)
	lines := record.NewReader(from)
	var c history.Conversation
	var streaming stream
	for {
		r, err := lines.Next()
		if err != nil {
			break
		}
		if r.Message == nil {
			continue
		}
		if streaming.goesOn(r.Message, o.Contents) {
			t.pass(r)
			continue
		}
		if o.Line != nil && r.Message.Line != nil {
			r.Message.Line = o.Line(r.Message.Line)
		}
		for _, m := range c.Add(r) {
			t.add(m)
			m.JSON, m.Message.Line = nil, nil // the conversation keeps requests until they have a response
		}
	}
	l.lost = l.lost || lines.Missing().Gaps > 0
	t.gaps = l.lost
	t.close()
	l.left = t.left
}

// Close sends the rest within a time. The error says how much was dropped.
func (l *Live) Close(within time.Duration) error {
	if l == nil {
		return nil
	}
	end := time.Now().Add(within)
	l.lost = l.lines.Close(within/2) > 0
	l.pipe.Close()
	late := false
	select {
	case <-l.done:
	case <-time.After(within / 4): // for the lines in the pipe
		late = true
	}
	dropped := l.sender.Close(time.Until(end))
	switch {
	case late:
		return fmt.Errorf("dropped %d spans, and those of messages that were not read within %v", dropped, within/2)
	case dropped+l.left > 0:
		return fmt.Errorf("dropped %d spans", dropped+l.left)
	case l.lost:
		return fmt.Errorf("some messages are missing in the spans, because there were too many")
	}
	return nil
}
