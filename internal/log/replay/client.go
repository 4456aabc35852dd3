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

// A client sends an agent the requests of the record.
type client struct {
	Options
	writing sync.Mutex
	to      io.Writer
	ended   chan struct{} // closed when all lines of the agent were read

	mu        sync.Mutex
	pending   map[string]*exchange        // by the new id
	sessions  map[string]string           // the agent's sessions, by those of the record
	then      map[string]string           // the other way round
	asked     byMethod[*history.Message]  // the agent's requests
	responses map[*history.Message][]byte // to the agent's requests, as they reached it

	// Only the goroutine of play uses these.
	sent   map[*history.Message]*exchange
	ids    map[string]string // new ids, by those of the record
	due    []*exchange       // requests that had their responses before the next message
	before *history.Message
	n      int64 // requests that were sent
}

// An exchange is a request of the client that was sent again.
type exchange struct {
	request *history.Message
	came    chan struct{} // closed when its response comes
}

// PlayClient plays the client of a record to the agent at out and in. It sends the requests and
// notifications as they reached the agent, in order, with new ids and the agent's sessions. It
// sends each one as soon as all requests have their responses that had them before it in the
// record. A request of the agent gets the response of the next request of its method.
//
// PlayClient returns when all responses have come. Then out is still open, and a goroutine reads in
// to its end. That goroutine calls heard for each line of the agent: with the line, and with its
// messages as they would be in the record, with the ids and sessions of the record. Done is closed
// when the goroutine has ended.
//
// The error is one of writing, or says which response did not come.
func PlayClient(out io.Writer, in io.Reader, messages []*history.Message, o Options, heard func(line []byte, then [][]byte)) (done <-chan struct{}, err error) {
	c := &client{
		Options: o, to: out, ended: make(chan struct{}), pending: map[string]*exchange{}, sessions: map[string]string{}, then: map[string]string{},
		asked: byMethod[*history.Message]{}, responses: map[*history.Message][]byte{}, sent: map[*history.Message]*exchange{}, ids: map[string]string{},
	}
	for _, m := range messages {
		switch {
		case !isPlayed(m):
		case m.Message.Dir == record.Agent && m.Kind == history.Request:
			c.asked[m.Method] = append(c.asked[m.Method], m)
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
		c.listen(in, replies, heard)
	}()
	return c.ended, c.play(messages)
}

func (c *client) write(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.to.Write(append(line, '\n'))
	return err
}

// play sends the messages of the client, each when it is due.
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
				return fmt.Errorf("the agent reads nothing any more: %w", err)
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
		id = strconv.AppendInt(nil, c.n, 10)
		c.n++
		c.ids[m.ID] = string(id)
		e := &exchange{original(m), make(chan struct{})}
		c.sent[e.request], c.pending[wire.ID(id)] = e, e
	}
	line := respelled(m.JSON, id, c.sessions)
	c.mu.Unlock()
	if at, ok := (wire.Pointer{"params", "requestId"}).Find(line); ok && m.Method == acp.CancelRequest {
		if now, ok := c.ids[wire.ID(line[at.Start:at.End])]; ok {
			line = wire.Splice(nil, line, wire.Edit{Span: at, With: []byte(now)})
		}
	}
	return c.write(line)
}

// awaitDue waits for the responses that came before the next message in the record.
func (c *client) awaitDue() error {
	for _, e := range c.due {
		select {
		case <-e.came:
			continue
		case <-c.ended:
		case <-time.After(c.wait()):
			return fmt.Errorf("the agent did not respond to %q within %v", e.request.Method, c.wait())
		}
		select {
		case <-e.came:
		default:
			return fmt.Errorf("the agent ended without a response to %q", e.request.Method)
		}
	}
	c.due = nil
	return nil
}

// listen reads what the agent sends, to its end.
func (c *client) listen(in io.Reader, replies chan<- []byte, heard func(line []byte, then [][]byte)) {
	if err := eachLine(in, func(line []byte) { c.line(line, replies, heard) }); err != nil {
		c.note("reading from the agent: %v", err)
	}
}

// line takes in a line of the agent. After heard was called with it, the waits for its responses
// end.
func (c *client) line(line []byte, replies chan<- []byte, heard func(line []byte, then [][]byte)) {
	var then [][]byte
	var came []*exchange
	for _, element := range elements(line) {
		was, reply, e := c.take(element)
		if was != nil {
			then = append(then, was)
		}
		if reply != nil {
			replies <- reply
		}
		if e != nil {
			came = append(came, e)
		}
	}
	heard(line, then)
	for _, e := range came {
		close(e.came)
	}
}

// take takes in a message of the agent: then is the message as it would be in the record, reply is
// the response to it, and of is the exchange that it ends.
func (c *client) take(line []byte) (then, reply []byte, of *exchange) {
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
		c.name(of.request.Response, line)
		return respelled(line, wire.Pointer{"id"}.Raw(of.request.JSON), c.then), nil, of
	case isMethod && id != nil:
		request, ok := c.asked.next(method)
		response := c.responses[request]
		if !ok || response == nil {
			message := fmt.Sprintf("the record has no response to a further %q", method)
			c.note("%s", message)
			return respelled(line, nil, c.then), failure(id, internalError, message), nil
		}
		return respelled(line, wire.Pointer{"id"}.Raw(request.JSON), c.then), respelled(response, id, nil), nil
	}
	return respelled(line, nil, c.then), nil, nil
}

// name notes the agent's id of a session, if a response has one.
func (c *client) name(then *history.Message, line []byte) {
	if then == nil {
		return
	}
	if was, now := session(then.JSON), session(line); was != "" && now != "" {
		c.sessions[was], c.then[now] = now, was
	}
}
