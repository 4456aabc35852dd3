package proxy

import "syscall"

// agent returns the current agent, which may have ended. Any goroutine may call it.
func (r *run) agent() Peer { return *r.current.Load() }

// start starts an agent, or connects to one. The goroutine of loop calls it.
func (r *run) start() (err error) {
	var a Peer
	if r.Connect != nil {
		a, err = r.Connect()
	} else {
		a, err = startProgram(r.Options)
	}
	if err == nil {
		r.current.Store(&a)
	}
	return err
}

// replace ends an agent whose output has ended, and starts it again, unless the run ends. The
// goroutine of loop calls it.
func (r *run) replace() {
	if !r.state.lasts() {
		r.Restarted(false)
		return
	}
	if r.Connect == nil {
		r.Log.Info().Msg("restarting the agent to try the other version of the protocol")
	} else {
		r.Log.Info().Msg("connecting again to try the other version of the protocol")
	}
	select {
	case <-r.Restart: // it must not kill the new agent
	default:
	}
	old := r.agent()
	if !r.state.exited {
		old.Signal(syscall.SIGKILL)
		<-old.Exited()
	}
	old.Close(0)
	r.ToAgent.exclude(func() { // each line goes either to the old agent or to the new one
		err := r.start()
		if err != nil {
			r.Log.Error().Err(err).Msg("the agent cannot be restarted")
		} else {
			r.apply(agentReplaced)
		}
		r.Restarted(err == nil)
	})
}

// restart replaces an agent whose output has ended, if [Options.Restarts] says so. It reports
// whether there is a new agent. The goroutine that reads the output calls it.
func (r *run) restart() bool {
	if r.Restarts == nil || !r.Restarts() {
		return false
	}
	old, done := r.agent(), make(chan struct{})
	select {
	case r.replacements <- done:
		<-done
	case <-r.ended:
	}
	return r.agent() != old
}

// input writes to the agent. Bytes that an agent has not read before it is replaced are lost.
type input run

func (i *input) Write(p []byte) (int, error) {
	n, err := (*run)(i).agent().Write(p)
	if err != nil && i.Restarts != nil && i.Restarts() {
		return len(p), nil
	}
	return n, err
}
