package versions

import (
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A session is what is kept of a session with an agent of version 2. Its fields are protected by the
// conversation's lock.
type session struct {
	calls     calls
	terminals terminals
	messages  messages
	mode      string // the id of the option that is the mode, "" if none is known

	isRunning bool             // the agent has said so, or has said something since it was idle
	idle      []byte           // the update that ended a turn before its prompt was acknowledged
	held      []*dispatch.Held // the responses of prompts that run
}

// maxID is how long an id may be of which something is kept, in bytes.
const maxID = 1 << 10

func (s *session) size() int {
	return 256 + s.calls.size() + s.terminals.size() + s.messages.size() + len(s.idle) + len(s.mode)
}

// noteMode notes which configuration option of version 2 is the mode.
func (s *session) noteMode(options []byte) {
	elements, _ := wire.Elements(options)
	for _, element := range elements {
		o := open(element)
		if id, ok := o.Text("configId"); ok && len(id) <= maxID {
			if category, _ := o.Text("category"); category == "mode" {
				s.mode = id
			}
		}
	}
}
