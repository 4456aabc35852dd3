package versions

import (
	"bytes"
	"slices"
	"strconv"

	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// Version 1 answers a prompt at the end of its turn. Version 2 answers it when the agent has taken
// it in, and tells by an update that the agent is idle.

// A turn is what is known of the turn of a session with an agent of version 2. Its fields are
// protected by the conversation's lock.
type turn struct {
	isRunning bool             // the agent has said so
	isAsked   bool             // a prompt was pending when it said so
	hasSpoken bool             // it has said something since a prompt was acknowledged
	tells     bool             // it says when it runs
	cancelled bool             // the client has cancelled the turn
	idle      []byte           // the update that ended the turn of a prompt that is not acknowledged
	held      []*dispatch.Held // the responses of prompts that run
}

// acknowledged holds the response of a prompt that the agent has taken in, until the agent is idle.
func (t *turn) acknowledged(h *dispatch.Held) {
	if len(t.held) == 0 {
		t.hasSpoken = false
	}
	t.held = append(t.held, h)
	if idle := t.idle; idle != nil {
		t.end(open(idle))
	}
}

// state takes in what an agent says of itself. Pending reports whether a prompt is pending. An
// agent may say again what it has said: that ends no turn, unless it has not said that one began.
func (t *turn) state(update *wire.Object, raw []byte, pending bool) {
	reason, hasReason := update.Text("stopReason")
	switch state, _ := update.Text("state"); {
	case state == "running" || state == "requires_action":
		t.tells = true
		if !t.isRunning {
			t.isAsked = pending
		}
		t.isRunning, t.idle = true, nil
	case state != "idle":
	case len(t.held) > 0 && (t.isRunning || t.cancelled && reason == "cancelled" || (t.hasSpoken || !t.tells) && hasReason):
		t.end(update)
	case t.isRunning && pending && t.isAsked:
		t.isRunning = false
		if t.idle = bytes.Clone(raw); len(raw) > maxIdle {
			t.idle = object(nil).with("stopReason", update.Raw("stopReason")).json()
		}
	default:
		t.isRunning = false
	}
}

// maxIdle bounds what is kept of an update that ends a turn, in bytes.
const maxIdle = 64 << 10

// end answers the prompts of a turn.
func (t *turn) end(idle *wire.Object) {
	t.answer("the agent is idle: the turn has ended", func(id []byte) []byte { return turnEnd(id, idle) })
}

// answer answers the prompts that run.
func (t *turn) answer(why string, response func(id []byte) []byte) {
	for _, h := range t.held {
		h.Because(why).ContinueLocked(response(wire.Pointer{"id"}.Raw(h.Line())))
	}
	*t = turn{tells: t.tells}
}

// turnEnd is the response to a prompt that ends as idle says.
func turnEnd(id []byte, idle *wire.Object) []byte {
	reason, _ := idle.Text("stopReason")
	if reason == "error" {
		failure := open(idle.Raw("error"))
		if _, err := strconv.Atoi(string(failure.Raw("code"))); err != nil || !wire.IsString(failure.Raw("message")) {
			return wire.Refusal(id, -32603, "the agent has ended the turn with an error")
		}
		return refusal(id, idle.Raw("error"))
	}
	if !slices.Contains([]string{"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"}, reason) {
		reason = "end_turn"
	}
	return wire.Result(id, object(nil).text("stopReason", reason).with("usage", present(idle.Raw("usage"))).with("_meta", present(idle.Raw("_meta"))).json())
}
