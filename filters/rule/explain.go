package rule

import (
	"bytes"
	"errors"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A Step is what one rule did with one message.
type Step struct {
	From    Side
	Rule    string
	Matched bool   // it applies to the message
	WhyNot  string // if not: its key that is not met, such as "when.has /params/a"
	Want    string // if not: what it wants there, a JSON value or a text in quotes; "" if that says nothing
	Is      string // what is there in its place, likewise
	Before  []byte
	After   [][]byte // the message as the rule left it; other messages; or none
	Reply   []byte   // the response that the rule sends; nil if it sends none
	Logged  bool
	Held    bool   // it waits if its session is not open yet
	Did     string // what it did, in words; "" if the fields above say that
	Err     error  // why the rule was not carried out and left the message as it was
}

// tell reports what a rule did with a message, or the key that is not met.
func (p *evaluation) tell(r *compiled, m *message, why string, made []message, err error) {
	s := Step{From: p.side, Rule: r.name, Matched: why == "", WhyNot: why, Before: bytes.Clone(m.line), Err: err}
	if why != "" {
		s.Want, s.Is = p.c.difference(r, why, m, p.side)
	} else if err == nil {
		s.Logged, s.Held = r.log, r.hold
		if r.reply != nil {
			s.Reply = r.answer(m)
		}
	}
	for i := range made {
		s.After = append(s.After, bytes.Clone(made[i].line))
	}
	p.c.opts.Events.Step(s)
}

// Unclear returns why no rule is applied to a line. It is nil for a message and for a batch.
func Unclear(line []byte) error {
	_, err := readMessage(line)
	if !errors.Is(err, wire.ErrNotObject) {
		return err
	}
	elements, err := wire.Batch(line)
	switch {
	case errors.Is(err, wire.ErrNotArray):
		return errors.New("no JSON object, and no list of them")
	case err == nil && len(elements) == 0:
		return errors.New("a list of no messages")
	}
	return err
}

// Known is what is known of a line that is explained.
type Known struct {
	From Side
	conversation.Peers
	ResponseTo string          // the method of the request that a response answers
	Switches   map[string]bool // which rules are on or off, see [Options]
}

// Explain returns what each rule does with each message of a line. Replies are sent to nobody.
func (s *Set) Explain(line []byte, k Known) []Step {
	var steps []Step
	c := conversation.New(conversation.Options{Peers: k.Peers})
	chain := s.NewChain(Options{
		Conversation: c,
		Switches:     func(Peer, Peer) map[string]bool { return k.Switches },
		Events:       Events{Step: func(step Step) { steps = append(steps, step) }},
	})
	chain.responseTo = k.ResponseTo
	d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{chain}})
	if k.From == Client {
		d.FromClient().Rewrite(nil, line)
	} else {
		d.FromAgent().Rewrite(nil, line)
	}
	return steps
}
