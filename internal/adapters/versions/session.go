package versions

import "acpshim/internal/chain/wire"

// A session is the state of a session with an agent of version 2.
type session struct {
	charge  func(bytes int) bool      // see [dispatch.Port.Charge]
	cleared func(call, member string) // see [conversation.Conversation.ForgetCall]
	shown
	before   *shown // while the session is loaded; else nil
	turn     turn
	draws    bool // the client draws terminals that the _meta of tool calls reports
	links    bool // the client announces support for subagents
	subagent *subagent
	mode     string // the id of the option for the mode, or ""
	skills   string // the names of the skills, each between two spaces
}

// maxID is the maximum length of an id in the state, in bytes.
const maxID = 1 << 10

func (s *session) size() int {
	return 256 + s.shown.size() + s.before.size() + len(s.turn.idle) + len(s.mode) + len(s.skills) + s.subagent.size()
}

func (s *session) noteMode(options []byte) {
	elements, _ := wire.Elements(options)
	for _, element := range elements {
		o := open(element)
		if id, ok := o.Text("configId"); ok && len(id) <= maxID && textOf(o, "category") == "mode" {
			s.mode = id
		}
	}
}
