// Package history reads a record as a conversation: each message with what it is
// about, responses with the requests that they answer.
package history

import (
	"errors"
	"io"

	"acpshim/internal/record"
	"acpshim/internal/wire"
)

// A Kind is what a message is in JSON-RPC. Its text stands in what commands print for
// programs, and in queries.
type Kind string

const (
	Request      Kind = "request"
	Notification Kind = "notification"
	Response     Kind = "answer"
	Other        Kind = "other" // no message, or one that is not kept or cannot be read for certain
)

// A Message is one message of a record: a line, or an element of a line that is a
// batch.
type Message struct {
	record.Record        // its Message is set
	JSON          []byte // the message alone; nil if it is Other
	Kind          Kind
	Method        string // of a response, that of its request, if that is known
	ID            string // see wire.ID; "" if it has none
	Update        string // params.update.sessionUpdate of session/update
	Session       string // the session that it, its request or its response names
	SessionNumber int    // 1 for the session that the record names first, and so on; 0 if there is none
	Failed        bool   // it is a response with an error
	Ambiguous     bool   // it is Other as it has a member of one name twice

	Request  *Message // of a response
	Response *Message // of a request: its response, as it came
	Own      *Message // of a request: the response that acpshim made in its peer's place
	Of       *Message // of a message that took another's place: that one
	Beside   *Message // of a message that acpshim put before or behind another: that one
}

// A Conversation makes messages of records, and relates them. The zero value is ready for
// use, by one goroutine at a time.
type Conversation struct {
	pending  map[key]*Message                // requests, as they came or as acpshim made them
	received map[record.Direction][]*Message // those of the latest line that was changed: what takes its place follows it
	sessions map[string]int
	latest   map[record.Direction]*Message   // what came last
	ahead    map[record.Direction][]*Message // what was put before what comes next
}

// A key is of a request: who sent it, and its id.
type key struct {
	by record.Direction
	id string
}

// maxKnown bounds the requests and the sessions that are remembered.
const maxKnown = 1 << 16

// Add returns the messages of a record, which has to come in its order: none for
// other kinds of record, and one of kind Other for an empty batch.
func (c *Conversation) Add(r record.Record) []*Message {
	if r.Message == nil {
		return nil
	}
	lines := [][]byte{r.Message.Line}
	if elements, ok := wire.Elements(r.Message.Line); ok && len(elements) > 0 {
		lines = elements
	}
	var messages []*Message
	for _, line := range lines {
		messages = append(messages, read(r, line))
	}
	if c.received == nil {
		c.received, c.sessions = map[record.Direction][]*Message{}, map[string]int{}
		c.latest, c.ahead = map[record.Direction]*Message{}, map[record.Direction][]*Message{}
	}
	c.place(r.Message, messages)
	switch came := c.received[r.Message.Dir]; {
	case r.Message.Stage == "in":
		c.received[r.Message.Dir] = messages
	case r.Message.Stage == "out" && len(came) > 0 && came[0].Seq == r.Message.Of:
		replaced(came, messages)
	}
	for _, m := range messages {
		c.relate(m)
	}
	return messages
}

// place notes which messages were put beside which.
func (c *Conversation) place(r *record.Message, messages []*Message) {
	switch {
	case r.Received():
		for _, m := range c.ahead[r.Dir] {
			m.Beside = messages[0]
		}
		c.latest[r.Dir], c.ahead[r.Dir] = messages[0], nil
	case r.Place == "before" && len(c.ahead[r.Dir]) < maxKnown:
		c.ahead[r.Dir] = append(c.ahead[r.Dir], messages...)
	case r.Place == "behind":
		for _, m := range messages {
			m.Beside = c.latest[r.Dir]
		}
	}
}

// replaced notes which messages of a line others took the place of. In a batch responses
// and requests keep their ids. Notifications are matched by the kind of update, then by
// their order, as a translation changes the kind.
func replaced(came, messages []*Message) {
	exact := map[likeness][]*Message{}
	for _, c := range came {
		exact[c.likeness()] = append(exact[c.likeness()], c)
	}
	var changed []*Message // in kind
	for _, m := range messages {
		if found := exact[m.likeness()]; len(found) > 0 {
			m.Of, exact[m.likeness()] = found[0], found[1:]
		} else {
			changed = append(changed, m)
		}
	}
	left := map[Kind][]*Message{} // of those that came, in their order
	for _, c := range came {
		if found := exact[c.likeness()]; len(found) > 0 && found[0] == c {
			exact[c.likeness()] = found[1:]
			left[c.Kind] = append(left[c.Kind], c)
		}
	}
	for _, m := range changed {
		found := left[m.Kind]
		switch {
		case len(came) > 1 && (m.Kind == Request || m.Kind == Response):
			// It is none of theirs.
		case len(came) > 1 && len(found) > 0:
			m.Of, left[m.Kind] = found[0], found[1:]
		default:
			m.Of = came[0]
		}
	}
}

