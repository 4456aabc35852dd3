// Package record keeps what passes between a client and an agent in a file of
// JSON Lines, so exactly that it can be played again byte by byte, and reads
// such files. docs/record.md describes the file.
//
// Traffic never waits for a disk for longer than Options.Wait: what a full
// queue cannot take is counted and stands in the record as a gap. So is a line
// whose secrets cannot be taken out within Options.RedactTime.
package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"acpshim/internal/store"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Schema is the version of the file that this package writes.
const Schema = 1

// Options describe a record. The zero values are what is said of them.
type Options struct {
	// Dir is the folder of the records, which is made if it is not there; "" keeps no
	// file, for Each alone. It is an error if it is a symbolic link, belongs to another
	// user or can be written by others. So are the folders above it up to Base, whose own
	// path may have links; "" is the folder that Dir is in.
	Dir, Base string

	// Acpshim is the version of the program, Argv the agent's command, Cwd the
	// folder it is run in, and Config a digest of the configuration. They are
	// part of the first record.
	Acpshim, Cwd, Config string
	Argv                 []string

	MaxLine   int           // longer lines, in bytes, are kept as head, length and hash; 0 is 4 MiB
	PartBytes int64         // the size at which the file is continued in another; 0 is 32 MiB
	KeepBytes int64         // of all files in Dir; the oldest go first; 0 is no limit
	KeepFor   time.Duration // since a file was last written to; 0 is for ever

	QueueBytes int           // what may wait to be written; 0 is 8 MiB, and never less than 4 MaxLine
	Wait       time.Duration // how long traffic waits for a full queue; 0 is 100 ms
	Flush      time.Duration // how long Close waits for the disk; 0 is 2 s

	// Required is for those to whom the record is worth more than the traffic:
	// New fails if there can be no file, and traffic waits for a slow disk
	// without limit until the record has failed or the Recorder was closed.
	Required bool

	// Failed is called with why something is not recorded: once that lines are missing
	// and the record goes on (ErrBehind), once that it cannot be
	// written. It must not block: it may be called before New returns, and by a
	// goroutine of the Recorder. May be nil.
	Failed func(error)

	// Redact returns a line without its secrets. It gets every message, line of
	// stderr, event and argument, which may be any bytes, and must not keep or
	// change them. Its result may be the same bytes, and is used until the next
	// call. One goroutine at a time calls it. It has to be fast: the record waits
	// for it. Nil keeps everything.
	Redact func(line []byte) []byte

	// Each is given each record of a message, a gap and the end, as a line, before it is
	// written. It must not block, nor keep or change the line. May be nil.
	Each func(line []byte)

	create func(part int) (part, error) // for tests
}

// ErrBehind is what Failed gets if messages come faster than they can be written.
var ErrBehind = errors.New("recording does not keep up: the record has gaps")

// A Recorder records one run. Its methods may be called from any goroutine.
type Recorder struct {
	opts   Options
	name   string
	queue  *queue
	writer *writer
	failed struct{ behind, all sync.Once } // what Failed was given
}

// New begins a record with a file of its own. If that cannot be made it is
// tried again each second, and Failed is called; the error is that of a Required
// record. Close ends the goroutine that writes.
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
		r.opts.create = func(int) (part, error) { return nowhere{}, nil }
	default:
		r.opts.create = func(n int) (part, error) { return store.Create(o.Base, o.Dir, store.PartName(r.name, n)) }
	}
	r.queue = newQueue(&o, begun)
	r.writer = newWriter(&r.opts, r.name, r.queue, begun, r.fail)
	if err := r.writer.write(); err != nil {
		err = fmt.Errorf("the record cannot be begun: %w", err)
		if o.Required {
			return nil, err
		}
		r.fail(err)
	}
	go r.writer.run()
	return r, nil
}

// fail reports why something is not recorded, each kind of reason once.
func (r *Recorder) fail(err error) {
	report := func() {
		if r.opts.Failed != nil {
			r.opts.Failed(err)
		}
	}
	switch {
	case errors.Is(err, ErrBehind):
		r.failed.behind.Do(report)
	default:
		r.failed.all.Do(func() {
			r.failed.behind.Do(func() {}) // it is the disk in any case
			r.queue.noLongerRequired()
			report()
		})
	}
}

// Run is the name of the run, which stands in its first record.
func (r *Recorder) Run() string { return r.name }

// Name is the name of the record's first file in Dir.
func (r *Recorder) Name() string { return store.PartName(r.name, 0) }

// A Direction names who sent something.
type Direction string

const (
	Client Direction = "client"
	Agent  Direction = "agent"
)

// Tap returns a proxy.Tap that records what that peer sends.
func (r *Recorder) Tap(sender Direction) *Tap {
	return &Tap{r, stream(slices.Index(streamNames[:], string(sender)))}
}

// Events returns a writer for the log: what is written is one event each time,
// JSON or text, with a newline at its end. It never waits and never fails.
func (r *Recorder) Events() io.Writer { return events{r.queue} }

// FileRead records what was read of a plan file. It never waits and never fails.
func (r *Recorder) FileRead(f File) {
	b, err := json.Marshal(f, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // of our own type: a test has it
	}
	r.queue.put(streamFile, append(b, '\n'))
}

type events struct{ *queue }

func (e events) Write(p []byte) (int, error) {
	e.put(streamEvent, p)
	return len(p), nil
}

// An Outcome is how a run ended.
type Outcome struct {
	Status int    `json:"status"`           // the exit status of acpshim
	Signal string `json:"signal,omitempty"` // what killed the agent
}

// Close writes what is left and the last record, and returns when the file is
// closed, or with an error if the disk did not take it all. What comes later
// is not recorded.
func (r *Recorder) Close(o Outcome) error {
	r.queue.close(o)
	select {
	case <-r.writer.done:
		return r.writer.err
	case <-time.After(r.opts.Flush):
		return fmt.Errorf("the end of the record was not written within %v", r.opts.Flush)
	}
}
