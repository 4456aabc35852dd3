package history

import (
	"cmp"
	"errors"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/translate"
)

// A Kind is the kind of a JSON-RPC message, as commands print it for programs and as queries name
// it.
type Kind string

const (
	Request      Kind = "request"
	Notification Kind = "notification"
	Response     Kind = "response"
	Other        Kind = "other" // not a message, or one that is not kept or cannot be read for certain
)

// A Message is one message of a record: a line, or an element of a batch.
type Message struct {
	record.Record        // its Message is set
	JSON          []byte // the message alone; nil if it is Other
	Kind          Kind
	Method        string // of a response: the method of its request as the sender of the response got it, if that is known
	ID            string // see wire.ID; "" if it has none
	Update        string // params.update.sessionUpdate of session/update
	Session       string // which it, its request or its response names
	SessionNumber int    // 1 for the session that the record names first, and so on; 0 for no session
	Failed        bool   // it is a response with an error
	Ambiguous     bool   // it is Other because an object in it has two members of one name

	Request  *Message // of a response: its request, as a peer or acpshim sent it
	Response *Message // of a request: what the other peer responded, as it came
	Got      *Message // of a peer's request: the response that the peer got, which acpshim may have changed or made
	For      *Message // of acpshim's own request: the peer's request that it is sent for; nil if there is none
	Of       *Message // of a message that acpshim sent instead of another: the other one
	Beside   *Message // of a message that acpshim added before or after another: the other one
	Later    *Message // of a message that acpshim held: the one that it sent later; nil if it did not
	Arrived  *Message // of a plan update: the message with which it reached the client, perhaps itself; nil if it did not
}

// Name is the update of a session/update, or else the method.
func (m *Message) Name() string { return cmp.Or(m.Update, m.Method) }

// Plan decodes a plan update. The error is that of reading it; for any other message it is
// translate.ErrNoPlan.
func (m *Message) Plan() (translate.Update, error) {
	msg, err := wire.Parse(m.JSON, translate.Paths...)
	if err != nil {
		return translate.Update{}, err
	}
	return translate.Decode(msg.Open("params").Open("update"))
}

// IsPlan reports whether the message is a plan update.
func (m *Message) IsPlan() bool {
	return m.Update == acp.Plan || m.Update == acp.PlanUpdate || m.Update == acp.PlanRemoved
}

// ShowsPlans reports whether acpshim sent the message to show plans as a text.
func (m *Message) ShowsPlans() bool {
	return m.Message.Dir == record.Agent && m.Streamed() && !m.Message.Received() && slices.Contains(m.Message.By, byPlans)
}

// A Conversation reads the messages in entries of a record, and relates them. The zero value is
// ready for use by one goroutine at a time.
type Conversation struct {
	exchanges     exchanges
	arrivals      arrivals
	sessions      map[string]int
	client, agent peerLines
}

// peerLines are the last lines of a peer.
type peerLines struct {
	latest  *Message
	changed []*Message // of the latest line that was changed; what acpshim sends instead follows it
	ahead   []*Message // that were added before the next line
}

// maxKnown bounds the requests and the sessions that are remembered.
const maxKnown = 1 << 16

// Add returns the messages of an entry. Entries have to come in order. It returns none for other
// kinds of entry, and one of kind Other for an empty batch.
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
	c.place(r.Message, messages)
	for _, m := range messages {
		if held := c.exchanges.recent.of(r.Message.Held); held != nil && !m.Message.Received() {
			held.Later = m
		}
		c.relate(m)
		c.exchanges.recent.add(m)
		c.arrivals.add(m)
	}
	if r.Message.Received() {
		c.exchanges.settle(r.Message.Dir)
	}
	return messages
}

// place notes which messages acpshim sent instead of which, and which it added next to which.
func (c *Conversation) place(r *record.Message, messages []*Message) {
	peer := &c.client
	if r.Dir == record.Agent {
		peer = &c.agent
	}
	switch {
	case r.Received():
		for _, m := range peer.ahead {
			m.Beside = messages[0]
		}
		peer.latest, peer.ahead = messages[0], nil
		if r.Stage == "in" {
			peer.changed = messages
		}
	case r.Place == "before" && len(peer.ahead) < maxKnown:
		peer.ahead = append(peer.ahead, messages...)
	case r.Place == "behind":
		for _, m := range messages {
			m.Beside = peer.latest
		}
	case len(peer.changed) > 0 && peer.changed[0].Seq == r.Of:
		replace(peer.changed, messages)
	}
}

// replace notes which messages were sent instead of the messages of a line. In a batch, responses
// and requests keep their ids. Notifications are matched by the kind of update, then by their
// order, because a translation changes the kind.
func replace(came, messages []*Message) {
	left := slices.Clone(came)
	take := func(like func(*Message) bool) *Message {
		i := slices.IndexFunc(left, like)
		if i < 0 {
			return nil
		}
		defer func() { left = slices.Delete(left, i, i+1) }()
		return left[i]
	}
	for _, m := range messages {
		m.Of = take(func(c *Message) bool { return c.Kind == m.Kind && c.ID == m.ID && c.Update == m.Update })
	}
	for _, m := range messages {
		isOwn := len(came) > 1 && (m.Kind == Request || m.Kind == Response)
		if m.Of == nil && !isOwn {
			m.Of = cmp.Or(take(func(c *Message) bool { return c.Kind == m.Kind }), came[0])
		}
	}
}

// read reads a message of an entry.
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
		m.Kind, m.Failed = Response, !wire.IsAbsent(msg.Raw("error"))
		m.Session, _ = msg.Open("result").Text("sessionId")
	default:
		m.JSON = nil
	}
	if method == acp.SessionUpdate {
		m.Update, _ = params.Open("update").Text("sessionUpdate")
	}
	return m
}

// relate finds the messages that a message belongs to.
func (c *Conversation) relate(m *Message) {
	m.SessionNumber = c.number(m.Session)
	switch {
	case m.ID == "":
	case m.Kind == Request:
		c.exchanges.ask(m)
	case m.Kind == Response:
		c.exchanges.respond(m)
		c.shareSession(m)
	}
}

// shareSession sets the session of a response and its request if one of them names it.
func (c *Conversation) shareSession(m *Message) {
	r := m.Request
	switch {
	case r == nil:
	case m.Session == "":
		m.Session, m.SessionNumber = r.Session, r.SessionNumber
	case r.Session == "":
		r.Session, r.SessionNumber = m.Session, m.SessionNumber
	}
}

// number is the number of a session, in the order in which the record names them.
func (c *Conversation) number(session string) int {
	if c.sessions == nil {
		c.sessions = map[string]int{}
	}
	if c.sessions[session] == 0 && session != "" && len(c.sessions) < maxKnown {
		c.sessions[session] = len(c.sessions) + 1
	}
	return c.sessions[session]
}
