// Package recording records a run as its configuration wants.
package recording

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"acpshim/internal/config"
	"acpshim/internal/record"
	"acpshim/internal/redact"
	"acpshim/internal/store"
	"acpshim/proxy"

	"github.com/rs/zerolog"
)

// A Recording is the record of a run. A nil one records nothing.
type Recording struct {
	recorder *record.Recorder
	log      atomic.Pointer[zerolog.Logger] // for what goes wrong; nil before there is one
	early    atomic.Pointer[error]          // what went wrong before
	signal   chan<- os.Signal               // ends the run where the record is required
	needed   bool
	failed   atomic.Bool
	drain    func(time.Duration) // nil if standard error is not recorded
	path     string              // of the first file
}

// Begin begins the record that the configuration wants of a command that is run in the folder cwd,
// "" is that of this process; nil if it wants none. The error is why there will be none. Version is
// that of acpshim. A signal is sent to signals if a required record fails.
func Begin(c config.Config, version string, command []string, cwd string, signals chan<- os.Signal) (*Recording, error) {
	if !c.Record.Enabled {
		return nil, nil
	}
	dir, base, err := store.Folder(c.Record.Folder)
	if err != nil {
		return nil, err
	}
	if cwd == "" {
		cwd, _ = os.Getwd()
	}
	r := &Recording{signal: signals, needed: c.Record.Required}
	o := record.Options{
		Dir: dir, Base: base, Acpshim: version, Cwd: cwd, Argv: command, Config: c.Digest(),
		MaxLine:   c.Record.MaxLine,
		KeepBytes: int64(c.Record.KeepBytes),
		KeepFor:   time.Duration(c.Record.KeepDays) * 24 * time.Hour,
		Required:  c.Record.Required,
		Failed:    r.fail,
	}
	if c.Record.Redact {
		redactor, err := NewRedactor(c, false)
		if err != nil {
			return nil, err
		}
		start, err := NewRedactor(c, false) // of its own: an id in argv is not known before a message names it
		if err != nil {
			return nil, err
		}
		o.Argv = start.Args(command)
		o.Redact = func(line []byte) []byte { return redactor.JSON(nil, line) }
	}
	if r.recorder, err = record.New(o); err != nil {
		return nil, err
	}
	r.path = filepath.Join(dir, r.recorder.Name())
	return r, nil
}

// NewRedactor returns what takes secrets out as the configuration has it; with strict, what is
// opaque goes, too.
func NewRedactor(c config.Config, strict bool) (*redact.Redactor, error) {
	o := redact.Options{Keys: c.Redact.Keys, Patterns: c.Redact.Patterns, Salt: store.FingerprintKey(), Strict: strict}
	o.Home, _ = os.UserHomeDir()
	if u, err := user.Current(); err == nil {
		o.User = u.Username
	}
	return redact.New(o)
}

func (r *Recording) fail(err error) {
	if log := r.log.Load(); log != nil {
		log.Error().Err(err).Msg("not everything is recorded")
	} else {
		r.early.Store(&err)
	}
	r.failed.Store(true)
	if r.needed && !errors.Is(err, record.ErrBehind) && !errors.Is(err, record.ErrRedaction) {
		select {
		case r.signal <- syscall.SIGTERM:
		default:
		}
	}
}

// Events returns what takes the log, as JSON lines; nil if nothing does.
func (r *Recording) Events() io.Writer {
	if r == nil {
		return nil
	}
	return r.recorder.Events()
}

// Attach lets o record its run, and logs what goes wrong with that. The error is that of a required
// record.
func (r *Recording) Attach(o *proxy.Options, log zerolog.Logger) error {
	if r == nil {
		return nil
	}
	r.log.Store(&log)
	if err := r.early.Load(); err != nil {
		log.Error().Err(*err).Msg("not everything is recorded")
	}
	o.TapClient, o.TapAgent = r.recorder.Tap(record.Client), r.recorder.Tap(record.Agent)
	stderr, drain, err := r.recorder.Stderr(os.Stderr)
	switch {
	case err == nil:
		o.Stderr, r.drain = stderr, drain
	case r.needed:
		return fmt.Errorf("a pipe for the agent's standard error: %w", err)
	default:
		log.Error().Err(err).Msg(noStderr)
	}
	return nil
}

const noStderr = "the agent's standard error is not recorded"

// GiveWay closes files for an agent that could not be started for want of them, and reports whether
// there were some: those of standard error first, then the record.
func (r *Recording) GiveWay(o *proxy.Options, err error) bool {
	switch {
	case r == nil || r.needed || !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE):
		return false
	case r.drain != nil:
		r.drain(0)
		o.Stderr, r.drain = os.Stderr, nil
		r.log.Load().Error().Err(err).Msg(noStderr)
	case o.TapAgent != nil:
		o.TapClient, o.TapAgent = nil, nil
		r.recorder.Close(record.Outcome{})
		os.Remove(r.path) // there is nothing in it
		r.log.Load().Error().Err(err).Msg("nothing is recorded")
	default:
		return false
	}
	return true
}

// Close ends the record. It reports whether it was required and is not whole.
func (r *Recording) Close(s proxy.Status, within time.Duration) (failed bool) {
	if r == nil {
		return false
	}
	if r.drain != nil {
		r.drain(within)
	}
	o := record.Outcome{Status: s.ExitCode()}
	if s.Signal != 0 {
		o.Signal = s.Signal.String()
	}
	if err := r.recorder.Close(o); err != nil {
		r.log.Load().Error().Err(err).Msg("the record is not whole")
		r.failed.Store(true)
	}
	return r.needed && r.failed.Load()
}
