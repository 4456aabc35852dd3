package rule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"acpshim/internal/wire"
)

// A pass is the way of one line through the rules.
type pass struct {
	*end
	rules     []*compiled
	allowance allowance
	cancel    func()
	opened    bool   // it holds an answer that opens a session
	before    []byte // lines that go first
}

func newPass(e *end) *pass {
	return &pass{end: e, allowance: allowance{bytes: maxBytes, messages: maxMessages}, cancel: func() {}}
}

// line appends what becomes of a message that is a line.
func (p *pass) line(dst []byte, m message, err error) []byte {
	made := [][]byte{m.line}
	if err != nil {
		p.unread(err)
		p.opened = p.c.missed(p.side, m.line)
	} else {
		made = p.message(m)
	}
	dst = append(dst, p.before...)
	for i, line := range made {
		if i > 0 {
			dst = endLine(dst)
		}
		dst = append(dst, line...)
	}
	return p.ended(dst)
}

// batch appends what becomes of an array of messages. It stays one line; what one
// of them lets go stands behind it.
func (p *pass) batch(dst, line []byte, elements []wire.Span) []byte {
	with := make([][]byte, len(elements))
	for i, span := range elements {
		m, err := readMessage(line[span.Start:span.End])
		made := [][]byte{m.line}
		if err != nil {
			p.unread(err)
			p.opened = p.c.missed(p.side, m.line)
		} else {
			made = p.message(m)
		}
		for released := range bytes.Lines(p.ended(nil)) {
			made = append(made, bytes.TrimSpace(released))
		}
		if len(made) == 1 && bytes.Equal(made[0], m.line) {
			continue
		}
		with[i] = append([]byte{}, bytes.Join(made, []byte(","))...)
	}
	return wire.SpliceElements(append(dst, p.before...), line, elements, with)
}

// ended appends what the line lets go.
func (p *pass) ended(dst []byte) []byte {
	if p.opened {
		p.opened = false
		var by []string
		dst, by = p.c.release(dst)
		p.changed(by...)
	}
	return dst
}

// changed notes rules that changed the line, each once.
func (p *pass) changed(by ...string) {
	for _, rule := range by {
		if !slices.Contains(p.by, rule) {
			p.by = append(p.by, rule)
		}
	}
}

// message returns the lines that take the place of a message.
func (p *pass) message(m message) [][]byte {
	switch m.kind {
	case request:
		p.c.request(p.side, &m)
	case response:
		if p.c.response(p.side, &m) {
			p.opened = true
		}
	}
	if p.rules = p.selection().rules; p.c.opts.Events.Step != nil {
		p.rules = p.c.set.rules // it is told why the others do not apply
	}
	return p.from(0, m)
}

// from sends a message through the rules from the first on.
func (p *pass) from(first int, m message) [][]byte {
	for i := first; i < len(p.rules); i++ {
		r := p.rules[i]
		step := Step{From: p.side, Rule: r.name, Before: m.line}
		if p.c.opts.Events.Step != nil {
			step.WhyNot = p.c.excludes(r, p.side)
		}
		if step.WhyNot == "" {
			step.WhyNot, step.Looked = r.mismatch(&m)
		}
		if step.WhyNot != "" {
			p.tell(step)
			continue
		}
		p.c.hits[r.index].Add(1)
		made, err := p.act(r, m)
		if err != nil {
			p.c.fail(r, err)
			made = []message{m}
		}
		step.Matched, step.Err = true, err
		if err == nil {
			step.Logged, step.Held = r.log, r.hold
			if r.reply != nil {
				step.Reply = r.answer(&m)
			}
		}
		for i := range made {
			step.After = append(step.After, made[i].line)
		}
		p.tell(step)
		if len(made) != 1 || !bytes.Equal(made[0].line, m.line) {
			p.changed(r.name)
		}
		if len(made) != 1 {
			var lines [][]byte
			for _, m := range made {
				lines = append(lines, p.from(i+1, m)...)
			}
			return lines
		}
		m = made[0]
	}
	if m.holder != "" {
		held, before, by := p.c.hold(&m)
		p.before = append(p.before, before...)
		p.changed(by...)
		if held {
			p.changed(m.holder)
			return nil
		}
	}
	return [][]byte{m.line}
}

func (p *pass) tell(s Step) {
	if p.c.opts.Events.Step != nil {
		p.c.opts.Events.Step(s)
	}
}

// act carries out a rule on a message and returns what it makes of it. The
// error is a reason to leave the message as it was.
func (p *pass) act(r *compiled, m message) (made []message, err error) {
	if len(r.edits) > 0 {
		line, err := apply(m.line, r.edits)
		if err != nil {
			return nil, err
		}
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
	case r.drop && m.kind != notification:
		return nil, errNotDropped
	case r.reply != nil && m.kind != request:
		return nil, errNoRequest
	case r.hold && m.kind != notification:
		return nil, errNotHeld
	case r.reply != nil && (p.c.opts.Reply == nil || !p.c.opts.Reply(r.name, p.side, r.answer(&m))):
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
		p.c.answered(p.side, m.id)
		return nil, nil
	}
	return made, nil
}

var (
	errNotDropped = errors.New("only notifications are dropped: whoever waits for an answer would wait for ever")
	errNoRequest  = errors.New("only requests have a reply")
	errNotHeld    = errors.New("only notifications are held")
	errNotSent    = errors.New("the reply cannot be sent")
	errVanished   = errors.New("it loses or changes a request or an answer: of these it may yield the one it got, by its id, and no other")
)

// program returns the messages that a program makes of one.
func (p *pass) program(jq *program, m message) ([]message, error) {
	if p.allowance.ctx == nil {
		p.allowance.ctx, p.cancel = context.WithTimeout(context.Background(), maxTime)
	}
	values, err := jq.run(m.line, &p.allowance)
	if err != nil {
		return nil, err
	}
	var made []message
	calls := 0 // requests and responses
	for _, v := range values {
		next, err := readMessage(append(v, m.line[m.object.End:]...))
		if err != nil {
			return nil, fmt.Errorf("what it makes is refused: %w", err)
		}
		if m.isSound() && !next.isSound() {
			return nil, errUnsound
		}
		if next.kind != notification {
			calls++
			if next.kind != m.kind || wire.ID(next.id) != wire.ID(m.id) {
				return nil, errVanished
			}
			next.responseTo = m.responseTo
		}
		next.holder = m.holder
		made = append(made, next)
	}
	if want := m.kind != notification; want && calls != 1 || !want && calls != 0 {
		return nil, errVanished
	}
	return made, nil
}
