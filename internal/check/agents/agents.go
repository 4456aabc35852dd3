// Package agents checks whether an agent keeps the rules of package conformance. It starts the
// agent in temporary folders, sends it requests and a few prompts, and judges what both sides
// wrote.
package agents

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/check/conformance"
	"acpshim/internal/run/recording"
	"acpshim/internal/setup/config"
	"acpshim/internal/setup/wrap"
)

// Options say what is checked.
type Options struct {
	Command []string // the agent's argv
	Env     []string // NAME=VALUE, added to its environment
	Rules   []string // the ids of the rules to report; if empty, all
	Prompt  string   // the text of prompts; "" sends none
	Timeout time.Duration

	Config  config.Config // says how processes are recorded
	Version string        // of acpshim

	// Prompting is called before the first prompt. It may be nil.
	Prompting func()

	times times // for tests; the zero value means the usual ones
}

// DefaultPrompt makes most agents use one tool that needs a permission, and stop.
const DefaultPrompt = "Create the file check.txt with the word ok in it. Use your tool for writing files. Do nothing else."

// times are how long the agent may take.
type times struct {
	start   time.Duration // for initialize and a new session, which may download something
	request time.Duration // for other requests, and for the end of a cancelled turn
	prompt  time.Duration
	quiet   time.Duration // between a response and the next step, so that late messages are seen
	early   time.Duration // within which the end of a turn may have crossed a cancel
	cancel  time.Duration // after which a prompt is cancelled although nothing came
	end     time.Duration // for the agent's end, and for that of its children
}

var usual = times{
	start: 30 * time.Second, request: 10 * time.Second, prompt: time.Minute, quiet: 500 * time.Millisecond,
	early: 250 * time.Millisecond, cancel: time.Second, end: 5 * time.Second,
}

// maxPrompts is the number of prompts that are sent at most.
const maxPrompts = 5

// A run is the state of [Check].
type run struct {
	Options
	report    *conformance.Collector
	folder    string // has the folders of the processes
	protocol  int    // of the agent
	peer      conformance.Peer
	login     login
	agent     []byte // the raw capabilities of the agent
	probe     string // a request that gets a response, if only an error
	prompts   int    // how many were sent
	noPrompts string // why no prompts are sent any more
	ended     string // why nothing can be tried any more
	turn      *turn  // that ended well, or nil
	asks      bool   // the agent has asked the client for something during a turn
}

// A turn is one that ended well.
type turn struct{ session, cwd string }

// Check checks an agent. It returns an error if the agent cannot be started, or if it cannot be
// recorded although that is required. When ctx is done, it ends the agent, and the report has what
// was found until then.
func Check(ctx context.Context, o Options) (conformance.Report, error) {
	if o.times == (times{}) {
		o.times = usual
	}
	if o.Timeout > usual.prompt { // a slow machine
		o.times.start = max(o.times.start, o.Timeout)
	}
	o.times.prompt = cmp.Or(o.Timeout, o.times.prompt)
	o.Config.Record.Enabled, o.Config.Telemetry.Endpoint = true, ""
	folder, err := os.MkdirTemp("", "acpshim-check-")
	if err != nil {
		return conformance.Report{}, err
	}
	defer os.RemoveAll(folder)
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return conformance.Report{}, err
	}
	redactor, err := recording.NewRedactor(o.Config, false)
	if err != nil {
		return conformance.Report{}, err
	}
	o.Command = absolute(o.Command)
	r := &run{Options: o, folder: folder, probe: unknownExtension, report: conformance.NewCollector(wire.Agent, o.Rules...)}
	r.report.Redact = func(text string) string { return string(redactor.Redact(nil, []byte(text))) }
	if o.Prompt == "" {
		r.noPrompts = `no prompt was sent (--prompt "")`
	}
	err = r.processes(ctx)
	r.report.Skip(cmp.Or(r.ended, r.noPrompts, "nothing showed whether the agent keeps it"), conformance.Names(wire.Agent)...)
	report := r.report.Report()
	report.Agent = &r.peer
	return report, err
}

// absolute returns a command that works in any folder: it makes paths to files absolute.
func absolute(command []string) []string {
	command, _ = wrap.AbsoluteFiles(command)
	if program := command[0]; filepath.Base(program) != program {
		if path, err := filepath.Abs(program); err == nil {
			command[0] = path
		}
	}
	return command
}

// processes starts the agent several times. The processes for bad lines and for versions run next
// to the first one, once that has shown that the agent starts.
func (r *run) processes(ctx context.Context) error {
	var others sync.WaitGroup
	var beside []*process
	err := r.first(ctx, func() {
		for rule, check := range map[string]func(*process){"bad-line": (*process).badLine, "version": (*process).version} {
			if !r.wants(rule) {
				continue
			}
			p, err := r.start(ctx, rule, nothing)
			if err != nil {
				continue
			}
			beside = append(beside, p)
			others.Go(func() {
				check(p)
				p.Stop()
			})
		}
	}, others.Wait)
	others.Wait()
	for _, p := range beside {
		p.finish()
	}
	if err != nil || ctx.Err() != nil || r.ended != "" {
		return err
	}
	r.again(ctx)
	r.announced(ctx)
	return nil
}

// wants reports whether the report has one of these rules.
func (r *run) wants(rules ...string) bool { return slices.ContainsFunc(rules, r.report.Wants) }
