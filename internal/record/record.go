// Package record writes and reads records: files of JSON Lines with everything that passes between
// a client and an agent, so that it can be played again byte by byte. docs/record.md describes
// them.
//
// Traffic never waits longer than Options.Wait for a disk. The record has a gap in place of lines
// for which the queue has no room.
package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record/store"
	"acpshim/proxy"
)

// Schema is the version of the file that this package writes.
const Schema = 1

// Options of a record.
type Options struct {
	// Dir is the folder of the records, which state.Create creates and checks with Base. "" writes
	// no file, which is of use with Each.
	Dir, Base string

	// Acpshim is the version of the program, Argv the command of the agent, Cwd the folder in which
	// it runs, and Config a digest of the configuration. The first record has them.
	Acpshim, Cwd, Config string
	Argv                 []string

	MaxLine   int           // the record has only head, length and hash of a longer line; 0 is 4 MiB
	PartBytes int64         // the largest size of a file, before the next one begins; 0 is 32 MiB
	KeepBytes int64         // of all files in Dir, the oldest of which are removed; 0 is no limit
	KeepFor   time.Duration // how long after its last write a file is removed; 0 is never

	QueueBytes int           // the size of the queue; 0 is 8 MiB, and the least is 4 MaxLine
	Wait       time.Duration // how long traffic waits for a full queue; 0 is 100 ms
	Flush      time.Duration // how long Close waits for the disk; 0 is 2 s

	// Required makes New fail if the file cannot be created, and traffic wait for a slow disk
	// without limit, until the record fails or the Recorder is closed.
	Required bool

	// Failed is called at most once with ErrBehind and at most once with another error, when the
	// record cannot be written. It must not block. It may be called before New returns, and from
	// another goroutine. May be nil.
	Failed func(error)

	// Redact returns a line without its secrets. Its argument is a message, a line of stderr, an
	// event or an argument of the agent, and may be any bytes, which it must not keep or change.
	// Its result is used until the next call. It is called by one goroutine at a time, and the
	// writer waits for it. Nil keeps secrets.
	Redact func(line []byte) []byte

	// Each is called with each record of a message, a gap and the end, before it is written. It
	// must not block. The record belongs to it, except for the bytes of Line and Head: they are
	// valid during the call, and it must not change them. May be nil.
	Each func(Record)

	create func(part int) (part, error) // for tests
}

// ErrBehind says that messages come faster than they can be written.
var ErrBehind = errors.New("recording does not keep up: the record has gaps")

// A Recorder records one run. Its methods may be called from any goroutine.
type Recorder struct {
	opts   Options
	name   string
	queue  *queue
	writer *writer
	texts  lastTexts
	failed struct{ behind, all sync.Once } // the calls of Failed
}

// New begins a record. If its file cannot be created, New returns an error for a Required record;
// otherwise it calls Failed, and the Recorder tries again each second. Close ends the goroutine
// that writes.
func New(o Options) (*Recorder, error) {
	o.MaxLine = cmp.Or(o.MaxLine, 4<<20)
	o.PartBytes = cmp.Or(o.PartBytes, 32<<20)
	if o.KeepBytes > 0 {
		o.PartBytes = min(o.PartBytes, max(o.KeepBytes/4, 1))
	}
	o.QueueBytes = max(cmp.Or(o.QueueBytes, 8<<20), 4*o.MaxLine)
	o.Wait = cmp.Or(o.Wait, 100*time.Millisecond)
	o.Flush = cmp.Or(o.Flush, 2*time.Second)
	begun := time.Now()
	r := &Recorder{opts: o, name: store.NewName(o.Argv, begun)}
	switch {
	case o.create != nil:
	case o.Dir == "":
		r.opts.create = func(int) (part, error) { return noPart{}, nil }
	default:
		r.opts.create = func(n int) (part, error) { return store.Create(o.Base, o.Dir, store.PartName(r.name, n)) }
	}
	r.queue = newQueue(&o, begun)
	r.writer = newWriter(&r.opts, r.name, r.queue, begun, r.fail)
	if err := r.writer.write(); err != nil {
		err = fmt.Errorf("the record cannot be started: %w", err)
		if o.Required {
			return nil, err
		}
		r.fail(err)
	}
	go r.writer.run()
	return r, nil
}

// fail calls Failed, once for each kind of error.
func (r *Recorder) fail(err error) {
	report := func() {
		if r.opts.Failed != nil {
			r.opts.Failed(err)
		}
	}
	if errors.Is(err, ErrBehind) {
		r.failed.behind.Do(report)
		return
	}
	r.failed.all.Do(func() {
		r.failed.behind.Do(func() {}) // the disk is the reason for later gaps
		r.queue.noLongerRequired()
		report()
	})
}

// Run returns the name of the run, which is in its first record.
func (r *Recorder) Run() string { return r.name }

// Name returns the name of the first file in Dir.
func (r *Recorder) Name() string { return store.PartName(r.name, 0) }

// The peers that send lines.
const (
	Client = wire.Client
	Agent  = wire.Agent
)

// Tap returns a proxy.Tap that records what that peer sends.
func (r *Recorder) Tap(sender wire.Side) *Tap {
	return &Tap{r, stream(slices.Index(streamNames[:], string(sender)))}
}

// Events returns a writer for the log. Each write is one event, JSON or text, with a newline at its
// end. Writes never wait and never fail.
func (r *Recorder) Events() io.Writer { return events{r.queue} }

type events struct{ *queue }

func (e events) Write(p []byte) (int, error) {
	e.put(streamEvent, p)
	return len(p), nil
}

// An Outcome is how a run ended.
type Outcome struct {
	Status     int    `json:"status"`                // of the agent; without one, of acpshim
	Signal     string `json:"signal,omitempty"`      // that killed the agent
	NotStarted string `json:"not_started,omitempty"` // why the agent was not started, in words
	Path       string `json:"path,omitempty"`        // PATH, if no program of that name was in it
	Connection string `json:"connection,omitempty"`  // how the connection to a server ended, in words
	Steps      []Step `json:"steps,omitempty"`       // what led to the end, in order
}

// A Step is a proxy.Step in a record.
type Step struct {
	What   proxy.What `json:"what"`
	Signal string     `json:"signal,omitempty"`
	Mono   int64      `json:"mono"` // nanoseconds since the run began
}

// Since returns the time of an event in nanoseconds, as entries have it.
func (r *Recorder) Since(t time.Time) int64 { return int64(t.Sub(r.queue.begun)) }

// Close writes the rest of the queue and the last record, and closes the file. It returns an error
// if not everything could be written. The record has nothing that comes later.
func (r *Recorder) Close(o Outcome) error {
	r.queue.close(o)
	select {
	case <-r.writer.done:
		return r.writer.err
	case <-time.After(r.opts.Flush):
		return fmt.Errorf("the end of the record was not written within %v", r.opts.Flush)
	}
}
