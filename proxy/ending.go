package proxy

import (
	"cmp"
	"time"
)

// endRequests lets [Options.Ended] respond to the client's pending requests, after the output of
// the agent was delivered. The goroutine of the agent's pump calls it. It returns an error of
// writing.
func (r *run) endRequests(p *pump) error {
	if r.Owes == nil || r.Ended == nil || r.isUnread.Load() || !r.Owes() {
		return nil
	}
	r.isSilent.Store(true)
	status, ok := r.awaitExit()
	if !ok {
		return nil
	}
	for range maxEndings {
		r.Ended(status)
		if err := p.flushLast(); err != nil || !r.Owes() {
			return err
		}
	}
	return nil
}

// maxEndings is how often Ended is called if what it adds is held again.
const maxEndings = 3

// awaitExit returns how the agent ended, or nil if it still runs after the grace. It reports false
// if the run is over meanwhile.
func (r *run) awaitExit() (status *Status, ok bool) {
	agent := r.agent()
	grace := time.NewTimer(cmp.Or(r.InputGrace, r.TermGrace))
	defer grace.Stop()
	select {
	case <-agent.Exited():
		s := agent.Status()
		return &s, true
	case <-grace.C:
		return nil, true
	case <-r.ended:
		return nil, false
	}
}

// flushLast writes what the interceptor adds after the end of the input.
func (p *pump) flushLast() error {
	if p.inject != nil {
		p.inject.turn <- struct{}{}
		defer func() { <-p.inject.turn }()
		if p.inject.failed != nil {
			return errWrite{p.inject.failed}
		}
	}
	p.taken, p.out = 0, p.out[:0]
	err := p.flushAll(0, p.final)
	if err == nil {
		err = p.write(nil)
	}
	if err != nil {
		return errWrite{err}
	}
	return nil
}
