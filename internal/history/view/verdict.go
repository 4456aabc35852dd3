package view

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"acpshim/internal/conversation"
	"acpshim/internal/history"
	"acpshim/internal/record"
	"acpshim/internal/terminal"
	"acpshim/internal/wire"
)

// A Verdict says in one line for whom a run waits, who ended it, or that nothing went wrong. It is
// made only of facts in the record, never of the words of a reason or an error. What a record does
// not have, as those of earlier versions, is "not known".
type Verdict struct {
	Text  string `json:"text"`
	Short string `json:"short"`         // for a list, such as "agent ended"; "-" if nothing went wrong
	Seq   uint64 `json:"seq,omitempty"` // of the request that has no response
	IsBad bool   `json:"bad"`

	first bool // Text has the first of what went wrong
}

// A Judge takes in the messages of a record in order, and decides what went wrong. The zero value
// is ready for use.
type Judge struct {
	open []*wait // requests whose senders have no response, in order
	cut  []*wait // requests that got an error because the agent had ended
	findings
}

// A wait is a request that has no response.
type wait struct {
	*history.Message
	isHeld bool // the receiver did not get it
}

// maxWaits bounds the requests that a Judge knows as open.
const maxWaits = 1 << 12

// Add takes in the next message.
func (j *Judge) Add(m *history.Message) {
	switch {
	case m.Kind == history.Request && (m.Message.Received() || m.IsOwn()):
		if j.ask(m); len(j.open) < maxWaits {
			j.open = append(j.open, &wait{m, m.Message.Stage == "in"})
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
		j.respond(r, response)
	}
	j.open = slices.Delete(j.open, i, i+1)
}

// isAccepted reports whether a request is a prompt that the agent only accepted.
func isAccepted(r *history.Message) bool {
	return r.Method == conversation.Prompt && r.Response != nil && r.End() == r.Response && stopReason(r.Response) == "accepted"
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
	return w.Response != nil && w.Method == conversation.Prompt && stopReason(w.Response) == "accepted"
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

// innermost is the request that blocks the others: a prompt waits for the requests that are sent in
// its session meanwhile. Later requests than a time do not count. It is nil if there is none.
func (j *Judge) innermost(until time.Duration) *wait {
	all := slices.DeleteFunc(slices.Concat(j.open, j.cut), func(w *wait) bool { return w.Mono > until })
	slices.SortStableFunc(all, func(a, b *wait) int { return cmp.Compare(a.Seq, b.Seq) })
	if len(all) == 0 {
		return nil
	}
	isOf := func(w *wait) bool { return w.Sender() == record.Client }
	outer := slices.IndexFunc(all, func(w *wait) bool { return isOf(w) && w.Method == conversation.Prompt })
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

// An ending is what is known about the end of a run.
type ending struct {
	end     *record.End // nil if the record has none
	at      time.Duration
	goesOn  bool
	isWhole bool // nothing is missing in the record
}

// Miss tells the Judge what is missing in the record.
func (j *Judge) Miss(m record.Missing) {
	j.isPart = j.isPart || m.Before > 0 || m.Gaps > 0 || m.Entries > 0 || m.Broken > 0
}

// Live returns the verdict on a run that goes on.
func (j *Judge) Live(now time.Time) Verdict {
	return j.judged(ending{goesOn: true, isWhole: !j.isPart}, now)
}

// End returns the verdict on a run that ended at a time, as the end of its record says; nil is for a
// record without one. No message may come later.
func (j *Judge) End(end *record.End, at time.Duration) Verdict {
	return j.judged(ending{end: end, at: at, isWhole: !j.isPart}, time.Time{})
}

// judge returns what went wrong in a run that goes on or not, and the verdict on it.
func judge(h *history.History, goesOn bool) (Verdict, []Wrong) {
	var j Judge
	last := uint64(0)
	for m, r := range h.All() {
		if j.isPart = j.isPart || r.Gap != nil || r.Seq > last+1; m != nil {
			j.Add(m)
		}
		last = r.Seq
	}
	j.Miss(h.Missing)
	if goesOn && h.End == nil {
		return j.Live(time.Now()), j.Wrong()
	}
	return j.End(h.End, h.Ended), j.Wrong()
}

// judged returns the verdict on a run.
func (j *Judge) judged(e ending, now time.Time) (v Verdict) {
	w := j.innermost(e.since())
	if w != nil {
		v.Seq = w.Seq
	}
	if !e.goesOn {
		j.close(e, w)
	}
	switch {
	case e.goesOn && w != nil:
		v.Text, v.Short = waiting(w)+", "+going(now.Sub(w.Time)), "waits for "+string(w.owes())
	case e.goesOn:
		v = j.fine("the run goes on, and no request is open", "the run goes on, and no request is open")
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
	return Verdict{Text: text + "; " + but, Short: terminal.Count(len(all), "problem", "problems"), IsBad: true, first: true}
}

// unknown is for a record that does not have what led to the end.
func (v *Verdict) unknown(j *Judge, e ending, w *wait) {
	v.IsBad = true
	switch status := e.end.Status; {
	case e.end.Signal != "":
		v.Short = "agent killed"
		v.Text = killed(e.end.Signal) + clause(record.Agent, w, e.at) + "; it is not known by whom"
	case w != nil:
		v.Short = "no response"
		v.Text = fmt.Sprintf("the run ended with status %d%s; it is not known who ended it", status, clause("", w, e.at))
	case status != 0:
		v.Short = fmt.Sprintf("status %d", status)
		v.Text = fmt.Sprintf("the run ended with status %d; it is not known why", status)
	default:
		const who = "it is not known who ended the run"
		*v = j.fine("nothing went wrong that this record tells; "+who, who)
	}
}

// known is for a record that has what led to the end.
func (v *Verdict) known(j *Judge, e ending, w *wait) {
	cause, after := e.cause(), e.after()
	short := map[string]string{"client-closed": "client closed", "client-gone": "client gone", "signaled": "signal"}
	v.Short, v.IsBad = cmp.Or(short[cause.What], "agent ended"), true
	if after == "" && w == nil {
		switch cause.What {
		case "client-closed":
			*v = j.fine("nothing went wrong", "then the client ended the run")
			return
		case "signaled":
			got := fmt.Sprintf("acpshim got a signal (%s)", cause.Signal)
			*v = j.fine("nothing went wrong until "+got, "then "+got)
			return
		}
	}
	at := time.Duration(cause.Mono)
	isAgents := true
	subject, text := record.Agent, ""
	switch cause.What {
	case "client-closed", "client-gone":
		subject, isAgents = record.Client, false
		if text = "the client closed its output"; cause.What == "client-gone" {
			text = "the client stopped reading"
		}
	case "signaled":
		subject, isAgents = history.Acpshim, false
		text = fmt.Sprintf("acpshim got a signal (%s)", terminal.Plain(cause.Signal, 40))
	default:
		text = e.agent()
	}
	if isAgents && e.end.Signal != "" {
		v.Short = "agent killed"
	}
	switch {
	case w != nil && w.Method == "initialize" && subject == record.Client && w.owes() == record.Agent:
		v.Text = fmt.Sprintf("the agent never responded to initialize (#%d), %s; %s", w.Seq, terminal.Duration(at-w.Mono), text)
		v.Short = "no response"
	case w == nil && isAgents && e.end.Status == 0 && e.end.Signal == "" && after == "":
		text += " while no request was open"
		*v = j.fine("nothing went wrong: "+text, "then "+text)
		return
	case w == nil && isAgents:
		v.Text = text + " while no request was open"
	default:
		v.Text = text + clause(subject, w, at)
	}
	v.Text += after
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

// theSide names a side in a sentence.
func theSide(side wire.Side) string {
	if side == history.Acpshim {
		return string(side)
	}
	return "the " + string(side)
}

// step is the first step of a kind; nil if there is none.
func (e ending) step(what string) *record.Step {
	if e.end == nil {
		return nil
	}
	i := slices.IndexFunc(e.end.Steps, func(s record.Step) bool { return s.What == what })
	if i < 0 {
		return nil
	}
	return &e.end.Steps[i]
}

// cause is the step that began the end. If a signal to a process group killed the agent, too, the
// signal is the cause, whichever was noticed first.
func (e ending) cause() record.Step {
	cause := e.end.Steps[0]
	if cause.What == "agent-exited" || cause.What == "agent-closed" {
		for _, s := range e.end.Steps {
			if s.What == "signaled" && s.Signal == e.end.Signal {
				return s
			}
		}
	}
	return cause
}

// since is the time at which the end began. Requests that came later do not count as open.
func (e ending) since() time.Duration {
	if e.end == nil || len(e.end.Steps) == 0 {
		return 1<<63 - 1
	}
	return time.Duration(e.end.Steps[0].Mono)
}

// isKilled reports whether acpshim killed the agent, or ended it with SIGTERM.
func (e ending) isKilled() bool { return e.step("killed") != nil || e.step("terminated") != nil }

// agent describes how the agent ended, if it began the end.
func (e ending) agent() string {
	switch {
	case e.end.Steps[0].What == "agent-refused":
		return "the agent stopped reading"
	case e.step("agent-exited") == nil, e.isKilled() && e.end.Steps[0].What == "agent-closed":
		return "the agent closed its output"
	case e.end.Signal != "":
		return killed(e.end.Signal) + ", not by acpshim,"
	}
	return fmt.Sprintf("the agent ended with status %d", e.end.Status)
}

// after describes what else is not as it should be in the end of a run, as a further part of a
// sentence, or "".
func (e ending) after() string {
	cause := e.cause()
	since := map[string]string{
		"client-closed": "the client had closed its output", "client-gone": "the client had stopped reading", "signaled": "the signal",
		"agent-closed": "it had closed its output", "agent-refused": "it had stopped reading",
	}[cause.What]
	isAgents := cause.What == "agent-exited" || cause.What == "agent-closed"
	signal := func(s record.Step) bool { return s.What == "signaled" && s.Signal == e.end.Signal }
	switch {
	case e.step("killed") != nil:
		return "; acpshim killed the agent, because it did not end in time after " + since
	case e.step("terminated") != nil:
		return "; acpshim ended the agent with SIGTERM, because it did not end in time after " + since
	case isAgents || e.step("agent-exited") == nil || cause.What == "signaled" && slices.ContainsFunc(e.end.Steps, signal):
	case e.end.Signal != "" && !slices.ContainsFunc(e.end.Steps, signal):
		return "; then " + killed(e.end.Signal) + ", not by acpshim"
	case cause.What != "signaled" && e.step("signaled") != nil:
		return fmt.Sprintf("; then acpshim got a signal (%s)", terminal.Plain(e.step("signaled").Signal, 40))
	case e.end.Status != 0 && cause.What != "signaled":
		return fmt.Sprintf("; then the agent ended with status %d", e.end.Status)
	}
	return ""
}
