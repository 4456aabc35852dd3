package view

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// A Judge takes in the messages of a record in order, and decides what went wrong. The zero value
// is ready for use.
type Judge struct {
	open []*wait // requests whose senders have no response, in order
	cut  []*wait // requests that got an error because the agent had ended
	findings
}

// maxWaits bounds the requests that a Judge knows as open.
const maxWaits = 1 << 12

// Add takes in the next message.
func (j *Judge) Add(m *history.Message) {
	switch {
	case m.Kind == history.Request && (m.Message.Received() || m.IsOwn()):
		if j.ask(m); j.isRepeated(m) {
			// It is not known to which one the next response is.
		} else if len(j.open) < maxWaits {
			j.open = append(j.open, &wait{Message: m, isHeld: m.Message.Stage == "in"})
		}
		if m.Got != nil && m.Got.Seq < m.Seq { // acpshim's response was recorded before the request
			j.finish(m, m.Got)
		}
	case m.Kind == history.Request && m.Of != nil:
		if i := j.find(m.Of); i >= 0 {
			j.open[i].isHeld = false
		}
	case m.Kind == history.Response && m.Request != nil:
		if r := m.Request; r.Got == m || r.IsOwn() && r.Response == m {
			j.finish(r, m)
		}
	}
	j.look(m)
}

func (j *Judge) find(r *history.Message) int {
	return slices.IndexFunc(j.open, func(w *wait) bool { return w.Message == r })
}

// finish takes in the response that the sender of a request got. A response of version 2 to a
// prompt does not end the turn.
func (j *Judge) finish(r, response *history.Message) {
	i := j.find(r)
	if i < 0 || isAccepted(r) {
		return
	}
	if response.Ending() != nil {
		j.cut = append(j.cut, j.open[i])
	} else {
		j.respond(j.open[i], response)
	}
	j.open = slices.Delete(j.open, i, i+1)
}

// innermost returns the request that blocks the others, or nil: a prompt waits for the requests
// that are sent in its session meanwhile. Requests that came after the run's end began do not
// count.
func (j *Judge) innermost(e ending) *wait {
	all := slices.Clone(j.open)
	if !e.goesOn { // else their senders wait no more
		all = append(all, j.cut...)
	}
	all = slices.DeleteFunc(all, func(w *wait) bool { return w.Mono > e.since() })
	slices.SortStableFunc(all, func(a, b *wait) int { return cmp.Compare(a.Seq, b.Seq) })
	if len(all) == 0 {
		return nil
	}
	isOf := func(w *wait) bool { return w.Sender() == record.Client }
	outer := slices.IndexFunc(all, func(w *wait) bool { return isOf(w) && w.Method == acp.SessionPrompt })
	if outer < 0 {
		outer = max(slices.IndexFunc(all, isOf), 0)
	}
	for _, w := range slices.Backward(all[outer+1:]) {
		if !isOf(w) && (w.For == all[outer].Message || w.Session != "" && w.Session == all[outer].Session) {
			return w
		}
	}
	return all[outer]
}

// isRepeated reports whether a request has the id of an open one of its sender.
func (j *Judge) isRepeated(m *history.Message) bool {
	i := slices.IndexFunc(j.open, func(w *wait) bool { return w.ID == m.ID && w.Sender() == m.Sender() })
	if i < 0 || m.IsOwn() {
		return false
	}
	j.note(m.Sender(), m, "used the id %s of #%d again before it got the response", terminal.Plain(m.ID, 40), j.open[i].Seq)
	remember(&j.repeated, m.ID, true)
	j.open = slices.Delete(j.open, i, i+1)
	return true
}

// also names the first request that waits for the client, if the run waits for somebody else.
func (j *Judge) also(w *wait) string {
	if w.owes() == record.Client {
		return ""
	}
	for _, other := range j.open {
		if other.owes() == record.Client {
			return "; also " + waiting(other)
		}
	}
	return ""
}

// Miss tells the Judge what is missing in the record.
func (j *Judge) Miss(m record.Missing) {
	j.isPart = j.isPart || m.Before > 0 || m.Gaps > 0 || m.Entries > 0 || m.Broken > 0
}

// Live returns the verdict on a run that goes on.
func (j *Judge) Live(now time.Time) Verdict {
	return j.judged(ending{goesOn: true, isWhole: !j.isPart}, now)
}

// End returns the verdict on a run that ended at a time, as the end of its record says; nil is for
// a record without one. No message may come later.
func (j *Judge) End(end *record.End, at time.Duration) Verdict {
	return j.judged(ending{end: end, at: at, isWhole: !j.isPart}, time.Time{})
}

// judge returns the verdict on a run, which goes on or not, and who judged it.
func judge(h *history.History, goesOn bool) (Verdict, *Judge) {
	j := &Judge{}
	last := uint64(0)
	for m, r := range h.All() {
		if j.isPart = j.isPart || r.Gap != nil || r.Seq > last+1; m != nil {
			j.Add(m)
		}
		last = r.Seq
	}
	j.Miss(h.Missing)
	if goesOn && h.End == nil {
		return j.Live(time.Now()), j
	}
	return j.End(h.End, h.Ended), j
}

// judged returns the verdict on a run.
func (j *Judge) judged(e ending, now time.Time) (v Verdict) {
	w := j.innermost(e)
	if w != nil {
		v.Seq = w.Seq
	}
	if !e.goesOn {
		j.close(e, w)
	}
	switch {
	case e.goesOn && w != nil:
		v.Text, v.Short = waiting(w)+", "+going(now.Sub(w.Time))+j.also(w), "waits for "+string(w.owes())
	case e.goesOn:
		const idle = "the run goes on, and no request is open"
		v = j.fine(idle, idle)
	case e.end == nil:
		v.Text, v.Short, v.IsBad = "the record has no end", "cut off", true
		if w != nil {
			v.Text += "; it was " + waiting(w)
		}
	case e.end.NotStarted != "":
		v.Text, v.Short, v.IsBad = "the agent was not started: "+terminal.Plain(e.end.NotStarted, 200), "not started", true
	case len(e.end.Steps) == 0:
		v.unknown(j, e, w)
	default:
		v.known(j, e, w)
	}
	if !e.isWhole {
		v.Text = "as far as it was recorded: " + v.Text
	}
	return v
}

// fine is the verdict on a run that ended well, or that goes on. If something else went wrong, it
// has the first of that.
func (j *Judge) fine(well, but string) Verdict {
	all := j.Wrong()
	if len(all) == 0 {
		return Verdict{Text: well, Short: "-"}
	}
	text := all[0].String()
	if more := len(all) - 1; more > 0 {
		text += fmt.Sprintf("; %d more below", more)
	}
	return Verdict{Text: text + "; " + but, Short: terminal.Count(len(all), "problem", "problems"), IsBad: true, problems: len(all)}
}
