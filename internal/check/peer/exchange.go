package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"acpshim/internal/chain/wire"
)

// The reasons for a missing response.
var (
	ErrEnded  = errors.New("the agent ended")
	ErrClosed = errors.New("the agent closed its standard output")
	ErrFramed = errors.New("the agent does not write one message per line")
	ErrSilent = errors.New("no response in time")
)

// An Exchange is a request to the agent, and its response.
type Exchange struct {
	Method   string
	ID       string   // raw
	Request  *Message // nil until it was sent
	Response *Message // nil until it has come; it may have an id of another type

	came chan struct{} // closed with the first response
}

// HasCome reports whether the response has come.
func (e *Exchange) HasCome() bool {
	select {
	case <-e.came:
		return true
	default:
		return false
	}
}

// Result returns the raw result, or nil.
func (e *Exchange) Result() []byte {
	if e.Response == nil {
		return nil
	}
	return e.Response.Result
}

// Failure returns the raw error, or nil.
func (e *Exchange) Failure() []byte {
	if e.Response == nil {
		return nil
	}
	return e.Response.Error
}

// Begin sends a request with a number as its id.
func (p *Process) Begin(method string, params any) *Exchange { return p.BeginAs("", method, params) }

// BeginAs sends a request with a raw id; "" is the next number.
func (p *Process) BeginAs(id, method string, params any) *Exchange {
	e := p.transcript.begin(id, method)
	p.Send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, e.ID, method, encode(params)))
	return e
}

// Notify sends a notification.
func (p *Process) Notify(method string, params any) {
	p.Send(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":%s}`, method, encode(params)))
}

// encode returns params as JSON. It panics if they cannot be encoded.
func encode(params any) []byte {
	text, err := json.Marshal(params)
	if err != nil {
		panic(err)
	}
	return text
}

// Ask sends a request and waits for its response. The error is one of [Process.Await].
func (p *Process) Ask(ctx context.Context, within time.Duration, method string, params any) (*Exchange, error) {
	e := p.Begin(method, params)
	return e, p.Await(ctx, time.Now().Add(within), e)
}

// Await waits for a response. It returns nil, one of the errors above, or that of ctx.
func (p *Process) Await(ctx context.Context, deadline time.Time, e *Exchange) (err error) {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-e.came:
		return nil
	case <-p.ended:
		err = ErrEnded
	case <-p.transcript.closed:
		err = ErrClosed
		select { // an agent that ends closes it, too
		case <-p.ended:
			err = ErrEnded
		case <-time.After(time.Second):
		}
	case <-p.transcript.framed:
		err = ErrFramed
	case <-timer.C:
		err = ErrSilent
	case <-ctx.Done():
		err = ctx.Err()
	}
	select { // both may have come, and a response counts more
	case <-e.came:
		return nil
	default:
		return err
	}
}

// begin notes a request that will be sent.
func (t *transcript) begin(id, method string) *Exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id == "" {
		id = strconv.Itoa(len(t.exchanges))
	}
	e := &Exchange{Method: method, ID: id, came: make(chan struct{})}
	t.exchanges = append(t.exchanges, e)
	return e
}

// sent notes that a request was sent. The lock is held.
func (t *transcript) sent(m *Message) {
	for _, e := range t.exchanges {
		if e.Request == nil && m.IsRequest() && wire.ID(m.ID) == wire.ID([]byte(e.ID)) {
			e.Request = m
			return
		}
	}
}

// received gives a response to its request. If no request has its id, it may have one that differs
// in its type. The lock is held.
func (t *transcript) received(m *Message) {
	if m.Method != "" || m.Result == nil && m.Error == nil {
		return
	}
	same := func(e *Exchange) bool { return wire.ID(m.ID) != "" && wire.ID(m.ID) == wire.ID([]byte(e.ID)) }
	alike := func(e *Exchange) bool {
		return e.Request != nil && m.ID != nil && strings.Trim(string(m.ID), `"`) == strings.Trim(e.ID, `"`)
	}
	for _, is := range []func(*Exchange) bool{same, alike} {
		for _, e := range t.exchanges {
			if is(e) {
				if e.Response == nil {
					e.Response = m
					close(e.came)
				}
				return
			}
		}
	}
}
