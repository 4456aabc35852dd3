package view

import (
	"fmt"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// A wait is a request that has no response.
type wait struct {
	*history.Message
	isHeld      bool // the receiver did not get it
	isCancelled bool // by its sender
}

// isAccepted reports whether a request is a prompt that the agent only accepted.
func isAccepted(r *history.Message) bool {
	return r.Method == acp.SessionPrompt && r.Response != nil && r.End() == r.Response && stopReason(r.Response) == "accepted"
}

// owes is who has to act next, so that the sender gets a response.
func (w *wait) owes() wire.Side {
	isEnding := w.Got != nil && w.Got.Ending() != nil
	switch {
	case w.isHeld, w.Response != nil && !w.isTurn() && !isEnding:
		return history.Acpshim
	case w.Message.Message.Dir == record.Client:
		return record.Agent
	}
	return record.Client
}

// isTurn reports whether the agent accepted a prompt, as in version 2, but did not end its turn.
func (w *wait) isTurn() bool {
	return w.Response != nil && w.Method == acp.SessionPrompt && stopReason(w.Response) == "accepted"
}

// respond is what has to be done with the request, in the past.
func (w *wait) respond() string {
	if w.isTurn() {
		return "ended"
	}
	return "responded to"
}

// String names the request, or its turn.
func (w *wait) String() string {
	text := fmt.Sprintf("#%d %s", w.Seq, terminal.Plain(w.Method, 60))
	if w.isTurn() {
		text = "the turn of " + text
	}
	if w.IsOwn() {
		if text += " of acpshim"; w.For != nil {
			text += fmt.Sprintf(" (for #%d)", w.For.Seq)
		}
	}
	return text
}

// going is a time that still goes on, without what changes faster than people read.
func going(d time.Duration) string {
	switch {
	case d < time.Second:
		return terminal.Duration(max(d, 0))
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return d.Truncate(time.Second).String()
}

// waiting describes for whom a run waits.
func waiting(w *wait) string {
	switch {
	case w.owes() != history.Acpshim:
		return fmt.Sprintf("waiting for the %s: %v", w.owes(), w)
	case w.isHeld:
		return fmt.Sprintf("waiting for acpshim, which holds %v", w)
	}
	return fmt.Sprintf("waiting for acpshim, which holds the response #%d to %v", w.Response.Seq, w)
}

// clause describes which request was open when somebody ended the run: "" for none.
func clause(who wire.Side, w *wait, at time.Duration) string {
	if w == nil {
		return ""
	}
	what := fmt.Sprintf("%v, %s", w, terminal.Duration(max(at-w.Mono, 0)))
	switch owes, asks := w.owes(), w.Sender(); {
	case owes == history.Acpshim && w.isHeld:
		return " while acpshim held " + what
	case owes == history.Acpshim:
		return " while acpshim held the response to " + what
	case who == owes:
		return fmt.Sprintf(" before it %s %s", w.respond(), what)
	case who == asks:
		return fmt.Sprintf(" while it waited for %s: %s", theSide(owes), what)
	default:
		return fmt.Sprintf(" while %s waited for %s: %s", theSide(asks), theSide(owes), what)
	}
}
