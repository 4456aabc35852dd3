package proxy

import "time"

// A rung is a step of the ladder by which an agent is made to end.
type rung int

const (
	running    rung = iota
	inputShut       // its stdin is closed: a well-behaved agent ends by itself
	terminated      // its group has been sent SIGTERM, or the signal that we got
	killed          // its group has been sent SIGKILL
)

// lifecycle is the whole state of a run. It changes in apply only, which is
// called from one goroutine; what is to be done about a change is returned.
type lifecycle struct {
	grace graces

	inputOver  bool      // nothing more goes to the agent
	outputOver bool      // nothing more goes to the client
	exited     bool      // the agent has ended; it is reaped when all is over
	asked      int       // how often a signal asked us to end
	rung       rung      // how far the ladder has been climbed
	due        time.Time // when the next rung is; zero: never
}

// graces are the times between the rungs. Zero is no time at all, except for
// input: a client that has said all may then wait for responses as long as it
// likes.
type graces struct{ input, term time.Duration }

// An event is what can happen to a run.
type event int

const (
	clientEnded   event = iota // the client closed our stdin, or it cannot be read
	agentRefused               // the agent closed its stdin
	agentEnded                 // the agent closed its stdout and all of it was delivered, or it cannot be read
	clientGone                 // the client closed our stdout
	agentExited                // the agent's process ended
	agentReplaced              // it was started afresh
	askedToEnd                 // we got a signal that ends a program
	timeOut                    // due has come
)

// An action is what apply wants done, in the order it is returned.
type action int

const (
	shutInput    action = iota // close the agent's stdin
	refuseInput                // close our stdin, so that the client sees what the agent did
	shutOutput                 // close our stdout, so that the client sees the end
	refuseOutput               // close the agent's stdout, so that the agent sees what the client did
	drainOutput                // bound the wait for what others hold the agent's stdout for
	terminate                  // SIGTERM to the agent's group
	kill                       // SIGKILL to the agent's group
)

// over reports whether the run has ended: the agent has, and all it wrote has
// been delivered or cannot be. Whether the client said all it had to say does
// not matter: there is nobody to say it to.
func (l *lifecycle) over() bool { return l.exited && l.outputOver }

// lasts reports whether nothing but the agent has ended yet, nor was asked to.
func (l *lifecycle) lasts() bool {
	return !l.inputOver && !l.outputOver && l.asked == 0 && l.rung == running
}

// A view is what apply can see of the run.
type view struct {
	now   time.Time
	heard time.Time // when the agent last wrote something
	busy  bool      // the client waits for a response, or has not taken what there is
}

// apply changes the state by an event, and returns what is to be done about it.
func (l *lifecycle) apply(e event, v view) []action {
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
		// Nobody is left to take a response: there is nothing to wait for.
		if l.rung <= inputShut && !l.exited {
			l.rung, l.due = inputShut, v.now.Add(l.grace.term)
		}
		return []action{refuseOutput, shutInput}
	case agentExited:
		l.exited = true
		l.due = time.Time{}
		if l.asked > 0 {
			// The client may be asleep over what is left to deliver; we were
			// asked to end all the same.
			l.due = v.now.Add(l.grace.term)
		}
		return []action{drainOutput}
	case agentReplaced:
		l.exited, l.due = false, time.Time{}
	case askedToEnd:
		return l.askToEnd(v)
	case timeOut:
		return l.climb(v)
	}
	return nil
}

// askToEnd is about a signal that asks us to end. The first one was passed on to the
// agent, which gets the grace; the second one shortens it; the third one is the last word.
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
		l.due = v.now.Add(min(l.grace.term, time.Second))
	}
	return nil
}

// climb takes the next rung, unless the agent has a reason to be given more time on its
// own.
func (l *lifecycle) climb(v view) []action {
	switch {
	case l.exited:
		l.outputOver = true
		return []action{refuseOutput}
	case l.rung == inputShut && v.now.After(l.due.Add(time.Second)):
		l.due = v.now.Add(l.grace.input) // we were stopped: the agent may not have been silent
	case l.rung == inputShut && !l.outputOver && v.busy:
		l.due = v.now.Add(l.grace.input) // a response is still to come
	case l.rung == inputShut && !l.outputOver && v.now.Before(v.heard.Add(l.grace.input)):
		l.due = v.heard.Add(l.grace.input) // it has not fallen silent
	case l.rung < terminated && l.asked == 0:
		l.rung, l.due = terminated, v.now.Add(l.grace.term)
		return []action{terminate}
	default:
		l.rung, l.due = killed, time.Time{}
		return []action{kill}
	}
	return nil
}
