// Package recording records a run as its configuration wants.
package recording

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"acpshim/internal/config"
	"acpshim/internal/lossy"
	"acpshim/internal/planfile"
	"acpshim/internal/record"
	"acpshim/internal/redact"
	"acpshim/internal/state"
	"acpshim/internal/store"
	"acpshim/internal/telemetry"
	"acpshim/internal/terminal"
	"acpshim/proxy"
	"acpshim/translate/plans"

	"github.com/rs/zerolog"
)

// A Recording is the record of a run. A nil one records nothing.
type Recording struct {
	recorder *record.Recorder
	signal   chan<- os.Signal // ends the run where the record is required
	needed   bool
	failed   atomic.Bool
	drain    func(time.Duration) // nil if standard error is not recorded
	said     lossy.Tail          // the end of standard error
	path     string              // of the first file; "" if none is kept
	live     *telemetry.Live     // nil sends nothing

	mu    sync.Mutex                              // protects the fields below
	log   *zerolog.Logger                         // for what goes wrong; nil before there is one
	early []func(zerolog.Logger)                  // what went wrong before
	files map[[sha256.Size]byte][sha256.Size]byte // digests of the texts of plan files, by those of their paths
}

// Begin begins the record that the configuration wants of a command that is run in the folder cwd,
// "" is that of this process, and its traces; nil if it wants neither. The error is why there will
// be no record. Version is that of acpshim. A signal is sent to signals if a required record fails.
func Begin(c config.Config, version string, command []string, cwd string, signals chan<- os.Signal) (*Recording, error) {
	r := &Recording{signal: signals, needed: c.Record.Required && c.Record.Enabled}
	o := record.Options{Acpshim: version, Argv: command, Failed: r.fail, MaxLine: c.Record.MaxLine}
	var err error
	if c.Record.Enabled {
		err = r.keep(&o, c, cwd)
	}
	if err != nil && r.needed || o.Dir == "" && c.Telemetry.Endpoint == "" {
		return nil, err
	}
	if c.Telemetry.Endpoint != "" {
		o.Each = func(line []byte) { r.live.Record(line) }
	}
	recorder, failed := record.New(o)
	if failed != nil {
		return nil, failed
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

// keep sets the options of a record in a file.
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
		start, err := NewRedactor(c, false) // of its own: an id in argv is not known before a message names it
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

// NewRedactor returns what takes secrets out as the configuration has it; with strict, what is
// opaque goes, too.
func NewRedactor(c config.Config, strict bool) (*redact.Redactor, error) {
	o := redact.Options{Keys: c.Redact.Keys, Patterns: c.Redact.Patterns, Salt: state.FingerprintKey(), Strict: strict}
	o.Home, _ = os.UserHomeDir()
	if u, err := user.Current(); err == nil {
		o.User = u.Username
	}
	return redact.New(o)
}

func (r *Recording) fail(err error) {
	r.tell(zerolog.ErrorLevel, err, "not everything is recorded")
	r.failed.Store(true)
	if r.needed && !errors.Is(err, record.ErrBehind) {
		select {
		case r.signal <- syscall.SIGTERM:
		default:
		}
	}
}

// Events returns what takes the log, as JSON lines; nil if nothing does.
func (r *Recording) Events() io.Writer {
	if r == nil || r.path == "" {
		return nil
	}
	return r.recorder.Events()
}

// FileRead records what was read of a plan file, unless it was that before.
func (r *Recording) FileRead(f plans.FileText) {
	if r == nil || r.path == "" {
		return
	}
	path, err := planfile.Path(f.URI)
	if err != nil {
		path = f.URI
	}
	if file := (record.File{Path: path, Text: f.Text, Noticed: f.Noticed, Busy: f.Busy}); r.isNew(file) {
		r.recorder.FileRead(file)
	}
}

// isNew notes what was read of a file, and reports whether it is something else than before.
func (r *Recording) isNew(f record.File) bool {
	name, digest := sha256.Sum256([]byte(f.Path)), sha256.Sum256([]byte(f.Text))
	if f.Busy {
		digest = [sha256.Size]byte{} // of no text
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if old, ok := r.files[name]; ok && old == digest {
		return false
	}
	if r.files == nil || len(r.files) >= maxFiles {
		r.files = map[[sha256.Size]byte][sha256.Size]byte{}
	}
	r.files[name] = digest
	return true
}

// maxFiles bounds the plan files of whose texts digests are kept.
const maxFiles = 1 << 10

// Attach lets o record its run, and logs what goes wrong with that. The error is that of a required
// record.
func (r *Recording) Attach(o *proxy.Options, log zerolog.Logger) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = &log
	for _, tell := range r.early {
		tell(log)
	}
	o.TapClient, o.TapAgent = r.recorder.Tap(record.Client), r.recorder.Tap(record.Agent)
	if r.path == "" {
		return nil
	}
	stderr, drain, err := r.recorder.Stderr(io.MultiWriter(os.Stderr, &r.said))
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

// tell logs an error, as soon as there is a log.
func (r *Recording) tell(level zerolog.Level, err error, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tell := func(log zerolog.Logger) { log.WithLevel(level).Err(err).Msg(what) }
	if r.log == nil {
		r.early = append(r.early, tell)
	} else {
		tell(*r.log)
	}
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
		r.tell(zerolog.ErrorLevel, err, noStderr)
	case o.TapAgent != nil && r.path != "":
		o.TapClient, o.TapAgent = nil, nil
		r.recorder.Close(record.Outcome{})
		os.Remove(r.path) // there is nothing in it
		r.tell(zerolog.ErrorLevel, err, "nothing is recorded")
	default:
		return false
	}
	return true
}

// LastLines are the last lines that the agent wrote to its standard error, for people; none if that
// is not recorded. It is for when the agent has ended, and waits as Close would, which then does
// not.
func (r *Recording) LastLines(within time.Duration) []string {
	if r == nil {
		return nil
	}
	r.drained(within)
	return terminal.LastLines(r.said.String(), 5, 200)
}

// drained moves what is left of standard error, once.
func (r *Recording) drained(within time.Duration) {
	if r.drain != nil {
		r.drain(within)
		r.drain = nil
	}
}

// Close ends the record. It reports whether it was required and is not whole.
func (r *Recording) Close(s proxy.Status, within time.Duration) (failed bool) {
	if r == nil {
		return false
	}
	r.drained(within)
	o := record.Outcome{Status: s.ExitCode()}
	if s.Signal != 0 {
		o.Signal = s.Signal.String()
	}
	if err := r.recorder.Close(o); err != nil {
		r.tell(zerolog.ErrorLevel, err, "the record is not whole")
		r.failed.Store(true)
	}
	if err := r.live.Close(tracesFor); err != nil {
		r.tell(zerolog.WarnLevel, err, "not all traces were sent")
	}
	return r.needed && r.failed.Load()
}
