package planfile

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"acpshim/internal/wire"
)

// requests is the [channel.Channel] of a JSON-RPC client whose requests go to the ACP
// client between the agent's lines. Their ids are replaced by ones that nobody
// else uses. Its methods may be called from any goroutine.
type requests struct {
	prefix string // of the ids
	inject func(produce func(dst []byte) []byte) bool
	sent   atomic.Bool // one was, ever

	mu      sync.Mutex
	pending map[string]bool // by id

	responses chan []byte // with the ids that the JSON-RPC client knows
	closed    chan struct{}
	close     func()
}

// errSlow is what Send returns if the client was so slow to take a request that
// the response cannot be in time.
var errSlow = errors.New("the client takes nothing")

// maxResponse is the largest result that can hold a text that is small enough, in
// bytes: each of its bytes may be escaped.
const maxResponse = 6*MaxSize + 4096

// newRequests returns a channel whose ids nobody else can know.
func newRequests(inject func(func([]byte) []byte) bool) *requests {
	var random [16]byte
	rand.Read(random[:])
	r := &requests{
		prefix:    "acpshim-" + hex.EncodeToString(random[:]) + "-",
		inject:    inject,
		pending:   map[string]bool{},
		responses: make(chan []byte, 64),
		closed:    make(chan struct{}),
	}
	r.close = sync.OnceFunc(func() { close(r.closed) })
	return r
}

// Send implements channel.Channel.
func (r *requests) Send(line []byte) error {
	msg, err := wire.Parse(line)
	if err != nil {
		return err
	}
	id := r.prefix + string(msg.Raw("id"))
	request := wire.Splice(nil, line, msg.Set(wire.Setting{Name: "id", Value: wire.Quote(nil, id)})...)
	r.mu.Lock()
	r.pending[id] = true
	r.mu.Unlock()
	r.sent.Store(true)
	begun := time.Now()
	switch ok := r.inject(func(dst []byte) []byte { return append(append(dst, request...), '\n') }); {
	case !ok:
		return io.ErrClosedPipe
	case time.Since(begun) >= askTimeout:
		return errSlow
	}
	return nil
}

// responded takes the client's response to a request, the first one only: its id, and
// its result or its error.
func (r *requests) responded(id string, result, failure []byte) {
	r.mu.Lock()
	pending := r.pending[id]
	delete(r.pending, id)
	r.mu.Unlock()
	if !pending {
		return
	}
	begin := `{"jsonrpc":"2.0","id":` + strings.TrimPrefix(id, r.prefix)
	var response []byte
	switch {
	case len(result) > maxResponse || len(failure) > maxResponse:
	case result != nil:
		response = fmt.Appendf(nil, `%s,"result":%s}`, begin, result)
	default:
		response = fmt.Appendf(nil, `%s,"error":%s}`, begin, failure)
	}
	if !json.Valid(response) { // the JSON-RPC client would end
		response = []byte(begin + `,"error":{"code":-32603,"message":"the response is none, or too large"}}`)
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
