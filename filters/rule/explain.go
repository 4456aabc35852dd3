package rule

import "bytes"

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
	Replied bool     // it was answered; the answer goes to Options.Reply
	Logged  bool
	Held    bool  // it is held if its session is not open
	Err     error // why it left the message as it was
}

// Explain tells what the rules do with a line from a side, of a connection of
// which the facts are known and nothing else. Replies go nowhere.
func (s *Set) Explain(line []byte, from Side, facts Facts) []Step {
	var steps []Step
	c := s.newChain(Options{
		Reply: func(Side, []byte) bool { return true },
		Events: Events{Step: func(step Step) {
			step.Before = bytes.Clone(step.Before)
			for i := range step.After {
				step.After[i] = bytes.Clone(step.After[i])
			}
			steps = append(steps, step)
		}},
	}, facts)
	c.end(from).Rewrite(nil, line)
	return steps
}
