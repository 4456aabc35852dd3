package planfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"acpshim/internal/wire"
)

// requests is the [channel.Channel] of a JSON-RPC client. It sends the requests to the ACP client between
// the agent's lines, with unique ids. Its methods may be called from any goroutine.
type requests struct {
	opts      LiveOptions
	responses chan []byte // with the ids of the JSON-RPC client
	closed    chan struct{}
	close     func()
}

// errSlow says that the client took so long to read a request that its response cannot be in time.
var errSlow = errors.New("the client does not read")

// maxResponse is the largest result with a text of [MaxSize], in bytes. Each byte may be escaped.
const maxResponse = 6*MaxSize + 4096

func newRequests(o LiveOptions) *requests {
	r := &requests{opts: o, responses: make(chan []byte, 64), closed: make(chan struct{})}
	r.close = sync.OnceFunc(func() { close(r.closed) })
	return r
}

// Send implements channel.Channel.
func (r *requests) Send(line []byte) error {
	msg, err := wire.Parse(line)
	if err != nil {
		return err
	}
	known := bytes.Clone(msg.Raw("id"))
	id := r.opts.Own.Begin("plan", func(result, failure []byte) []byte {
		r.responded(known, result, failure)
		return nil
	})
	request := wire.Splice(nil, line, msg.Set(wire.Setting{Name: "id", Value: wire.Quote(nil, id)})...)
	begun := time.Now()
	switch ok := r.opts.Inject(func(dst []byte) []byte { return append(append(dst, request...), '\n') }); {
	case !ok:
		return io.ErrClosedPipe
	case time.Since(begun) >= askTimeout:
		return errSlow
	}
	return nil
}

// responded passes the result or the error of the ACP client to the JSON-RPC client.
func (r *requests) responded(known, result, failure []byte) {
	begin := append([]byte(`{"jsonrpc":"2.0","id":`), known...)
	var response []byte
	switch {
	case len(result) > maxResponse || len(failure) > maxResponse:
	case result != nil:
		response = fmt.Appendf(nil, `%s,"result":%s}`, begin, result)
	default:
		response = fmt.Appendf(nil, `%s,"error":%s}`, begin, failure)
	}
	if !json.Valid(response) { // it would end the JSON-RPC client
		response = append(begin, `,"error":{"code":-32603,"message":"the response is missing or too large"}}`...)
	}
	select {
	case r.responses <- response:
	default: // too many responses are waiting; this request times out
	}
}

// Recv implements channel.Channel.
func (r *requests) Recv() ([]byte, error) {
	select {
	case response := <-r.responses:
		return response, nil
	case <-r.closed:
		return nil, io.EOF
	}
}

// Close implements channel.Channel.
func (r *requests) Close() error {
	r.close()
	return nil
}
