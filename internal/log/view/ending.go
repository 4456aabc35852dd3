package view

import (
	"fmt"
	"slices"
	"time"

	"acpshim/internal/record"
	"acpshim/internal/text/terminal"
	"acpshim/proxy"
)

// An ending is what is known about the end of a run.
type ending struct {
	end     *record.End // nil if the record has none
	at      time.Duration
	goesOn  bool
	isWhole bool // nothing is missing in the record
}

// step returns the first step of a kind, or nil.
func (e ending) step(what proxy.What) *record.Step {
	if e.end == nil {
		return nil
	}
	i := slices.IndexFunc(e.end.Steps, func(s record.Step) bool { return s.What == what })
	if i < 0 {
		return nil
	}
	return &e.end.Steps[i]
}

// atOnce is the time between two things that one signal to several processes causes.
const atOnce = 100 * time.Millisecond

// cause is the step that began the end. If something sent a signal to acpshim and to the agent, the
// signal is the cause, whichever was noticed first.
func (e ending) cause() record.Step {
	cause := e.end.Steps[0]
	if cause.What == proxy.AgentExited || cause.What == proxy.AgentClosed {
		for _, s := range e.end.Steps {
			if s.What == proxy.Signaled && s.Signal == e.end.Signal && time.Duration(s.Mono-cause.Mono) < atOnce {
				return s
			}
		}
	}
	return cause
}

// since is the time at which the end began. Requests that came later do not count as open.
func (e ending) since() time.Duration {
	if e.end == nil || len(e.end.Steps) == 0 {
		return 1<<63 - 1
	}
	return time.Duration(e.end.Steps[0].Mono)
}

// isKilled reports whether acpshim killed the agent, or ended it with SIGTERM.
func (e ending) isKilled() bool {
	return e.step(proxy.Killed) != nil || e.step(proxy.Terminated) != nil
}

// agent describes how the agent ended, if it began the end.
func (e ending) agent() string {
	first := e.end.Steps[0]
	switch exit := e.step(proxy.AgentExited); {
	case e.end.Connection != "":
		return terminal.Plain(e.end.Connection, 200)
	case first.What == proxy.AgentRefused:
		return "the agent stopped reading"
	case exit == nil, first.What == proxy.AgentClosed && (e.isKilled() || e.end.Steps[1] != *exit || exit.Mono-first.Mono > int64(time.Second)):
		return "the agent closed its output"
	case e.end.Signal != "":
		return killed(e.end.Signal) + ", not by acpshim,"
	}
	return fmt.Sprintf("the agent ended with status %d", e.end.Status)
}

// after describes what else is not as it should be in the end of a run, as a further part of a
// sentence, or "".
func (e ending) after() string {
	cause := e.cause()
	isAgents := cause.What == proxy.AgentExited || cause.What == proxy.AgentClosed
	signal := func(s record.Step) bool { return s.What == proxy.Signaled && s.Signal == e.end.Signal }
	switch since, n := e.patience(); {
	case e.step(proxy.Killed) != nil && n > 2:
		return fmt.Sprintf("; acpshim killed the agent at signal %d", n)
	case e.step(proxy.Killed) != nil:
		return "; acpshim killed the agent, because it did not end in time after " + since
	case e.step(proxy.Terminated) != nil:
		return "; acpshim ended the agent with SIGTERM, because it did not end in time after " + since
	case isAgents || e.step(proxy.AgentExited) == nil || cause.What == proxy.Signaled && slices.ContainsFunc(e.end.Steps, signal):
	case e.end.Signal != "" && cause.What == proxy.ClientGone:
		return "; then " + killed(e.end.Signal)
	case e.end.Signal != "" && !slices.ContainsFunc(e.end.Steps, signal):
		return "; then " + killed(e.end.Signal) + ", not by acpshim"
	case cause.What != proxy.Signaled && e.step(proxy.Signaled) != nil:
		return fmt.Sprintf("; then acpshim got a signal (%s)", terminal.Plain(e.step(proxy.Signaled).Signal, 40))
	case e.end.Status != 0 && cause.What != proxy.Signaled:
		return fmt.Sprintf("; then the agent ended with status %d", e.end.Status)
	}
	return ""
}

// patience describes since when acpshim waited for the agent to end, and how many signals it had
// got, when it ended the agent itself.
func (e ending) patience() (since string, signals int) {
	for _, s := range e.end.Steps {
		switch s.What {
		case proxy.ClientClosed:
			since = "the client had ended the run"
		case proxy.ClientGone:
			since = "the client had stopped reading"
		case proxy.Signaled:
			since = "the signal"
			signals++
		case proxy.Killed, proxy.Terminated:
			return since, signals
		}
	}
	return since, signals
}
