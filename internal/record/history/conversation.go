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

// A Kind is the kind of a JSON-RPC message. Queries and JSON output use its text.
type Kind string

const (
	Request      Kind = "request"
	Notification Kind = "notification"
	Response     Kind = "response"
	Other        Kind = "other" // not a message, ambiguous, or not in the record
)

// A Message is one message of a record: a line, or an element of a batch. Its relations are nil if
// they are unknown or do not exist.
type Message struct {
	record.Record        // its field Message is not nil
	JSON          []byte // the message itself; nil for Other
	Kind          Kind
	Method        string // for a response, that of its request as its sender got it; "" if unknown
	ID            string // see wire.ID; "" if the message has no id
	Update        string // the kind of a session/update: its params.update.sessionUpdate
	Session       string // the session that it, its request or its response names
	SessionNumber int    // counts sessions from 1 as the record names them; 0 means no session
	Failed        bool   // it is an error response
	Ambiguous     bool   // it is Other because an object in it has two members with one name

	Request  *Message // for a response: its request, as a peer or acpshim sent it
	Response *Message // for a request: the other peer's response, as it sent it
	Got      *Message // for a peer's request: the response that the peer got, perhaps acpshim's
	For      *Message // for acpshim's own request: the peer's request that caused it
	Of       *Message // for a message that acpshim sent instead of another: the other one
	AddedTo  *Message // for a message that acpshim added before or after another: the other one
	Later    *Message // for a message that acpshim held: the one that it sent later
	Arrived  *Message // for a plan update: the message that brought it to the client, perhaps itself
}

// Name returns the kind of a session/update, or the method of any other message.
func (m *Message) Name() string { return cmp.Or(m.Update, m.Method) }

// Plan decodes a plan update. The error says why it cannot be read. It is translate.ErrNoPlan for
// any other message.
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

// ShowsPlans reports whether acpshim sent the message to show plans as text.
func (m *Message) ShowsPlans() bool {
	return m.Message.Dir == record.Agent && m.IsChunk() && !m.Message.Received() && slices.Contains(m.Message.By, planAdapter)
}

// NamesUpdates reports whether the record says which plan updates of the agent the message shows.
func (m *Message) NamesUpdates() bool {
	return slices.ContainsFunc(m.Message.Reasons, func(r record.Reason) bool { return len(r.Shows) > 0 })
}

// A Conversation reads the messages in the entries of a record, and relates them. The zero value is
// ready for use. Only one goroutine at a time may use it.
type Conversation struct {
	exchanges     exchanges
	arrivals      arrivals
	sessions      map[string]int
	client, agent peerLines
}

// peerLines has the last lines of a peer.
type peerLines struct {
	latest      *Message
	changed     []*Message // the latest line that was changed; the record has its replacements next
	addedBefore []*Message // added before the peer's next line
}

// maxKnown is the greatest number of requests, and of sessions, that are remembered.
const maxKnown = 1 << 16

// Add returns the messages of an entry, which keep its bytes. Call it for all entries in order. It
// returns nil for an entry that is not a message, and one message of kind Other for an empty batch.
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
	c.noteOrigins(r.Message, messages)
	for _, m := range messages {
		if held := c.exchanges.recent.find(r.Message.Held); held != nil && !m.Message.Received() {
			held.Later = m
		}
		c.relate(m)
		c.exchanges.recent.add(m)
		c.arrivals.add(m)
	}
	if r.Message.Received() {
		c.exchanges.dropEarly(r.Message.Dir)
	}
	return messages
}

// noteOrigins sets Of and AddedTo of the messages of an entry.
func (c *Conversation) noteOrigins(r *record.Message, messages []*Message) {
	peer := &c.client
	if r.Dir == record.Agent {
		peer = &c.agent
	}
	switch {
	case r.Received():
		for _, m := range peer.addedBefore {
			m.AddedTo = messages[0]
		}
		peer.latest, peer.addedBefore = messages[0], nil
		if r.Stage == "in" {
			peer.changed = messages
		}
	case r.Place == "before" && len(peer.addedBefore) < maxKnown:
		peer.addedBefore = append(peer.addedBefore, messages...)
	case r.Place == "behind":
		for _, m := range messages {
			m.AddedTo = peer.latest
		}
	case len(peer.changed) > 0 && peer.changed[0].Seq == r.Of:
		matchReplaced(peer.changed, messages)
	}
}

// matchReplaced sets Of of the messages that were sent instead of the messages of a line. In a
// batch, responses and requests keep their ids. Notifications are matched by their kind of update,
// then by their order, because a translation changes the kind.
func matchReplaced(came, messages []*Message) {
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

// read returns a message of an entry.
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

// relate sets the relations of a message to earlier messages.
func (c *Conversation) relate(m *Message) {
	m.SessionNumber = c.sessionNumber(m.Session)
	switch {
	case m.ID == "":
	case m.Kind == Request:
		c.exchanges.addRequest(m)
	case m.Kind == Response:
		c.exchanges.addResponse(m)
		c.shareSession(m)
	}
}

// shareSession copies the session from a response to its request, or the other way round, if only
// one of them names it.
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

// sessionNumber returns the number of a session, and gives it the next one if it is new.
func (c *Conversation) sessionNumber(session string) int {
	if c.sessions == nil {
		c.sessions = map[string]int{}
	}
	if c.sessions[session] == 0 && session != "" && len(c.sessions) < maxKnown {
		c.sessions[session] = len(c.sessions) + 1
	}
	return c.sessions[session]
}
