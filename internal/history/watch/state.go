package watch

import (
	"fmt"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/terminal"
)

// state describes the state of the run.
func (r *run) state(now time.Time) (parts []terminal.Part) {
	say := func(colour terminal.Colour, format string, args ...any) {
		parts = append(parts, terminal.Part{Text: fmt.Sprintf(format, args...), Colour: colour})
	}
	end := r.end.End
	switch {
	case r.isPaused:
		more := ""
		if r.isFull() {
			more = "more than "
		}
		say(terminal.Yellow, "paused, %s%s came since", more, terminal.Count(r.heldSent, "message", "messages"))
	case r.last.err != nil:
		say(terminal.Red, "the record cannot be read: %v", r.last.err)
	case end != nil:
		colour, signal := terminal.None, ""
		if end.Status != 0 {
			colour = terminal.Red
		}
		if end.Signal != "" {
			signal = ", killed by a signal (" + terminal.Plain(end.Signal, 30) + ")"
		}
		say(colour, "ended with status %d%s after %s", end.Status, signal, clock(r.end.Mono))
	case r.last.over:
		say(terminal.Red, "cut off: the record has no end")
	case r.last.isGone:
		say(terminal.Red, "the record was removed")
	case !r.isNewest:
		say(terminal.None, "reading")
	default:
		say(terminal.Green, "running")
	}
	if !r.isPaused {
		say(terminal.None, ", %s", terminal.Count(r.sent, "message", "messages"))
	}
	if n := len(r.asked); n > 0 && r.last.over {
		say(terminal.Red, ", %s without a response", terminal.Count(n, "request", "requests"))
	} else if n > 0 && r.isNewest {
		say(terminal.Yellow, ", %d pending, #%d %s for %s", n, r.asked[0].Seq, terminal.Name(r.asked[0].Method), clock(now.Sub(r.asked[0].Time)))
	}
	if r.kept.dropped > 0 {
		say(terminal.Dim, ", %d older rows are not kept", r.kept.dropped)
	}
	missing := r.last.missing
	missing.Ended = true // is described above
	for _, text := range []string{history.ListMissing(missing, false), history.WarnNewer(r.last.schema)} {
		if text != "" {
			say(terminal.Red, "; %s", text)
		}
	}
	return parts
}
