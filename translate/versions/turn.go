package versions

import (
	"slices"

	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Version 1 answers a prompt at the end of its turn. Version 2 answers it when the agent has taken
// it in, and tells by an update that the agent is idle.

// acknowledged holds the response of a prompt that the agent has taken in, until the agent is idle.
func (s *session) acknowledged(h *dispatch.Held) {
	s.held = append(s.held, h)
	if idle := s.idle; idle != nil {
		s.end(open(idle))
	}
}

// state takes in what an agent says of itself. Pending reports whether a prompt waits for its
// acknowledgment.
func (s *session) state(update *wire.Object, raw []byte, pending bool) {
	switch state, _ := update.Text("state"); {
	case state != "idle":
		s.isRunning = true
	case !s.isRunning: // it says again what it has said
	case len(s.held) == 0 && pending && len(raw) <= maxIdle:
		s.idle, s.isRunning = clone(raw), false
	default:
		s.end(update)
	}
}

// maxIdle bounds what is kept of an update that ends a turn, in bytes.
const maxIdle = 64 << 10

// end answers the prompts of a turn.
func (s *session) end(idle *wire.Object) {
	s.isRunning, s.idle = false, nil
	for _, h := range s.held {
		h.Because("the agent is idle: the turn has ended").ContinueLocked(turnEnd(wire.Pointer{"id"}.Raw(h.Line()), idle))
	}
	s.held = nil
}

// turnEnd is the response to a prompt that ends as idle says.
func turnEnd(id []byte, idle *wire.Object) []byte {
	reason, _ := idle.Text("stopReason")
	if failure := idle.Raw("error"); reason == "error" {
		if !wire.IsObject(failure) {
			return wire.Refusal(id, -32603, "the agent has ended the turn with an error")
		}
		return append(object(nil).text("jsonrpc", "2.0").with("id", id).with("error", failure).json(), '\n')
	}
	if !slices.Contains([]string{"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"}, reason) {
		reason = "end_turn"
	}
	return wire.Result(id, object(nil).text("stopReason", reason).with("usage", present(idle.Raw("usage"))).with("_meta", present(idle.Raw("_meta"))).json())
}
