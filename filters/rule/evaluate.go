package rule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// An evaluation applies the rules to one message.
type evaluation struct {
	*direction
	rules     []*compiledRule
	allowance *allowance        // of the message's line
	of        *dispatch.Message // gets the changes
}

// Handle implements dispatch.Adapter.
func (c *Chain) Handle(m *dispatch.Message) {
	if c.opts.Place == BesideAgent && m.From == Client && m.Kind == dispatch.Request && m.Method == acp.Initialize && m.Params() != nil {
		c.conversation.SetClient(conversation.ReadClient(m.Params())) // the client as the agent sees it
	}
	p := &evaluation{direction: c.directions[m.From.Index()], allowance: c.spent[m.From.Index()].of(m.Number), of: m}
	msg := message{line: m.Line, object: m.Object, kind: m.Kind, method: m.Method, id: m.ID, update: m.Update, session: m.Session, responseTo: c.responseTo}
	if m.Request != nil {
		msg.responseTo = m.Request.Asked
	}
	if p.rules = p.selection().rules; c.opts.Events.Step != nil {
		p.rules = c.set.rules // Step also gets rules that cannot match
	}
	r := m.Request
	opens := r != nil && m.From == Agent && (r.Creates() || r.Opens())
	if m.From == Agent && !opens && c.releasable.Load() {
		for _, h := range c.release(false) {
			m.BeforeHeld(h.number, h.line)
			m.By(h.cause())
		}
	}
	made := p.applyFrom(0, msg)
	if opens {
		for _, h := range c.release(false) {
			made = append(made, h.line)
			m.By(h.cause())
		}
	}
	if len(made) != 1 || !bytes.Equal(made[0], m.Line) {
		m.Replace(made...)
	}
}

// A spending is what is left of the allowance for one line.
type spending struct {
	allowance
	number int64 // the line's
}

// of returns the allowance for a line, by its dispatch.Message.Number. The messages of a line share
// it. A message without a number has its own.
func (s *spending) of(number int64) *allowance {
	if number != s.number || number == 0 {
		*s = spending{allowance{bytes: maxBytes, messages: maxMessages}, number}
	}
	return &s.allowance
}

// Reasons for records.
var (
	whyChanged  = wire.Reason{Code: "rule.changed", Text: "a rule changes it"}
	whyDropped  = wire.Reason{Code: "rule.dropped", Text: "a rule drops it"}
	whyAnswered = wire.Reason{Code: "rule.answered", Text: "a rule responds to it"}
	whyHeld     = wire.Reason{Code: "rule.held", Text: "a rule holds it until its session is open"}
)

// cause returns what a rule did with a message, if so many messages remain.
func (r *compiledRule) cause(remaining int) wire.Cause {
	switch {
	case remaining > 0:
		return wire.Cause{Name: r.name, Why: whyChanged}
	case r.reply != nil:
		return wire.Cause{Name: r.name, Why: whyAnswered}
	}
	return wire.Cause{Name: r.name, Why: whyDropped}
}

// applyFrom applies the rules from index first on, and returns the resulting lines.
func (p *evaluation) applyFrom(first int, m message) [][]byte {
	for i := first; i < len(p.rules); i++ {
		r := p.rules[i]
		why := p.mismatch(r, &m)
		var made []message
		var err error
		if why == "" {
			made, err = p.carryOut(r, m)
		}
		if p.c.opts.Events.Step != nil {
			p.tell(r, &m, why, made, err)
		}
		if why != "" {
			continue
		}
		if len(made) != 1 || !bytes.Equal(made[0].line, m.line) {
			p.of.By(r.cause(len(made)))
		}
		if len(made) != 1 {
			var lines [][]byte
			for _, m := range made {
				lines = append(lines, p.applyFrom(i+1, m)...)
			}
			return lines
		}
		m = made[0]
	}
	if m.holder != "" {
		held, before := p.c.hold(&m, p.of.Number)
		for _, h := range before {
			p.of.BeforeHeld(h.number, h.line)
			p.of.By(h.cause())
		}
		if held {
			p.of.By(wire.Cause{Name: m.holder, Why: whyHeld})
			return nil
		}
	}
	return [][]byte{m.line}
}

