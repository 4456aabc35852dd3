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

// requests is the channel of a JSON-RPC client whose requests go to the ACP
// client between the agent's lines. Their ids are replaced by ones that nobody
// else uses.
type requests struct {
	prefix string
	inject func(produce func(dst []byte) []byte) bool
	sent   atomic.Bool

	mu      sync.Mutex
	waiting map[string]bool // ids of requests that were not answered

	answers chan []byte
	closed  chan struct{}
	close   func()
}

// errSlow is what Send returns if the client was so slow to take a request that
// the answer cannot be in time.
var errSlow = errors.New("the client takes nothing")

// maxAnswer is the largest result that can hold a text that is small enough, in
// bytes: each of its bytes may be escaped.
const maxAnswer = 6*MaxSize + 4096

func newRequests(inject func(func([]byte) []byte) bool) *requests {
	var random [16]byte
	rand.Read(random[:])
	r := &requests{
		prefix:  "acpshim-" + hex.EncodeToString(random[:]) + "-",
		inject:  inject,
		waiting: map[string]bool{},
		answers: make(chan []byte, 64),
		closed:  make(chan struct{}),
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
	r.waiting[id] = true
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

// answered takes the client's answer to a request, the first one only.
func (r *requests) answered(id string, result, failure []byte) {
	r.mu.Lock()
	waits := r.waiting[id]
	delete(r.waiting, id)
	r.mu.Unlock()
	if !waits {
		return
	}
	begin := `{"jsonrpc":"2.0","id":` + strings.TrimPrefix(id, r.prefix)
	var answer []byte
	switch {
	case len(result) > maxAnswer || len(failure) > maxAnswer:
	case result != nil:
		answer = fmt.Appendf(nil, `%s,"result":%s}`, begin, result)
	default:
		answer = fmt.Appendf(nil, `%s,"error":%s}`, begin, failure)
	}
	if !json.Valid(answer) { // the JSON-RPC client would end
		answer = []byte(begin + `,"error":{"code":-32603,"message":"the answer is none, or too large"}}`)
	}
	select {
	case r.answers <- answer:
	default: // more files are asked for than can be: the request times out
	}
}

// Recv implements channel.Channel.
func (r *requests) Recv() ([]byte, error) {
	select {
	case answer := <-r.answers:
		return answer, nil
	case <-r.closed:
		return nil, io.EOF
	}
}

// Close implements channel.Channel.
func (r *requests) Close() error {
	r.close()
	return nil
}
