package telemetry

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"time"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/system/otlp"
)

// A LiveExport sends the traces of a run to a collector while the run goes on. It makes them from
// the messages of the run's record, even if no file is written. Neither the run nor the record
// waits for the collector. A nil LiveExport sends nothing.
type LiveExport struct {
	queue   chan *record.Record
	size    atomic.Int64 // of the records in queue in bytes; see sizeOf
	lost    atomic.Bool  // true if messages are missing
	sender  *otlp.Sender
	closing chan struct{} // closed when Close is called
	end     time.Time     // when reading must end; valid after closing is closed
	done    chan struct{} // closed when reading has ended
	omitted int           // the number of omitted spans; valid after done is closed
}

const (
	maxQueue   = 8 << 20 // in bytes; a single message may be larger
	recordCost = 512     // the size of a record without its texts, in bytes
	reasonCost = 64
)

// LiveOptions say what is sent, and where to.
type LiveOptions struct {
	Options
	Client  *otlp.Client
	Version string                   // of acpshim
	Line    func(line []byte) []byte // redacts a message; may be nil
	Failed  func(error)              // is called when spans no longer arrive; may be nil
}

// Begin starts a LiveExport. It sends until Close is called.
func Begin(o LiveOptions) *LiveExport {
	l := &LiveExport{
		queue:   make(chan *record.Record, maxQueue/recordCost),
		closing: make(chan struct{}),
		done:    make(chan struct{}),
	}
	l.sender = otlp.NewSender(o.Client, otlp.NewEnvelope(o.Version, o.Run), o.Failed)
	go l.read(o)
	return l
}

// Record adds a record of the run. It copies the line, and keeps the rest. It never waits. Only one
// goroutine may call it, as [record.Options] calls Each.
func (l *LiveExport) Record(r record.Record) {
	switch {
	case l == nil:
		return
	case r.Gap != nil:
		l.lost.Store(true)
	}
	if r.Message == nil {
		return
	}
	size, waiting := sizeOf(r.Message), l.size.Load()
	if waiting > 0 && waiting+size > maxQueue {
		l.lost.Store(true)
		return
	}
	r.Message.Line, r.Message.Head = bytes.Clone(r.Message.Line), nil
	l.size.Add(size)
	select {
	case l.queue <- &r:
	default: // cannot happen: each record takes at least recordCost
		l.size.Add(-size)
		l.lost.Store(true)
	}
}

// sizeOf returns about how much memory a message takes, in bytes.
func sizeOf(m *record.Message) int64 {
	size := recordCost + len(m.Line)
	for _, why := range m.Why {
		size += len(why)
	}
	for _, r := range m.Reasons {
		size += reasonCost + 8*len(r.Shows)
		for _, value := range r.Values {
			size += len(value)
		}
	}
	return int64(size)
}

// next returns the next record. It returns nil if there are no more, or if the time of Close is
// over.
func (l *LiveExport) next() (r *record.Record) {
	select {
	case r = <-l.queue:
	case <-l.closing:
		if len(l.queue) == 0 {
			return nil
		}
		if time.Now().After(l.end) {
			l.lost.Store(true)
			return nil
		}
		r = <-l.queue
	}
	l.size.Add(-sizeOf(r.Message))
	return r
}

// read makes spans from the messages until next returns nil.
func (l *LiveExport) read(o LiveOptions) {
	defer close(l.done)
	t := newTracer(o.Options, l.sender.Put)
	var c history.Conversation
	var streaming chunkFilter
	for r := l.next(); r != nil; r = l.next() {
		if streaming.canSkip(r.Message, o.Contents) {
			t.noteTime(*r)
			continue
		}
		if o.Line != nil && r.Message.Line != nil {
			r.Message.Line = o.Line(r.Message.Line)
		}
		for _, m := range c.Add(*r) {
			t.add(m)
			m.JSON, m.Message.Line = nil, nil // because the conversation keeps pending requests
		}
	}
	t.hasGaps = l.lost.Load()
	t.close()
	l.omitted = t.omitted
}

// Close sends the remaining spans, and returns after at most the given time. The error says how
// much was dropped.
func (l *LiveExport) Close(within time.Duration) error {
	if l == nil {
		return nil
	}
	begun := time.Now()
	l.end = begun.Add(within / 2)
	close(l.closing)
	late := false
	select {
	case <-l.done:
	case <-time.After(within/2 + within/4): // the sender gets the remaining time
		late = true
	}
	dropped := l.sender.Close(time.Until(begun.Add(within)))
	switch {
	case late:
		return fmt.Errorf("dropped %d spans, and those of messages that were not read within %v", dropped, within/2)
	case dropped+l.omitted > 0:
		return fmt.Errorf("dropped %d spans", dropped+l.omitted)
	case l.lost.Load():
		return fmt.Errorf("some messages are missing in the spans, because there were too many")
	}
	return nil
}
