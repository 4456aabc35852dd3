package view

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/log/stats"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
	"acpshim/proxy"
)

// A Wrong is something that went wrong in a run, as often as it happened.
type Wrong struct {
	Side  wire.Side `json:"side"`  // who did it: client, agent or acpshim
	Seq   uint64    `json:"seq"`   // of the first message of it
	At    float64   `json:"at_ms"` // since the run began
	Text  string    `json:"text"`  // what the side did, such as "sent a line that is not a message"
	Count int       `json:"count"`
}

// String says who did what, and when.
func (w Wrong) String() string {
	where := fmt.Sprintf("#%d, %s", w.Seq, terminal.Duration(spent(w.At)))
	if w.Count > 1 {
		where += fmt.Sprintf("; %d times", w.Count)
	}
	return fmt.Sprintf("%s %s (%s)", theSide(w.Side), w.Text, where)
}

// findings are what a Judge needs to know of earlier messages.
type findings struct {
	announced []string          // capabilities of the client, as the agent got them
	titles    map[string]string // of tool calls, by session and id
	cancelled []*cancelled
	cancels   map[string]uint64 // the number of the last cancel of a session
	repeated  map[string]bool   // ids that were used again while a request was open
	wentOn    []Wrong           // turns that the agent ended otherwise after a cancel
	isPart    bool              // messages are missing
	rows      stats.Rows[Wrong]
	noted     int
	numbers   []uint64 // of messages of what went wrong
	isClosed  bool
}

// maxNoted is how many times something is noted with its text.
const maxNoted = 1 << 12

