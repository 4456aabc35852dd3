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

// requests is the [channel.Channel] of a JSON-RPC client whose requests go to the ACP
// client between the agent's lines. Their ids are replaced by ones that nobody
// else uses. Its methods may be called from any goroutine.
type requests struct {
	opts      LiveOptions
	responses chan []byte // with the ids that the JSON-RPC client knows
	closed    chan struct{}
	close     func()
}

// errSlow is what Send returns if the client was so slow to take a request that
// the response cannot be in time.
var errSlow = errors.New("the client does not read")

// maxResponse is the largest result that can hold a text that is small enough, in
// bytes: each of its bytes may be escaped.
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

// responded takes the client's response to the request that the JSON-RPC client knows by that id:
// its result or its error.
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
	if !json.Valid(response) { // the JSON-RPC client would end
		response = append(begin, `,"error":{"code":-32603,"message":"the response is missing or too large"}}`...)
	}
	select {
	case r.responses <- response:
	default: // more files are asked for than can be: the request times out
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