// mismatch returns the key that does not match a message, or "" if the rule matches.
func (p *evaluation) mismatch(r *compiledRule, m *message) string {
	if p.c.opts.Events.Step != nil {
		if why := p.c.excludes(r, p.side); why != "" {
			return why
		}
	}
	return r.mismatch(m)
}

// carryOut carries out a matching rule and returns the resulting messages. If the rule fails, it
// reports that and returns the message as it was.
func (p *evaluation) carryOut(r *compiledRule, m message) ([]message, error) {
	p.c.hits[r.index].Add(1)
	made, err := p.act(r, m)
	if err != nil {
		p.c.fail(r, err)
		return []message{m}, err
	}
	return made, nil
}

// act carries out a rule on a message and returns the resulting messages. If it returns an error,
// the message must stay as it was.
func (p *evaluation) act(r *compiledRule, m message) (made []message, err error) {
	if len(r.edits) > 0 {
		line, err := apply(m.line, r.edits, p.allowance.bytes)
		if err != nil {
			return nil, err
		}
		p.allowance.bytes -= max(0, len(line)-len(m.line))
		if m, err = m.become(line); err != nil {
			return nil, err
		}
	}
	made = []message{m}
	if r.jq != nil {
		if made, err = p.program(r.jq, m); err != nil {
			return nil, fmt.Errorf("jq: %w", err)
		}
	}
	switch {
	case r.drop && m.kind != dispatch.Notification:
		return nil, errNotDropped
	case r.reply != nil && m.kind != dispatch.Request:
		return nil, errNoRequest
	case r.hold && m.kind != dispatch.Notification:
		return nil, errNotHeld
	case r.reply != nil && !p.reply(r, &m):
		return nil, errNotSent
	}
	for i := range made {
		if r.hold {
			made[i].holder = r.name
		}
		if r.log && p.c.opts.Events.Logged != nil {
			p.c.opts.Events.Logged(r.name, p.side, made[i].line)
		}
	}
	switch {
	case r.drop:
		return nil, nil
	case r.reply != nil:
		return nil, nil
	}
	return made, nil
}

// reply responds to a request. It returns false if the peer does not read: then the request goes
// on.
func (p *evaluation) reply(r *compiledRule, m *message) bool {
	if p.of.IsStalled() {
		return false
	}
	p.of.By(r.cause(0))
	if p.c.opts.Place == BesideAgent { // adapters between here and the client take it as the agent's
		p.of.Answer(r.answer(m))
	} else {
		p.of.Reply(r.answer(m))
	}
	return true
}

var (
	errNotDropped = errors.New("only notifications are dropped: whoever waits for a response would wait forever")
	errNoRequest  = errors.New("only requests have a reply")
	errNotHeld    = errors.New("only notifications are held")
	errNotSent    = errors.New("the reply cannot be sent")
	errVanished   = errors.New("it loses or changes a request or an answer: of these it may yield the one it got, by its id, and no other")
)

// program runs a program on a message and returns the resulting messages.
func (p *evaluation) program(jq *program, m message) ([]message, error) {
	if p.allowance.until.IsZero() {
		p.allowance.until = time.Now().Add(maxTime)
	}
	ctx, cancel := context.WithDeadline(context.Background(), p.allowance.until)
	defer cancel()
	p.allowance.ctx = ctx
	values, err := jq.run(m.line, p.allowance)
	if err != nil {
		return nil, err
	}
	var made []message
	calls := 0 // requests and responses
	for _, v := range values {
		next, err := m.next(append(v, m.line[m.object.End:]...))
		if err != nil {
			return nil, err
		}
		if next.kind != dispatch.Notification {
			calls++
			if next.kind != m.kind || wire.ID(next.id) != wire.ID(m.id) {
				return nil, errVanished
			}
		}
		made = append(made, next)
	}
	if want := m.kind != dispatch.Notification; want && calls != 1 || !want && calls != 0 {
		return nil, errVanished
	}
	return made, nil
}
