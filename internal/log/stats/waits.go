package stats

import (
	"cmp"
	"slices"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// Waits say how long a turn waited for whom, in milliseconds. Together they are the whole turn. If
// it waits for several at once, the first of these counts.
type Waits struct {
	Person  float64 `json:"person_ms"`  // a permission request or a question is open in the client
	Client  float64 `json:"client_ms"`  // another request is, such as one for a file or a terminal
	Acpshim float64 `json:"acpshim_ms"` // acpshim holds the prompt, a request, or a response
	Agent   float64 `json:"agent_ms"`
}

// The sides that a turn can wait for, in the order in which they count.
const (
	forPerson = iota
	forClient
	forAcpshim
	forAgent
)

// A wait is a time in which a turn waits for a side.
type wait struct {
	from, to time.Duration
	side     int
}

// waiting notes what turns wait for.
type waiting struct {
	asked  []*history.Message       // requests to the client, in order
	sent   []*history.Message       // requests as acpshim sent them
	in     map[uint64]time.Duration // when changed or held lines came, by number
	prompt map[string]bool          // sessions with a prompt
	last   time.Duration            // the time of the last entry
}

// add takes in the next message.
func (w *waiting) add(m *history.Message) {
	w.last = max(w.last, m.Mono)
	if m.Message.Stage == "in" {
		w.in[m.Seq] = m.Mono
	}
	if m.Kind != history.Request {
		return
	}
	isReceived := m.Message.Received()
	if !isReceived {
		w.sent = append(w.sent, m)
	}
	switch {
	case m.Message.Dir == record.Agent && (isReceived || m.IsOwn()):
		w.asked = append(w.asked, m)
	case isReceived && m.Method == acp.SessionPrompt:
		w.prompt[m.Session] = true
	}
}

// times are those of messages.
type times map[*history.Message]time.Duration

// arrivals returns when requests reached the other side, if acpshim changed or held them.
func (w *waiting) arrivals() times {
	at := times{}
	for _, m := range w.sent {
		of := m.Of
		if of == nil || of.Kind != history.Request {
			of = m.For
		}
		if _, isKnown := at[of]; !isKnown {
			at[of] = m.Mono
		}
	}
	return at
}

// of returns the waits of a turn. Without a response it lasts to the end of the record.
func (w *waiting) of(prompt *history.Message, arrivals times) Waits {
	begin, end := prompt.Mono, w.last
	if r := response(prompt); r != nil {
		end = r.Mono
	}
	waits := append(w.held(prompt, arrivals), wait{begin, end, forAgent})
	byTime := func(m *history.Message, t time.Duration) int { return cmp.Compare(m.Mono, t) }
	first, _ := slices.BinarySearchFunc(w.asked, begin, byTime)
	for _, m := range w.asked[first:] {
		if m.Mono > end {
			break
		}
		if m.Session != prompt.Session && w.prompt[m.Session] {
			continue // it is of another turn
		}
		waits = append(waits, w.held(m, arrivals)...)
		reached, isSent := arrivals[m]
		if m.Message.Sent() {
			reached, isSent = m.Mono, true
		}
		if !isSent {
			continue
		}
		open := wait{reached, end, forClient}
		if m.Method == acp.SessionRequestPermission || m.Method == acp.ElicitationCreate {
			open.side = forPerson
		}
		if r := m.End(); m.Response != nil {
			open.to = m.Response.Mono
		} else if r != nil {
			open.to = r.Mono
		}
		waits = append(waits, open)
	}
	return divide(waits, begin, end)
}

// held returns when acpshim held a request, and the response to it.
func (w *waiting) held(m *history.Message, arrivals times) (waits []wait) {
	if m.Message.Stage == "in" {
		reached, isSent := arrivals[m]
		if !isSent { // acpshim handles it itself
			if reached = w.last; m.Got != nil {
				reached = m.Got.Mono
			}
		}
		waits = append(waits, wait{m.Mono, reached, forAcpshim})
	}
	if got := m.Got; got != nil && !got.Message.Received() {
		came, isKnown := w.in[got.Message.From]
		if !isKnown && got.Of != nil && got.Of.Kind == history.Response && got.Of.ID == got.ID {
			came, isKnown = got.Of.Mono, true
		}
		if isKnown {
			waits = append(waits, wait{came, got.Mono, forAcpshim})
		}
	}
	return waits
}

// divide divides a turn between the sides. At least one wait lasts at any time in it.
func divide(waits []wait, begin, end time.Duration) Waits {
	type event struct {
		at          time.Duration
		side, delta int
	}
	var events []event
	for _, w := range waits {
		from, to := min(max(w.from, begin), end), min(max(w.to, begin), end)
		if from < to {
			events = append(events, event{from, w.side, 1}, event{to, w.side, -1})
		}
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	var spent [forAgent + 1]time.Duration
	var open [forAgent + 1]int
	at := begin
	for _, e := range events {
		if i := slices.IndexFunc(open[:], func(n int) bool { return n > 0 }); i >= 0 {
			spent[i] += e.at - at
		}
		at = e.at
		open[e.side] += e.delta
	}
	return Waits{
		milliseconds(spent[forPerson]), milliseconds(spent[forClient]),
		milliseconds(spent[forAcpshim]), milliseconds(spent[forAgent]),
	}
}
