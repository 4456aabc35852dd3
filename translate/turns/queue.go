package turns

import (
	"bytes"
	"slices"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// queue queues a turn if another one of its session runs or waits, and there is room. The lock is
// held.
func (a *Adapter) queue(t *turn, line []byte) bool {
	session := t.request.Session
	isFirst := len(a.queues[session]) == 0
	if isFirst && !a.runs(session) || len(a.queues[session]) >= a.On.Queue || a.size+len(line) > maxQueued {
		return false
	}
	t.line = wire.EndLine(bytes.Clone(line))
	a.queues[session] = append(a.queues[session], t)
	a.size += len(t.line)
	t.weighed, _ = a.opts.Conversation.Find(session)
	a.weigh(t, len(t.line))
	return true
}

// isFull reports whether a prompt of a session has to wait, and there is no room for its line.
func (a *Adapter) isFull(session string, line int) bool {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	waiting := len(a.queues[session])
	hasRoom := waiting < a.On.Queue && a.size+line <= maxQueued
	return a.On.Queue > 0 && !hasRoom && (waiting > 0 || a.runs(session))
}

// runs reports whether a prompt of a session was sent to the agent and is pending. The lock is
// held.
func (a *Adapter) runs(session string) bool {
	for _, t := range a.turns {
		if t.request.Session == session && t.line == nil {
			return true
		}
	}
	return false
}

// next returns the first turn that waits, or nil. The lock is held.
func (a *Adapter) next(session string) *turn {
	if queue := a.queues[session]; len(queue) > 0 {
		return queue[0]
	}
	return nil
}

// take takes a turn out of its queue and returns its line. The lock is held.
func (a *Adapter) take(t *turn) (line []byte) {
	session := t.request.Session
	i := slices.Index(a.queues[session], t)
	a.queues[session] = slices.Delete(a.queues[session], i, i+1)
	if len(a.queues[session]) == 0 {
		delete(a.queues, session)
	}
	line, t.line = t.line, nil
	a.size -= len(line)
	a.weigh(t, -len(line))
	return line
}

// weigh tells the conversation what a queued prompt takes. The lock is held.
func (a *Adapter) weigh(t *turn, more int) {
	if t.weighed != nil {
		a.opts.Conversation.Weigh(t.weighed, more)
	}
}

// dequeue takes the turn of a request out of its queue, the first one if r is nil, and returns it;
// nil if it does not wait.
func (a *Adapter) dequeue(session string, r *conversation.Request) *turn {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	for _, t := range a.queues[session] {
		if r == nil || t.request == r {
			a.take(t)
			return t
		}
	}
	return nil
}

// release sends the next prompt of a session to the agent, if none runs. It returns responses to
// those that cannot be sent.
func (a *Adapter) release(session string) (toClient []byte) {
	for {
		a.opts.Conversation.Lock()
		t := a.next(session)
		if t == nil || a.runs(session) {
			a.opts.Conversation.Unlock()
			return toClient
		}
		line := a.take(t)
		a.opts.Conversation.Unlock()
		if !a.opts.Send(dispatch.Agent, line) {
			a.opts.Conversation.Forget(dispatch.Client, t.id)
			toClient = append(toClient, wire.Refusal(t.id, -32603, "the agent takes no more prompts")...)
		}
	}
}
