package rule

import (
	"bytes"
	"errors"
	"slices"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A Step is a rule that met a message. Bytes are those of the line, and valid
// during the call that tells of it.
type Step struct {
	From    Side
	Rule    string
	Looked  bool   // the values that it asks for were looked at: the rest applies
	Matched bool   // it was carried out
	WhyNot  string // the key of the rule that kept it from matching
	Before  []byte
	After   [][]byte // what it made of the message: itself, others, or none
	Reply   []byte   // the line that answers it; nil if it was not answered
	Logged  bool
	Held    bool  // it is held if its session is not open
	Err     error // why it left the message as it was
}

// Clone returns a copy with bytes of its own.
func (s Step) Clone() Step {
	s.Before, s.Reply, s.After = bytes.Clone(s.Before), bytes.Clone(s.Reply), slices.Clone(s.After)
	for i, line := range s.After {
		s.After[i] = bytes.Clone(line)
	}
	return s
}

// Unclear says why a line meets no rule. It is nil for a message, and for a batch.
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

// Explain tells what the rules do with a line from a side, of a connection of
// which the facts and switches are known and nothing else. Replies go nowhere.
func (s *Set) Explain(line []byte, from Side, facts Facts, switches map[string]bool) []Step {
	var steps []Step
	c := conversation.New(conversation.Options{Peers: facts.peers()})
	chain := s.NewChain(Options{
		Conversation: c,
		ClientName:   facts.ClientName,
		AgentName:    facts.AgentName,
		Reply:        func(string, Side, []byte) bool { return true },
		Switches:     func(Peer, Peer) map[string]bool { return switches },
		Events:       Events{Step: func(step Step) { steps = append(steps, step.Clone()) }},
	})
	chain.responseTo = facts.ResponseTo
	d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{chain}})
	if from == Client {
		d.FromClient().Rewrite(nil, line)
	} else {
		d.FromAgent().Rewrite(nil, line)
	}
	return steps
}