// A likeness is what a message and the one that it took the place of have in common.
type likeness struct {
	kind       Kind
	id, update string
}

func (m *Message) likeness() likeness { return likeness{m.Kind, m.ID, m.Update} }

// read reads a message on a line of a record.
func read(r record.Record, line []byte) *Message {
	m := &Message{Record: r, Kind: Other}
	msg, err := wire.Parse(line, "params", "params.update", "result")
	if err != nil {
		m.Ambiguous = errors.Is(err, wire.ErrAmbiguous)
		return m
	}
	m.JSON = line[msg.Start:msg.End]
	m.ID = wire.ID(msg.Raw("id"))
	method, isMethod := msg.Text("method")
	params := msg.Open("params")
	m.Session, _ = params.Text("sessionId")
	switch {
	case isMethod && msg.Get("id") != nil:
		m.Kind, m.Method = Request, method
	case isMethod:
		m.Kind, m.Method = Notification, method
	case msg.Get("result") != nil || msg.Get("error") != nil:
		failure := msg.Raw("error")
		m.Kind, m.Failed = Response, failure != nil && string(failure) != "null"
		m.Session, _ = msg.Open("result").Text("sessionId")
	default:
		m.JSON = nil
	}
	if method == "session/update" {
		m.Update, _ = params.Open("update").Text("sessionUpdate")
	}
	return m
}

// relate finds the message that another belongs to.
func (c *Conversation) relate(m *Message) {
	if c.pending == nil || len(c.pending) > maxKnown {
		c.pending = map[key]*Message{}
	}
	m.SessionNumber = c.number(m.Session)
	own := m.Message.Stage == "out" && m.Of == nil // by acpshim itself
	switch {
	case m.ID == "":
	case m.Kind == Request && (m.Message.Received() || own):
		c.pending[key{m.Message.Dir, m.ID}] = m
	case m.Kind == Response:
		c.respond(m)
	}
}

// respond finds the request of a response.
func (c *Conversation) respond(m *Message) {
	asked := key{record.Agent, m.ID}
	if m.Message.Dir == record.Agent {
		asked.by = record.Client
	}
	request := c.pending[asked]
	if m.Of != nil {
		request = m.Of.Request
	}
	if request == nil {
		return
	}
	m.Request, m.Method = request, request.Method
	if m.Session == "" {
		m.Session, m.SessionNumber = request.Session, request.SessionNumber
	} else if request.Session == "" {
		request.Session, request.SessionNumber = m.Session, m.SessionNumber
	}
	switch {
	case m.Message.Received():
		request.Response = m
		delete(c.pending, asked)
	case m.Of == nil:
		request.Own = m
	}
}

// number is that of a session: how many were named up to it.
func (c *Conversation) number(session string) int {
	if c.sessions[session] == 0 && session != "" && len(c.sessions) < maxKnown {
		c.sessions[session] = len(c.sessions) + 1
	}
	return c.sessions[session]
}

// A History is a whole record.
type History struct {
	Start    *record.Start
	Messages []*Message
	Others   []record.Record // stderr, events and gaps
	End      *record.End     // nil if the record has none
	Broken   int             // lines of the file that were no record
	Missing  record.Missing
	Schema   int // see record.Reader
}

// Each calls message and other with all that is in the record, in its order.
func (h *History) Each(message func(*Message), other func(record.Record)) {
	others := h.Others
	for _, m := range h.Messages {
		for ; len(others) > 0 && others[0].Seq < m.Seq; others = others[1:] {
			other(others[0])
		}
		message(m)
	}
	for _, r := range others {
		other(r)
	}
}

// Sent is how many messages the peers sent; what acpshim sent is not among them.
func (h *History) Sent() (n int) {
	for _, m := range h.Messages {
		if m.Message.Received() {
			n++
		}
	}
	return n
}

// Read reads a whole record. The error is one of reading.
func Read(r *record.Reader) (*History, error) {
	var h History
	var c Conversation
	for {
		rec, err := r.Next()
		h.Broken, h.Missing, h.Schema = r.Broken, r.Missing(), r.Schema
		switch {
		case errors.Is(err, io.EOF):
			return &h, nil
		case err != nil:
			return &h, err
		case rec.Start != nil:
			if h.Start == nil {
				h.Start = rec.Start
			}
		case rec.End != nil:
			h.End = rec.End
		case rec.Message != nil:
			h.Messages = append(h.Messages, c.Add(rec)...)
		default:
			h.Others = append(h.Others, rec)
		}
	}
}