// A cancelled is a turn that the client cancelled.
type cancelled struct {
	prompt, by *history.Message
	later      int // updates of the agent since then
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Wrong returns what went wrong, in order, without requests that have no response.
func (j *Judge) Wrong() []Wrong {
	all := append(append([]Wrong{}, j.rows.All()...), j.wentOn...)
	slices.SortStableFunc(all, func(a, b Wrong) int { return cmp.Compare(a.Seq, b.Seq) })
	return all
}

// Numbers returns the numbers of the messages that went wrong, in no certain order. The caller must
// not change them.
func (j *Judge) Numbers() []uint64 { return j.numbers }

// note notes that a side did something wrong.
func (f *findings) note(side wire.Side, m *history.Message, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if f.noted++; f.noted <= maxNoted {
		f.numbers = append(f.numbers, m.Seq)
	} else {
		text = "did more that went wrong"
	}
	f.rows.Of(Wrong{Side: side, Seq: m.Seq, At: millis(m.Mono), Text: text}, string(side), text).Count++
}

// ask takes in a request.
func (f *findings) ask(m *history.Message) {
	if m.Message.Dir != record.Agent || !m.Message.Received() {
		return
	}
	group, _, _ := strings.Cut(m.Method, "/")
	needs := map[string]string{acp.FSReadTextFile: "fs.readTextFile", acp.FSWriteTextFile: "fs.writeTextFile"}[m.Method]
	if group == "terminal" || group == "elicitation" {
		needs = group
	}
	has := func(name string) bool { return name == needs || strings.HasPrefix(name, needs+".") }
	if needs != "" && !f.isPart && !slices.ContainsFunc(f.announced, has) {
		f.note(record.Agent, m, "used %s, which the client did not announce", needs)
	}
}

// respond takes in the response that the sender of a request got.
func (f *findings) respond(w *wait, response *history.Message) {
	r := w.Message
	if r.Method == acp.SessionPrompt {
		f.endTurn(r)
	}
	by := record.Client
	switch came := r.Response; {
	case r.Message.Dir == record.Client && came != nil:
		by = record.Agent
	case came == nil:
		by = history.Acpshim
	}
	if text := failureText(r); text != "" {
		if w.isCancelled && raw(parsed(response).Open("error").Raw("code")) == strconv.Itoa(wire.RequestCancelled) {
			return
		}
		if r.Response != nil && !r.Response.Failed {
			by = history.Acpshim
		}
		f.note(by, response, "responded to %s (#%d) with an error: %s", terminal.Plain(r.Method, 60), r.Seq, terminal.Plain(text, 200))
	} else if r.Method == acp.SessionRequestPermission {
		f.decide(r, response, by)
	} else if r.Method == acp.SessionPrompt && stopReason(response) == acp.StopRefusal {
		f.note(by, response, "refused the prompt #%d", r.Seq)
	}
}

// endTurn takes in the end of a turn of version 1.
func (f *findings) endTurn(prompt *history.Message) {
	if own := prompt.Response; own != nil && !isAccepted(prompt) {
		f.endTurns(func(p *history.Message) bool { return p == prompt }, cmp.Or(stopReason(own), noReason), own.Failed)
	}
}

// endTurns takes in the end of turns. An agent that went on after a cancel ended them otherwise
// than as cancelled.
func (f *findings) endTurns(are func(prompt *history.Message) bool, stop string, failed bool) {
	f.cancelled = slices.DeleteFunc(f.cancelled, func(c *cancelled) bool {
		if !are(c.prompt) {
			return false
		}
		if c.later > 0 && stop != acp.StopCancelled && !failed && len(f.wentOn) < maxNoted {
			f.wentOn = append(f.wentOn, Wrong{record.Agent, c.by.Seq, millis(c.by.Mono), fmt.Sprintf("went on after the cancel of #%d: %s came later, and the turn ended with %s",
				c.prompt.Seq, terminal.Count(c.later, "update", "updates"), stop), 1})
			f.numbers = append(f.numbers, c.by.Seq)
		}
		return true
	})
}

// close takes in the end of the run: it notes the cancels after which the agent went on and did not
// end the turn, and the requests without a response, except for w and those that wait for it.
func (j *Judge) close(e ending, w *wait) {
	if j.isClosed {
		return
	}
	j.isClosed = true
	if refused := e.step(proxy.AgentRefused); refused != nil { // a later cancel did not reach it
		did := time.Duration(refused.Mono)
		j.wentOn = slices.DeleteFunc(j.wentOn, func(w Wrong) bool { return spent(w.At) >= did })
		j.cancelled = slices.DeleteFunc(j.cancelled, func(c *cancelled) bool { return c.by.Mono >= did })
	}
	for _, c := range j.cancelled {
		if c.later > 0 {
			j.note(record.Agent, c.by, "went on after the cancel of #%d: %s came later, and the turn did not end", c.prompt.Seq,
				terminal.Count(c.later, "update", "updates"))
		}
	}
	j.cancelled = nil
	for _, other := range slices.Concat(j.open, j.cut) {
		isLeft := other.Mono > e.since() && other.owes() == record.Client // the run's end had begun
		if other != w && !isLeft && !j.isBlocked(other) {
			j.note(other.owes(), other.Message, "never %s %v", other.respond(), other)
		}
	}
}

// isBlocked reports whether a request waits for another open one, of the other side.
func (j *Judge) isBlocked(w *wait) bool {
	return slices.ContainsFunc(slices.Concat(j.open, j.cut), func(o *wait) bool {
		return o.For == w.Message || w.Sender() == record.Client && o.Sender() != record.Client && o.Session == w.Session
	})
}

// malformed are the codes of reasons for a plan that cannot be shown, with what the agent did.
var malformed = [][2]string{
	{"plans.no-valid-entry", "sent a plan that has no valid entry"}, {"plans.no-list", "sent a plan whose entries are not a list"},
	{"plans.no-entries", "sent a plan without entries"}, {"plans.invalid", "sent a plan that clients would refuse"},
}

// look takes in any message.
func (j *Judge) look(m *history.Message) {
	isAgents := m.Message.Dir == record.Agent
	if peer, _ := readPeer(m); peer != nil && !isAgents && m.Message.Sent() {
		j.announced = capabilities(nil, "", peer.Capabilities)
	}
	if !m.Message.Received() {
		return
	}
	isJunk := m.Kind == history.Other && len(bytes.TrimSpace(m.Message.Line)) > 0
	switch {
	case isJunk && m.Ambiguous:
		j.note(m.Message.Dir, m, "sent a message in which a name appears twice")
	case isJunk || m.Message.Has("dispatch.junk"):
		j.note(m.Message.Dir, m, "sent a line that is not a message")
	case m.Kind == history.Response && m.Request == nil && !j.isPart && !j.repeated[m.ID]:
		j.note(m.Message.Dir, m, "sent a response to the id %s, which no open request has", terminal.Plain(m.ID, 40))
	case m.Method == acp.SessionCancel && !isAgents:
		remember(&j.cancels, m.Session, m.Seq)
		for _, w := range j.open {
			isKnown := slices.ContainsFunc(j.cancelled, func(c *cancelled) bool { return c.prompt == w.Message })
			if w.Method == acp.SessionPrompt && w.Session == m.Session && !isKnown && len(j.cancelled) < maxWaits {
				j.cancelled = append(j.cancelled, &cancelled{prompt: w.Message, by: m})
			}
		}
	case m.Method == acp.CancelRequest:
		id := wire.ID(parsed(m).Open("params").Raw("requestId"))
		for _, w := range j.open {
			w.isCancelled = w.isCancelled || w.Sender() == m.Message.Dir && w.ID == id
		}
	case m.Update != "" && isAgents:
		j.update(m)
	}
}

// update takes in an update of the agent.
func (j *Judge) update(m *history.Message) {
	isCancelled := false
	for _, c := range j.cancelled {
		if c.prompt.Session == m.Session && m.Update != acp.StateUpdate {
			c.later++
			isCancelled = true
		}
	}
	for _, r := range m.Message.Reasons {
		for _, bad := range malformed {
			if r.Code == bad[0] {
				j.note(record.Agent, m, "%s", bad[1])
			}
		}
		if r.Code == "rule.dropped" && m.IsPlan() {
			j.note(history.Acpshim, m, "dropped a plan update, by the rule %q", terminal.Plain(r.By, 60))
		}
	}
	switch m.Update {
	case acp.StateUpdate:
		if update := updateOf(m); text(update, "state") == acp.StateIdle {
			j.idle(m, text(update, "stopReason"))
		}
	case acp.ToolCall, acp.ToolCallUpdate:
		update := updateOf(m)
		key := m.Session + "\x00" + text(update, "toolCallId")
		title := cmp.Or(text(update, "title"), j.titles[key], text(update, "toolCallId"))
		if remember(&j.titles, key, title); text(update, "status") == acp.StatusFailed && !isCancelled && !j.isReplayed(m.Session) {
			j.note(record.Agent, m, "reported that the tool call %q failed", terminal.Plain(title, 60))
		}
	}
}

func updateOf(m *history.Message) *wire.Object { return parsed(m).Open("params").Open("update") }

// isReplayed reports whether the agent replays a session, because the client loads it.
func (j *Judge) isReplayed(session string) bool {
	return slices.ContainsFunc(j.open, func(w *wait) bool {
		return w.Session == session && (w.Method == acp.SessionLoad || w.Method == acp.SessionResume)
	})
}

// idle takes in the end of the turns of a session in version 2.
func (j *Judge) idle(m *history.Message, stop string) {
	j.open = slices.DeleteFunc(j.open, func(w *wait) bool { return w.Session == m.Session && isAccepted(w.Message) })
	j.endTurns(func(p *history.Message) bool { return p.Session == m.Session && isAccepted(p) }, cmp.Or(stop, noReason), false)
	if stop == acp.StopRefusal {
		j.note(record.Agent, m, "refused a prompt")
	}
}
