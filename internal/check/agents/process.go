package agents

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"acpshim/internal/check/conformance"
	"acpshim/internal/check/peer"
)

// announces is what the client of a process announces.
type announces int

const (
	nothing    announces = iota
	everything           // except for terminals, unless the rule about capabilities is asked for
)

// A process is one run of the agent, and what is found in it. What is found is reported when the
// process has ended.
type process struct {
	*peer.Process
	*run
	ctx         context.Context
	name        string // for its folder
	cwd         string
	announces   announces
	client      *client
	found       []func()       // report what was found
	lost        phrase         // why it can be asked for nothing more; nil while it can
	isJudged    bool           // its messages were judged
	expects     bool           // its agent should run until its input is closed
	loaded      *peer.Exchange // the last session/load of a session with a turn
	cancelFails bool           // a cancelled turn did not end as cancelled
	folderless  string         // the id of a session without a folder, which should not exist
	isDeaf      bool           // it has closed its standard output, but runs
}

// start starts the agent in a new folder.
func (r *run) start(ctx context.Context, name string, a announces) (*process, error) {
	p := &process{run: r, ctx: ctx, name: name, announces: a, cwd: filepath.Join(r.folder, name), expects: true}
	if err := os.Mkdir(p.cwd, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(p.cwd, notes), []byte("A file for a check.\n"), 0o600); err != nil {
		return nil, err
	}
	p.client = &client{cwd: p.cwd, fs: a == everything, asked: make(chan *peer.Message, 1)}
	var err error
	p.Process, err = peer.Start(ctx, peer.Options{
		Command: r.Command, Env: r.Env, Dir: p.cwd, InputGrace: r.times.end, TermGrace: r.times.end, Linger: p.linger(),
		Respond: p.client.respond, Config: &r.Config, Version: r.Version,
	})
	return p, err
}

// notes is the name of the file in the folder.
const notes = "notes.txt"

// linger returns how long children may outlive the agent. They are only looked for in one process.
func (p *process) linger() time.Duration {
	if p.name == firstName && p.wants("no-children") {
		return p.times.end
	}
	return 0
}

// ask sends a request and waits for its response. ok is false if there is none.
func (p *process) ask(within time.Duration, method string, params any) (e *peer.Exchange, ok bool) {
	e = p.Begin(method, params)
	return e, p.await(within, e)
}

// await waits for a response. It reports false if there is none, and notes whether the agent is
// lost.
func (p *process) await(within time.Duration, e *peer.Exchange) bool {
	return p.awaitUntil(time.Now().Add(within), e)
}

func (p *process) awaitUntil(deadline time.Time, e *peer.Exchange) bool {
	switch err := p.Await(p.ctx, deadline, e); {
	case err == nil:
		return true
	case errors.Is(err, peer.ErrSilent):
	case errors.Is(err, peer.ErrFramed):
		p.lose("the agent does not write one message per line")
	case p.ctx.Err() != nil:
		p.lose("the check was interrupted")
	default:
		p.isDeaf = errors.Is(err, peer.ErrClosed)
		p.lose(err.Error(), " after ", p.last())
	}
	return false
}

// lose notes why the process can be asked for nothing more.
func (p *process) lose(parts ...any) {
	if p.lost == nil {
		p.lost = parts
	}
}

// last is the last message that the agent got.
func (p *process) last() phrase {
	messages := p.Messages()
	for i := len(messages) - 1; i >= 0; i-- {
		if m := messages[i]; m.From == "client" {
			return say(m)
		}
	}
	return say("its start")
}

// isLost reports whether the process can be asked for nothing more. Then it skips these rules.
func (p *process) isLost(rules ...string) bool {
	if p.lost == nil {
		return false
	}
	p.skip(p.lost, rules...)
	return true
}

// tried notes that rules were tried.
func (p *process) tried(rules ...string) {
	p.found = append(p.found, func() { p.report.Tried(rules...) })
}

// skip notes why rules were not tried.
func (p *process) skip(why phrase, rules ...string) {
	p.found = append(p.found, func() { p.report.Skip(why.String(), rules...) })
}

// A fault is what broke a rule.
type fault struct {
	sent, got phrase
	text      string // what the protocol says; "" is the rule's line
	isAdvice  bool   // it is one of the part of the rule that is a SHOULD
}

// fail notes that the agent broke a rule.
func (p *process) fail(rule string, f fault) {
	p.found = append(p.found, func() {
		p.report.Fault(rule, conformance.Fault{Sent: f.sent.String(), Got: f.got.String(), Text: f.text, Advice: f.isAdvice, Record: p.Record()})
	})
}

// finish ends the process, judges its messages, and reports what was found.
func (p *process) finish() {
	p.Stop()
	if !p.isJudged {
		p.isJudged = true
		p.judge()
	}
	for _, report := range p.found {
		report()
	}
	p.found = nil
}

// in returns how long something was waited for, in words.
func in(d time.Duration) string { return "nothing in " + d.String() }
