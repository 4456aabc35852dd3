package rule

import (
	"bytes"
	"errors"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A Step is what one rule did with one message.
type Step struct {
	From    Side
	Rule    string
	Matched bool
	WhyNot  string // the key that does not match, such as "when.has /params/a"; "" if the rule matched
	Want    string // the rule's value for that key, as JSON or a quoted text; may be empty
	Is      string // the message's value, likewise
	Before  []byte
	After   [][]byte // the messages that the rule left
	Reply   []byte   // the response that the rule sends; may be nil
	Logged  bool
	Held    bool   // the message waits if its session is not open yet
	Did     string // what the rule did, if the fields above do not say it
	Err     error  // why the rule failed and left the message as it was
}

// tell reports a Step.
func (p *evaluation) tell(r *compiledRule, m *message, why string, made []message, err error) {
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

// Unclear returns why no rule is applied to a line. It returns nil for a message and for a batch.
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

// Known is the context of a line to explain.
type Known struct {
	From Side
	conversation.Peers
	ResponseTo string          // the method of the request, if the line is a response
	Switches   map[string]bool // rules that are on or off, see [Options]
}

// Explain returns what each rule does with each message of a line. It sends no replies.
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
