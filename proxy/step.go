package proxy

import (
	"os"
	"slices"
	"time"
)

// An Ending is how a run ended.
type Ending struct {
	Status
	Steps []Step // what led to it, in order; each What is there once, but each signal
}

// A Step is an event of a run's end. The first one began the end. If something sends a signal to
// acpshim and to the agent, either can be noticed first.
type Step struct {
	What   What
	Signal string // of Signaled, such as "terminated"
	At     time.Time
}

// What happened in a [Step].
type What string

const (
	ClientClosed What = "client-closed" // the client closed its output
	ClientGone   What = "client-gone"   // the client reads no more
	AgentRefused What = "agent-refused" // the agent reads no more
	AgentClosed  What = "agent-closed"  // the agent closed its output
	AgentExited  What = "agent-exited"
	Signaled     What = "signaled"   // acpshim got a signal that ends programs, and forwarded it to a living agent
	Terminated   What = "terminated" // acpshim sent SIGTERM to the agent, which had not ended in time
	Killed       What = "killed"     // acpshim sent SIGKILL to it, for the same reason
)

// maxSteps bounds the steps, because signals can repeat.
const maxSteps = 16

var whats = map[event]What{
	clientEnded: ClientClosed, clientGone: ClientGone, agentRefused: AgentRefused, agentClosed: AgentClosed, agentExited: AgentExited, askedToEnd: Signaled,
}

// note adds a step.
func (l *lifecycle) note(what What, now time.Time, signal os.Signal) {
	isKnown := what != Signaled && slices.ContainsFunc(l.steps, func(s Step) bool { return s.What == what })
	if what == "" || isKnown || len(l.steps) >= maxSteps {
		return
	}
	step := Step{What: what, At: now}
	if signal != nil {
		step.Signal = signal.String()
	}
	l.steps = append(l.steps, step)
}
