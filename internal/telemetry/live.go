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

// A Live sends the traces of a run to a collector while it goes on. It is fed with the lines of the
// run's record, whether or not that is kept, and neither waits for the collector. A nil one sends
// nothing.
type Live struct {
	lines  *lossy.Writer  // to be read
	end    *io.PipeWriter // of what lines are written to
	sender *otlp.Sender
	lost   bool          // lines were, once end is closed; a gap was found, once done is closed
	done   chan struct{} // closed when all lines were read
	left   int           // spans, once done is closed
}

// maxFeed is larger than the longest line of a record by default.
const maxFeed = 8 << 20

// LiveOptions say what is sent, and where.
type LiveOptions struct {
	Options
	Client  *otlp.Client
	Version string                   // of acpshim
	Line    func(line []byte) []byte // takes secrets out of a message; nil for none
	Failed  func(error)              // why spans do not arrive, once until they do; may be nil
}

// Begin begins to send. Close ends it.
func Begin(o LiveOptions) *Live {
	from, to := io.Pipe()
	l := &Live{lines: lossy.NewWriter(to), end: to, done: make(chan struct{})}
	l.lines.Limit = maxFeed
	l.sender = otlp.NewSender(o.Client, otlp.NewEnvelope(o.Version, o.Run), o.Failed)
	go l.read(from, o)
	return l
}

// Record takes a line of the run's record. It never waits.
func (l *Live) Record(line []byte) {
	if l != nil {
		l.lines.Write(line)
	}
}

// read makes spans of all lines.
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
			m.JSON, m.Message.Line = nil, nil // requests are kept until they have a response
		}
	}
	l.lost = l.lost || lines.Missing().Gaps > 0
	t.gaps = l.lost
	t.close()
	l.left = t.left
}

// Close sends what is left, within a time. The error says what did not arrive.
func (l *Live) Close(within time.Duration) error {
	if l == nil {
		return nil
	}
	end := time.Now().Add(within)
	l.lost = l.lines.Close(within/2) > 0
	l.end.Close()
	late := false
	select {
	case <-l.done:
	case <-time.After(within / 4): // for what is being read
		late = true
	}
	dropped := l.sender.Close(time.Until(end))
	switch {
	case late:
		return fmt.Errorf("dropped %d spans, and those of messages that were not read within %v", dropped, within/2)
	case dropped+l.left > 0:
		return fmt.Errorf("dropped %d spans", dropped+l.left)
	case l.lost:
		return fmt.Errorf("some messages are in no span, because there were too many")
	}
	return nil
}
