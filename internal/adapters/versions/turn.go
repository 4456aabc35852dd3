package versions

import (
	"bytes"
	"slices"
	"strconv"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// In version 1, the agent responds to a prompt at the end of its turn. In version 2, it responds
// when it accepts the prompt, and an update says that the agent is idle.

// A turn is the state of a turn of an agent of version 2.
type turn struct {
	isRunning bool             // the agent said that it runs
	isAsked   bool             // a prompt was pending when the agent said so
	hasSpoken bool             // the agent sent something since it accepted a prompt
	tells     bool             // the agent sends state_update when it runs
	cancelled bool             // the client cancelled the turn
	idle      []byte           // the update that ended the turn before the agent accepted its prompt
	held      []*dispatch.Held // the responses to running prompts
}

// IsEarly implements dispatch.EarlyHolder: the agent responds to a prompt when it accepts it.
func (*Agent) IsEarly(h *dispatch.Held) bool { return h.Request.IsPrompt() }

// hold holds the response to a prompt until the agent is idle.
func (t *turn) hold(h *dispatch.Held) {
	if len(t.held) == 0 {
		t.hasSpoken = false
	}
	t.held = append(t.held, h)
	if idle := t.idle; idle != nil {
		t.end(open(idle))
	}
}

// state handles a state_update. Pending reports whether a prompt is pending. A repeated "idle"
// does not end a turn, unless the agent never says when a turn begins.
func (t *turn) state(update *wire.Object, raw []byte, pending bool) {
	reason, hasReason := update.Text("stopReason")
	switch state, _ := update.Text("state"); {
	case state == acp.StateRunning || state == acp.StateRequiresAction:
		t.tells = true
		if !t.isRunning {
			t.isAsked = pending
		}
		t.isRunning, t.idle = true, nil
	case state != acp.StateIdle:
	case len(t.held) > 0 && t.endsBy(reason, hasReason):
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

// endsBy reports whether "idle" ends the turn: if the agent has said that the turn runs, or says
// with a stop reason that it is over. If the agent has not begun to speak, such a reason may be of
// the turn before, unless it confirms a cancel, or the agent never says when a turn begins.
func (t *turn) endsBy(reason string, hasReason bool) bool {
	isConfirmed := t.cancelled && reason == acp.StopCancelled
	return t.isRunning || isConfirmed || hasReason && (t.hasSpoken || !t.tells)
}

// maxIdle is the maximum size of an update in turn.idle, in bytes.
const maxIdle = 64 << 10

// end responds to the prompts of a turn.
func (t *turn) end(idle *wire.Object) {
	t.answer(whyIdle, func(id []byte) []byte { return turnEnd(id, idle) })
}

func (t *turn) answer(why wire.Reason, response func(id []byte) []byte) {
	for _, h := range t.held {
		h.Because(why).Continue(response(wire.Pointer{"id"}.Raw(h.Line())))
	}
	*t = turn{tells: t.tells}
}

// turnEnd returns the response to a prompt for a state_update with the state idle.
func turnEnd(id []byte, idle *wire.Object) []byte {
	reason, _ := idle.Text("stopReason")
	if reason == "error" {
		failure := open(idle.Raw("error"))
		if _, err := strconv.Atoi(string(failure.Raw("code"))); err != nil || !wire.IsString(failure.Raw("message")) {
			return wire.Refusal(id, -32603, "the agent has ended the turn with an error")
		}
		return refusal(id, idle.Raw("error"))
	}
	if !slices.Contains([]string{acp.StopEndTurn, acp.StopMaxTokens, acp.StopMaxTurnRequests, acp.StopRefusal, acp.StopCancelled}, reason) {
		reason = acp.StopEndTurn
	}
	return wire.Result(id, object(nil).text("stopReason", reason).with("usage", present(idle.Raw("usage"))).with("_meta", present(idle.Raw("_meta"))).json())
}
