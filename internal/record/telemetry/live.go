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

// A Live sends the traces of a run to a collector during the run. It makes them of the messages of
// the run's record, whether or not a file is written. Neither the run nor the record waits for the
// collector. A nil one sends nothing.
type Live struct {
	queue   chan *record.Record
	size    atomic.Int64 // of the records in queue, in bytes
	lost    atomic.Bool  // messages are missing
	sender  *otlp.Sender
	closing chan struct{} // closed by Close
	end     time.Time     // when reading ends; valid when closing is closed
	done    chan struct{} // closed when all messages were read
	left    int           // the number of spans that were left out; valid when done is closed
}

const (
	maxQueue   = 8 << 20 // bytes; a single message may be larger
	recordCost = 512     // of a record in addition to its texts, in bytes
	reasonCost = 64
)

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
	l := &Live{
		queue:   make(chan *record.Record, maxQueue/recordCost),
		closing: make(chan struct{}),
		done:    make(chan struct{}),
	}
	l.sender = otlp.NewSender(o.Client, otlp.NewEnvelope(o.Version, o.Run), o.Failed)
	go l.read(o)
	return l
}

// Record adds a record of the run, of which it copies what may change. It never waits. It is for
// one goroutine, as [record.Options] calls Each.
func (l *Live) Record(r record.Record) {
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
	default: // each takes recordCost, so there is room
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

// next returns the next record. It returns nil if all were read, or if the time of Close is over.
func (l *Live) next() (r *record.Record) {
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

// read makes spans of the messages.
func (l *Live) read(o LiveOptions) {
	defer close(l.done)
	t := newTracer(o.Options, l.sender.Put)
	var c history.Conversation
	var streaming stream
	for r := l.next(); r != nil; r = l.next() {
		if streaming.goesOn(r.Message, o.Contents) {
			t.pass(*r)
			continue
		}
		if o.Line != nil && r.Message.Line != nil {
			r.Message.Line = o.Line(r.Message.Line)
		}
		for _, m := range c.Add(*r) {
			t.add(m)
			m.JSON, m.Message.Line = nil, nil // the conversation keeps requests until they have a response
		}
	}
	t.gaps = l.lost.Load()
	t.close()
	l.left = t.left
}

// Close sends the rest within a time. The error says how much was dropped.
func (l *Live) Close(within time.Duration) error {
	if l == nil {
		return nil
	}
	begun := time.Now()
	l.end = begun.Add(within / 2)
	close(l.closing)
	late := false
	select {
	case <-l.done:
	case <-time.After(within/2 + within/4): // the rest is for the sender
		late = true
	}
	dropped := l.sender.Close(time.Until(begun.Add(within)))
	switch {
	case late:
		return fmt.Errorf("dropped %d spans, and those of messages that were not read within %v", dropped, within/2)
	case dropped+l.left > 0:
		return fmt.Errorf("dropped %d spans", dropped+l.left)
	case l.lost.Load():
		return fmt.Errorf("some messages are missing in the spans, because there were too many")
	}
	return nil
}
