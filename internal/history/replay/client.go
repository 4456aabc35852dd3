package replay

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/record"
	"acpshim/internal/wire"
)

// A client asks an agent what was asked then.
type client struct {
	Options
	writing sync.Mutex
	to      io.Writer

	mu       sync.Mutex
	pending  map[string]*exchange        // by the id that it was sent with
	sessions map[string]string           // the agent's, by those of the record
	then     map[string]string           // and the other way
	asked    byMethod[*history.Message]  // the agent's requests
	answers  map[*history.Message][]byte // to them, as they reached the agent
}

// An exchange is a request of the client's that was sent again.
type exchange struct {
	request  *history.Message
	answered chan struct{}
}

// PlayClient plays the client of a record to the agent at out and in: its
// requests and notifications as they reached the agent, in their order, with new ids and the
// sessions that
// the agent names, each when those are answered that had been answered before
// it. A request of the agent is answered as the next one of its method was.
//
// It returns when all is answered, out is still open then, and a goroutine reads
// in to its end. Heard is called by it for each line of the agent: with the
// line, and with the messages on it as they would be in the record, with its
// ids and sessions. Done is closed when the goroutine has ended.
//
// The error is one of writing, or tells of an answer that did not come.
func PlayClient(out io.Writer, in io.Reader, messages []*history.Message, o Options, heard func(line []byte, then [][]byte)) (done <-chan struct{}, err error) {
	c := &client{Options: o, to: out, pending: map[string]*exchange{}, sessions: map[string]string{}, then: map[string]string{}, asked: byMethod[*history.Message]{}, answers: map[*history.Message][]byte{}}
	for _, m := range messages {
		switch {
		case !isPlayed(m):
		case m.Message.Dir == record.Agent && m.Kind == history.Request:
			c.asked[m.Method] = append(c.asked[m.Method], m)
		case m.Message.Dir == record.Client && m.Kind == history.Response && m.Request != nil:
			c.answers[m.Request] = m.JSON
		}
	}
	ended := make(chan struct{})
	replies := make(chan []byte, 1024)
	go func() {
		for line := range replies {
			c.write(line)
		}
	}()
	go func() {
		defer close(ended)
		defer close(replies)
		c.listen(in, replies, heard)
	}()
	return ended, c.play(messages, ended)
}

func (c *client) write(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.to.Write(append(line, '\n'))
	return err
}

func (c *client) play(messages []*history.Message, ended <-chan struct{}) error {
	sent := map[*history.Message]*exchange{}
	ids := map[string]string{} // of the record, to those that were sent
	var due []*exchange        // what had been answered before the next message
	var before *history.Message
	var n int64 // requests that were sent
	for _, m := range messages {
		if !isPlayed(m) {
			continue
		}
		if m.Message.Dir == record.Agent {
			if e := sent[m.Request]; m.Kind == history.Response && e != nil {
				due, before = append(due, e), m
				delete(sent, m.Request)
			}
			continue
		}
		if m.Kind == history.Response {
			continue // is given when the agent asks
		}
		for _, e := range due {
			if err := c.await(e, ended); err != nil {
				return err
			}
		}
		due = nil
		time.Sleep(c.pause(before, m))
		before = m
		var id []byte
		if m.Kind == history.Request {
			id = strconv.AppendInt(nil, n, 10)
			n++
			ids[m.ID] = string(id)
			e := &exchange{asked(m), make(chan struct{})}
			sent[e.request] = e
			c.mu.Lock()
			c.pending[wire.ID(id)] = e
			c.mu.Unlock()
		}
		c.mu.Lock()
		line := respelled(m.JSON, id, c.sessions)
		c.mu.Unlock()
		if at, ok := (wire.Pointer{"params", "requestId"}).Find(line); ok && m.Method == "$/cancel_request" {
			if now, ok := ids[wire.ID(line[at.Start:at.End])]; ok {
				line = wire.Splice(nil, line, wire.Edit{Span: at, With: []byte(now)})
			}
		}
		if err := c.write(line); err != nil {
			return fmt.Errorf("the agent takes nothing any more: %w", err)
		}
	}
	for _, e := range due {
		if err := c.await(e, ended); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) await(e *exchange, ended <-chan struct{}) error {
	select {
	case <-e.answered:
		return nil
	case <-ended:
		select {
		case <-e.answered:
			return nil
		default:
			return fmt.Errorf("the agent ended and had not answered %q", e.request.Method)
		}
	case <-time.After(c.wait()):
		return fmt.Errorf("the agent did not answer %q within %v", e.request.Method, c.wait())
	}
}

// listen reads what the agent sends, to its end.
func (c *client) listen(in io.Reader, replies chan<- []byte, heard func(line []byte, then [][]byte)) {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var then [][]byte
			var answers []*exchange
			for _, element := range elements(line) {
				was, reply, answer := c.take(element)
				if was != nil {
					then = append(then, was)
				}
				if reply != nil {
					replies <- reply
				}
				if answer != nil {
					answers = append(answers, answer)
				}
			}
			heard(line, then)
			for _, e := range answers {
				close(e.answered)
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.note("reading from the agent: %v", err)
			}
			return
		}
	}
}

// take looks at a message of the agent's: then is what it would be in the
// record, reply what it is answered with, and answer what it answers.
func (c *client) take(line []byte) (then, reply []byte, answer *exchange) {
	msg, err := wire.Parse(line)
	if err != nil {
		return nil, nil, nil
	}
	line = line[msg.Start:msg.End]
	msg, _ = wire.Parse(line)
	c.mu.Lock()
	defer c.mu.Unlock()
	id := msg.Raw("id")
	method, isMethod := msg.Text("method")
	switch {
	case !isMethod:
		e := c.pending[wire.ID(id)]
		if e == nil {
			break
		}
		delete(c.pending, wire.ID(id))
		if e.request.Response != nil {
			if was, now := session(e.request.Response.JSON), session(line); was != "" && now != "" {
				c.sessions[was], c.then[now] = now, was
			}
		}
		return respelled(line, wire.Pointer{"id"}.Raw(e.request.JSON), c.then), nil, e
	case id != nil:
		request, ok := c.asked.next(method)
		answer := c.answers[request]
		if !ok || answer == nil {
			message := fmt.Sprintf("the record has no answer to a further %q", method)
			c.note("%s", message)
			return respelled(line, nil, c.then), failure(id, internalError, message), nil
		}
		return respelled(line, wire.Pointer{"id"}.Raw(request.JSON), c.then), respelled(answer, id, nil), nil
	}
	return respelled(line, nil, c.then), nil, nil
}
