package proxy

import (
	"os"
	"time"
)

// A rung is a step in ending an agent. Each one is stronger than the one before.
type rung int

const (
	running    rung = iota
	inputShut       // its stdin is closed, so a well-behaved agent ends
	terminated      // its group got SIGTERM, or the signal that acpshim got
	killed          // its group got SIGKILL
)

// A lifecycle is the whole state of a run. Only apply changes it; one goroutine calls apply, which
// returns the actions to take.
type lifecycle struct {
	grace graces

	inputOver  bool      // the direction to the agent has ended
	outputOver bool      // the direction to the client has ended
	exited     bool      // the agent has ended; it is reaped at the end of the run
	asked      int       // the number of signals that asked acpshim to end
	rung       rung      // the current rung
	due        time.Time // the time of the next rung; zero means never
	steps      []Step    // that led to the end
}

// graces holds the times between the rungs. An input of zero means no limit, so that a client can
// wait for responses after it closed its side. A term of zero means no wait. Hurry is the longest
// time after a second signal.
type graces struct{ input, term, hurry time.Duration }

// An event is something that happens to a run.
type event int

const (
	clientEnded   event = iota // the client closed our stdin, or it cannot be read
	agentRefused               // the agent closed its stdin
	agentClosed                // the agent closed its stdout, or it cannot be read
	agentEnded                 // all that the agent wrote was delivered, and what acpshim adds then
	clientGone                 // the client closed our stdout
	agentExited                // the agent's process ended
	agentReplaced              // acpshim started the agent again
	askedToEnd                 // acpshim got a signal that ends programs
	timeOut                    // it is later than due
)

// An action is something to do after an event.
type action int

const (
	shutInput    action = iota // close the agent's stdin
	refuseInput                // close our stdin, so that the client notices that the agent closed its own
	shutOutput                 // close our stdout, so that the client notices the end
	refuseOutput               // close the agent's stdout, so that the agent notices that the client is gone
	drainOutput                // limit the wait for other processes that hold the agent's stdout
	terminate                  // SIGTERM to the agent's group
	kill                       // SIGKILL to the agent's group
)

// over reports whether the run has ended: the agent has ended, and its output was delivered or
// cannot be delivered.
func (l *lifecycle) over() bool { return l.exited && l.outputOver }

// lasts reports whether the run continues with a new agent: only the agent may have ended, and
// nothing asked for the end.
func (l *lifecycle) lasts() bool {
	return !l.inputOver && !l.outputOver && l.asked == 0 && l.rung == running
}

// A view has the facts about the run that apply needs.
type view struct {
	now    time.Time
	heard  time.Time // when the agent last wrote something
	busy   bool      // the client waits for a response, or has not read all output
	signal os.Signal // of askedToEnd
}

// apply changes the state by an event, and returns the actions to take.
func (l *lifecycle) apply(e event, v view) []action {
	l.note(whats[e], v.now, v.signal)
	switch e {
	case clientEnded:
		l.inputOver = true
		if l.rung == running && !l.exited {
			l.rung = inputShut
			if l.grace.input > 0 {
				l.due = v.now.Add(l.grace.input)
			}
		}
		return []action{shutInput}
	case agentRefused:
		l.inputOver = true
		return []action{shutInput, refuseInput}
	case agentEnded:
		l.outputOver = true
		return []action{shutOutput}
	case clientGone:
		l.inputOver, l.outputOver = true, true
		// Nobody is left to read a response.
		if l.rung <= inputShut && !l.exited {
			l.rung, l.due = inputShut, v.now.Add(l.grace.term)
		}
		return []action{refuseOutput, shutInput}
	case agentExited:
		l.exited = true
		l.due = time.Time{}
		if l.asked > 0 {
			// The client may not read the rest, but this process was asked to end.
			l.due = v.now.Add(l.grace.term)
		}
		return []action{drainOutput}
	case agentReplaced:
		l.exited, l.due = false, time.Time{}
		l.steps = nil // a run ends with its last agent
	case askedToEnd:
		return l.askToEnd(v)
	case timeOut:
		return l.climb(v)
	}
	return nil
}

// askToEnd handles a signal that asks acpshim to end. After the first one, which was forwarded to
// the agent, the agent has a grace. The second one shortens the grace, and the third one kills the
// agent.
func (l *lifecycle) askToEnd(v view) []action {
	l.asked++
	switch {
	case l.exited && l.due.IsZero():
		l.due = v.now.Add(l.grace.term)
	case l.exited || l.asked > 2:
		return l.climb(v)
	case l.rung < terminated:
		l.rung, l.due = terminated, v.now.Add(l.grace.term)
	default:
		l.due = v.now.Add(min(l.grace.term, l.grace.hurry))
	}
	return nil
}

// climb climbs the next rung, unless the agent has a reason for more time.
func (l *lifecycle) climb(v view) []action {
	switch {
	case l.exited:
		l.outputOver = true
		return []action{refuseOutput}
	case l.rung == inputShut && v.now.After(l.due.Add(time.Second)):
		l.due = v.now.Add(l.grace.input) // acpshim was stopped, so the agent may have written
	case l.rung == inputShut && !l.outputOver && v.busy:
		l.due = v.now.Add(l.grace.input) // a response is pending
	case l.rung == inputShut && !l.outputOver && v.now.Before(v.heard.Add(l.grace.input)):
		l.due = v.heard.Add(l.grace.input) // the agent still writes
	case l.rung < terminated && l.asked == 0:
		l.rung, l.due = terminated, v.now.Add(l.grace.term)
		l.note(Terminated, v.now, nil)
		return []action{terminate}
	default:
		l.rung, l.due = killed, time.Time{}
		l.note(Killed, v.now, nil)
		return []action{kill}
	}
	return nil
}
