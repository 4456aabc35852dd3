package replay

import (
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// A client plays the client of a record to an agent.
type client struct {
	Options
	writing sync.Mutex
	to      io.Writer
	ended   chan struct{} // closed when all lines of the agent have been read

	mu        sync.Mutex
	pending   map[string]*exchange        // by their new ids
	sessions  map[string]string           // the agent's session ids by those of the record
	recorded  map[string]string           // the session ids of the record by the agent's
	requests  queues[*history.Message]    // the agent's requests in the record
	responses map[*history.Message][]byte // by the agent's request, as they reached the agent

	// Only the goroutine of play uses the fields below.
	sent   map[*history.Message]*exchange // by the request in the record
	ids    map[string]string              // new ids of requests by those of the record
	due    []*exchange                    // requests with a response before the record's next message
	before *history.Message               // the previous message
	nextID int64                          // counts the requests that were sent
}

// An exchange is a request of the client that was sent again.
type exchange struct {
	request *history.Message // in the record
	done    chan struct{}    // closed when its response comes
}

// PlayClient plays the client of a record to the agent at out and in. It sends the requests and
// notifications as they reached the agent, in order, with new ids and the agent's sessions. It
// sends each one as soon as all responses have come that come before it in the record. A request of
// the agent gets the response of the next request of its method in the record.
//
// PlayClient returns when all responses have come, without closing out. Another goroutine reads in
// to its end. It calls onLine for each line of the agent: with the line, and with its messages with
// the ids and sessions of the record. Done is closed when this goroutine has ended.
//
// The error is one of writing, or says which response did not come.
func PlayClient(out io.Writer, in io.Reader, messages []*history.Message, o Options, onLine func(line []byte, then [][]byte)) (done <-chan struct{}, err error) {
	c := &client{
		Options: o, to: out, ended: make(chan struct{}), pending: map[string]*exchange{}, sessions: map[string]string{}, recorded: map[string]string{},
		requests: queues[*history.Message]{}, responses: map[*history.Message][]byte{}, sent: map[*history.Message]*exchange{}, ids: map[string]string{},
	}
	for _, m := range messages {
		switch {
		case !isPlayed(m):
		case m.Message.Dir == record.Agent && m.Kind == history.Request:
			c.requests[m.Method] = append(c.requests[m.Method], m)
		case m.Message.Dir == record.Client && m.Kind == history.Response && m.Request != nil:
			c.responses[m.Request] = m.JSON
		}
	}
	replies := make(chan []byte, 1024)
	go func() {
		for line := range replies {
			c.write(line)
		}
	}()
	go func() {
		defer close(c.ended)
		defer close(replies)
		c.listen(in, replies, onLine)
	}()
	return c.ended, c.play(messages)
}

func (c *client) write(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.to.Write(append(line, '\n'))
	return err
}

// play sends the messages of the client, each when the responses before it have come.
func (c *client) play(messages []*history.Message) error {
	for _, m := range messages {
		switch {
		case !isPlayed(m):
		case m.Message.Dir == record.Agent:
			if e := c.sent[m.Request]; m.Kind == history.Response && e != nil {
				c.due, c.before = append(c.due, e), m
				delete(c.sent, m.Request)
			}
		case m.Kind != history.Response: // responses are sent when the agent asks
			if err := c.awaitDue(); err != nil {
				return err
			}
			if err := c.send(m); err != nil {
				return fmt.Errorf("the agent has stopped reading: %w", err)
			}
		}
	}
	return c.awaitDue()
}

// send sends a request or notification again.
func (c *client) send(m *history.Message) error {
	time.Sleep(c.pause(c.before, m))
	c.before = m
	c.mu.Lock()
	var id []byte
	if m.Kind == history.Request {
		id = strconv.AppendInt(nil, c.nextID, 10)
		c.nextID++
		c.ids[m.ID] = string(id)
		e := &exchange{original(m), make(chan struct{})}
		c.sent[e.request], c.pending[wire.ID(id)] = e, e
	}
	line := withIDs(m.JSON, id, c.sessions)
	c.mu.Unlock()
	if at, ok := (wire.Pointer{"params", "requestId"}).Find(line); ok && m.Method == acp.CancelRequest {
		if now, ok := c.ids[wire.ID(line[at.Start:at.End])]; ok {
			line = wire.Splice(nil, line, wire.Edit{Span: at, With: []byte(now)})
		}
	}
	return c.write(line)
}

// awaitDue waits for the responses that come before the next message in the record. The error names
// the request whose response did not come.
func (c *client) awaitDue() error {
	for _, e := range c.due {
		select {
		case <-e.done:
			continue
		case <-c.ended:
		case <-time.After(c.wait()):
			return fmt.Errorf("the agent did not respond to %q within %v", e.request.Method, c.wait())
		}
		select {
		case <-e.done:
		default:
			return fmt.Errorf("the agent ended without a response to %q", e.request.Method)
		}
	}
	c.due = nil
	return nil
}

// listen reads the agent's lines until they end.
func (c *client) listen(in io.Reader, replies chan<- []byte, onLine func(line []byte, then [][]byte)) {
	if err := eachLine(in, func(line []byte) { c.receiveLine(line, replies, onLine) }); err != nil {
		c.note("reading from the agent: %v", err)
	}
}

// receiveLine handles a line of the agent. It ends the waits for the responses in it after it has
// called onLine.
func (c *client) receiveLine(line []byte, replies chan<- []byte, onLine func(line []byte, then [][]byte)) {
	var then [][]byte
	var responded []*exchange
	for _, element := range elements(line) {
		was, reply, e := c.receive(element)
		if was != nil {
			then = append(then, was)
		}
		if reply != nil {
			replies <- reply
		}
		if e != nil {
			responded = append(responded, e)
		}
	}
	onLine(line, then)
	for _, e := range responded {
		close(e.done)
	}
}

// receive handles a message of the agent. Then is the message with the ids and sessions of the
// record. Reply is the response to send, or nil. Of is the exchange that the message ends, or nil.
func (c *client) receive(line []byte) (then, reply []byte, of *exchange) {
	msg, err := wire.Parse(line)
	if err != nil {
		return nil, nil, nil
	}
	id := msg.Raw("id")
	method, isMethod := msg.Text("method")
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !isMethod && c.pending[wire.ID(id)] != nil:
		of = c.pending[wire.ID(id)]
		delete(c.pending, wire.ID(id))
		c.noteSession(of.request.Response, line)
		return withIDs(line, wire.Pointer{"id"}.Raw(of.request.JSON), c.recorded), nil, of
	case isMethod && id != nil:
		request, ok := c.requests.next(method)
		response := c.responses[request]
		if !ok || response == nil {
			message := fmt.Sprintf("the record has no further response to %q", method)
			c.note("%s", message)
			return withIDs(line, nil, c.recorded), failure(id, internalError, message), nil
		}
		return withIDs(line, wire.Pointer{"id"}.Raw(request.JSON), c.recorded), withIDs(response, id, nil), nil
	}
	return withIDs(line, nil, c.recorded), nil, nil
}

// noteSession notes the agent's id of a session if a response names one. Then is the response in
// the record.
func (c *client) noteSession(then *history.Message, line []byte) {
	if then == nil {
		return
	}
	if was, now := session(then.JSON), session(line); was != "" && now != "" {
		c.sessions[was], c.recorded[now] = now, was
	}
}
