package watch

import (
	"fmt"
	"time"

	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
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
	case end != nil && r.verdict != nil:
		colour := terminal.None
		if r.verdict.IsBad {
			colour = terminal.Red
		}
		say(colour, "%s; ended with status %d after %s", r.verdict.Text, end.Status, clock(r.end.Mono))
	case r.last.over:
		say(terminal.Red, "cut off: %s", r.verdict.Text)
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
	} else if v := r.judge.Live(now); r.verdict == nil && r.isNewest && v.Short != "-" {
		say(terminal.Yellow, ", %s", v.Text)
		if n > 1 {
			say(terminal.Yellow, ", %d pending", n)
		}
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
