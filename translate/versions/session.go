package versions

import "acpshim/internal/wire"

// A session is what is kept of a session with an agent of version 2. Its fields are protected by
// the conversation's lock.
type session struct {
	calls     calls
	terminals terminals
	messages  messages
	turn      turn
	draws     bool   // the client draws terminals that are reported among the _meta of tool calls
	mode      string // the id of the option that is the mode, "" if none is known
}

// maxID is how long an id may be of which something is kept, in bytes.
const maxID = 1 << 10

func (s *session) size() int {
	return 256 + s.calls.bytes + s.terminals.bytes + s.messages.bytes + len(s.turn.idle) + len(s.mode)
}

// noteMode notes which configuration option of version 2 is the mode.
func (s *session) noteMode(options []byte) {
	elements, _ := wire.Elements(options)
	for _, element := range elements {
		o := open(element)
		if id, ok := o.Text("configId"); ok && len(id) <= maxID && textOf(o, "category") == "mode" {
			s.mode = id
		}
	}
}
