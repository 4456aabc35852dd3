package dispatch

import (
	"slices"
	"time"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// A Port lets an adapter act outside of Handle. Pass, Send, Make and Respond never block and keep
// their order. A line goes to the other side of from, as if from had sent it. They return false if
// the direction has ended. The lines have line ends, and the Port owns their bytes from then on.
type Port struct {
	dispatcher *Dispatcher
	adapter    Adapter
}

func (p *Port) cause(why wire.Reason) wire.Cause {
	return wire.Cause{Name: p.adapter.Name(), Why: why}
}

// Pass passes a line to the next adapters.
func (p *Port) Pass(from Side, line []byte, why wire.Reason) bool {
	return p.dispatcher.post(from, post{at: p.dispatcher.indexOf(from, p.adapter) + 1, line: line, by: p.cause(why), from: p.dispatcher.current})
}

// GoOn is Pass for a line that the adapter has kept, as the number-th held one of its sender: see
// Message.Number.
func (p *Port) GoOn(from Side, number int64, line []byte, why wire.Reason) bool {
	origin := wire.Origin{From: from, Number: number}
	return p.dispatcher.post(from, post{at: p.dispatcher.indexOf(from, p.adapter) + 1, line: line, by: p.cause(why), from: origin, goesOn: true})
}

// Send sends lines past all adapters except for a [Translator]: a request of acpshim's own in
// version 1, or a notification about one.
func (p *Port) Send(from Side, lines []byte, why wire.Reason) bool {
	return p.dispatcher.post(from, post{at: p.dispatcher.indexOf(from, p.adapter) + 1, isOwn: true, line: lines, by: p.cause(why), from: p.dispatcher.current})
}

// Make calls produce between two lines of the agent and passes its lines to the next adapters, on
// their way to the client.
func (p *Port) Make(why wire.Reason, produce func() (lines []byte)) bool {
	return p.dispatcher.Make(p.adapter, why, produce)
}

// Shows notes that a line, which the adapter makes in this call, shows a plan with all its updates
// up to the number-th held line of the agent.
func (p *Port) Shows(line []byte, number int64) {
	d := p.dispatcher
	if d.shows == nil {
		d.shows = newShownPlans()
	}
	d.shows.add(line, wire.Origin{From: Agent, Number: number})
}

// Respond responds to a pending request, wherever it is: if an adapter holds it or its response,
// the hold ends. A later response of the receiver is dropped. Respond returns false if the response
// is already on its way.
func (p *Port) Respond(r *conversation.Request, response []byte, why wire.Reason) bool {
	d := p.dispatcher
	if h, isHeld := d.held.Get(r); isHeld {
		if h.Because(why); h.kind == Response && !r.HasResponse() {
			return h.respondLate(response)
		}
		return h.Answer(response)
	}
	return d.conversation.RespondLate(r) && d.respond(r.From, d.indexOf(r.From, p.adapter), response, p.cause(why), r)
}

// Settle ends a pending request whose sender knows its outcome in another form. What an adapter
// holds of it is dropped, and so is a later response of the receiver. A response that is on its way
// still passes the adapters.
func (p *Port) Settle(r *conversation.Request) {
	d, isSettled := p.dispatcher, false
	if h, isHeld := d.held.Get(r); isHeld && h.kind == Request {
		isSettled = h.end(conversation.Respond) // its receiver has not got it
	} else if isHeld {
		h.drop()
		isSettled = r.HasResponse() // unless it was sent again
	}
	if isSettled || d.conversation.RespondLate(r) {
		d.conversation.Forget(r.From, r.ID)
	}
}

// Await calls wait, which may wait for a disk, in the middle of a call of Handle. Until it returns,
// the lines of this side wait, and those of the other side go on. So the conversation and the
// adapter's state may have changed. It is for what the next line must not overtake; everything else
// is done in a goroutine that calls [Port.Do].
func (p *Port) Await(wait func()) {
	p.dispatcher.mu.Unlock()
	defer p.dispatcher.mu.Lock()
	wait()
}

// Begin calls begin after the current call, when adapters may run again, but before the next line
// of this side. It is for what takes long and ends with [Port.Do], such as a command.
func (p *Port) Begin(begin func()) { p.dispatcher.begins = append(p.dispatcher.begins, begin) }

// Do calls f as if it were a method of the adapter, from another goroutine: when something that the
// adapter began has ended.
func (p *Port) Do(f func()) {
	d := p.dispatcher
	defer d.enter()()
	i := slices.Index(d.opts.Adapters, p.adapter)
	if d.off[i] {
		return
	}
	defer func() {
		if reason := recover(); reason != nil {
			d.switchOff(i, reason)
		}
	}()
	f()
}

// After calls f as Do does, when a time has passed, unless the Timer is stopped.
func (p *Port) After(wait time.Duration, f func()) *Timer {
	t := &Timer{}
	t.timer = time.AfterFunc(wait, func() {
		p.Do(func() {
			if !t.isStopped {
				f()
			}
		})
	})
	return t
}

// A Timer is a call that is due: see [Port.After].
type Timer struct {
	timer     *time.Timer
	isStopped bool
}

// Stop prevents the call. A nil Timer is not due.
func (t *Timer) Stop() {
	if t != nil {
		t.isStopped = true
		t.timer.Stop()
	}
}
