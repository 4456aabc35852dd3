// Package recording begins the record and the traces of a run as its configuration wants. It is not
// part of package record, because traces are made of records.
package recording

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"acpshim/internal/record"
	"acpshim/internal/record/store"
	"acpshim/internal/record/telemetry"
	"acpshim/internal/run/planfile"
	"acpshim/internal/setup/config"
	"acpshim/proxy"
	"acpshim/translate/plans"

	"github.com/rs/zerolog"
)

// A Recording is the record and the traces of a run. A nil one has neither.
type Recording struct {
	recorder *record.Recorder
	signals  chan<- os.Signal // end the run if a required record fails
	required bool
	failed   atomic.Bool
	path     string                // of the first file; "" without a record
	live     *telemetry.LiveExport // nil without traces

	mu    sync.Mutex             // protects the fields below
	log   *zerolog.Logger        // for errors; nil before Attach
	early []func(zerolog.Logger) // the errors before that
}

// Begin begins the record and the traces that the configuration wants of a command. It returns nil
// if it wants neither. The command runs in the folder cwd; "" is the one of this process. Version
// is that of acpshim. If the record cannot begin, Begin returns an error, and also a Recording if
// the record is not required and there are traces. If a required record fails later, Begin sends a
// signal.
func Begin(c config.Config, version string, command []string, cwd string, signals chan<- os.Signal) (*Recording, error) {
	r := &Recording{signals: signals, required: c.Record.Required && c.Record.Enabled}
	o := record.Options{Acpshim: version, Argv: command, Failed: r.fail, MaxLine: c.Record.MaxLine}
	var err error
	if c.Record.Enabled {
		err = r.keep(&o, c, cwd)
	}
	if err != nil && r.required || o.Dir == "" && c.Telemetry.Endpoint == "" {
		return nil, err
	}
	if c.Telemetry.Endpoint != "" {
		o.Each = func(of record.Record) { r.live.Record(of) }
	}
	recorder, newErr := record.New(o)
	if newErr != nil {
		return nil, newErr
	}
	r.recorder = recorder
	if o.Dir != "" {
		r.path = filepath.Join(o.Dir, recorder.Name())
	}
	if c.Telemetry.Endpoint != "" {
		r.trace(c, version)
	}
	return r, err
}

// keep sets the options of a record that is written to a file.
func (r *Recording) keep(o *record.Options, c config.Config, cwd string) error {
	dir, base, err := store.Folder(c.Record.Folder)
	if err != nil {
		return err
	}
	if o.Cwd = cwd; cwd == "" {
		o.Cwd, _ = os.Getwd()
	}
	if c.Record.Redact {
		redactor, err := NewRedactor(c, false)
		if err != nil {
			return err
		}
		start, err := NewRedactor(c, false) // a separate one: it must not learn the ids in argv before a message names them
		if err != nil {
			return err
		}
		o.Argv = start.Args(o.Argv)
		o.Redact = func(line []byte) []byte { return redactor.Redact(nil, line) }
	}
	o.Dir, o.Base, o.Config = dir, base, c.Digest()
	o.KeepBytes, o.KeepFor = int64(c.Record.KeepBytes), time.Duration(c.Record.KeepDays)*24*time.Hour
	o.Required = c.Record.Required
	return nil
}

// fail logs why something is not recorded. It ends the run if the record is required.
func (r *Recording) fail(err error) {
	r.report(zerolog.ErrorLevel, err, "not everything is recorded")
	r.failed.Store(true)
	if r.required && !errors.Is(err, record.ErrBehind) {
		select {
		case r.signals <- syscall.SIGTERM:
		default:
		}
	}
}

// Path returns the path of the record's first file, or "" without a record.
func (r *Recording) Path() string {
	if r == nil {
		return ""
	}
	return r.path
}

// Events returns a writer for the log, as JSON lines, or nil.
func (r *Recording) Events() io.Writer {
	if r == nil || r.path == "" {
		return nil
	}
	return r.recorder.Events()
}

// FileRead records the text of a plan file, unless it is the same as before.
func (r *Recording) FileRead(f plans.FileText) {
	if r == nil || r.path == "" {
		return
	}
	path, err := planfile.Path(f.URI)
	if err != nil {
		path = f.URI
	}
	r.recorder.FileRead(record.File{Path: path, Text: f.Text, Noticed: f.Noticed, Busy: f.Busy})
}

// Stderr returns a writer that records the agent's standard error. It never fails.
func (r *Recording) Stderr() io.Writer {
	if r == nil || r.path == "" {
		return io.Discard
	}
	return r.recorder.Stderr()
}

// LostStderr logs that the standard error is not recorded, because of an error. It returns an error
// only if the record is required.
func (r *Recording) LostStderr(err error) error {
	switch {
	case r == nil || r.path == "":
		return nil
	case r.required:
		return fmt.Errorf("creating a pipe for the agent's standard error: %w", err)
	}
	r.report(zerolog.ErrorLevel, err, "the agent's standard error is not recorded")
	return nil
}

// Attach sets the options of a run so that it is recorded, and logs errors from now on.
func (r *Recording) Attach(o *proxy.Options, log zerolog.Logger) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = &log
	for _, write := range r.early {
		write(log)
	}
	o.TapClient, o.TapAgent = r.recorder.Tap(record.Client), r.recorder.Tap(record.Agent)
}

// report logs an error, now or in Attach.
func (r *Recording) report(level zerolog.Level, err error, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	write := func(log zerolog.Logger) { log.WithLevel(level).Err(err).Msg(what) }
	if r.log == nil {
		r.early = append(r.early, write)
	} else {
		write(*r.log)
	}
}

// GiveWay closes the files of the record if the agent could not be started because too many are
// open, and reports whether it closed any.
func (r *Recording) GiveWay(o *proxy.Options, err error) bool {
	if r == nil || r.required || !TooManyFiles(err) || o.TapAgent == nil || r.path == "" {
		return false
	}
	o.TapClient, o.TapAgent = nil, nil
	r.recorder.Close(record.Outcome{})
	os.Remove(r.path) // it is empty
	r.report(zerolog.ErrorLevel, err, "nothing is recorded")
	return true
}

// TooManyFiles reports whether an error says that too many files are open.
func TooManyFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// NotStarted ends the record and the traces of an agent that could not be started: why is for
// people, and err is that of [proxy.Run].
func (r *Recording) NotStarted(status int, why string, err error) {
	o := record.Outcome{Status: status, NotStarted: why}
	if errors.Is(err, exec.ErrNotFound) {
		o.Path = os.Getenv("PATH")
	}
	r.close(o)
}

// Close ends the record and the traces. Connection says how the connection to a server ended, or is
// "". Close reports whether a required record is incomplete.
func (r *Recording) Close(e proxy.Ending, connection string) (failed bool) {
	if r == nil {
		return false
	}
	o := record.Outcome{Status: e.ExitCode(), Connection: connection}
	if e.Signal != 0 {
		o.Signal = e.Signal.String()
	}
	for _, s := range e.Steps {
		o.Steps = append(o.Steps, record.Step{What: s.What, Signal: s.Signal, Mono: r.recorder.Since(s.At)})
	}
	return r.close(o)
}

func (r *Recording) close(o record.Outcome) (failed bool) {
	if r == nil {
		return false
	}
	if err := r.recorder.Close(o); err != nil {
		r.report(zerolog.ErrorLevel, err, "the record is not whole")
		r.failed.Store(true)
	}
	if err := r.live.Close(tracesFor); err != nil {
		r.report(zerolog.WarnLevel, err, "not all traces were sent")
	}
	return r.required && r.failed.Load()
}
