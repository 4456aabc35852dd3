package demo

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"sync"

	"acpshim/internal/chain/wire"
)

// A peer sends and receives the lines of the test agent. Unlike a library for JSON-RPC, it shows a
// [Checker] every line, and no line of the client ends it.
type peer struct {
	checker Checker // nil if nobody checks the client

	mu    sync.Mutex // for what follows
	out   io.Writer
	next  int                      // the number in the next id
	calls map[string]chan<- []byte // requests without a response, by [wire.ID]
}

// read calls handle with each message until the end of the input. Responses go to their requests.
func (p *peer) read(in io.Reader, handle func(id []byte, method string, message *wire.Object)) error {
	for lines := bufio.NewReaderSize(in, 64<<10); ; {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			p.receive(line, handle)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil {
			return nil
		}
	}
}

func (p *peer) receive(line []byte, handle func(id []byte, method string, message *wire.Object)) {
	if p.checker != nil {
		p.checker.Received(line)
	}
	message, err := wire.Parse(line, "params", "params.clientCapabilities", "params.clientCapabilities.elicitation")
	if err != nil {
		if wire.SpaceEnd(line, 0) < len(line) {
			p.send(wire.Refusal([]byte("null"), codeParse, "the line is not a JSON-RPC message: "+err.Error()))
		}
		return
	}
	id := message.Raw("id")
	if method, ok := message.Text("method"); ok {
		handle(id, method, message)
		return
	}
	p.mu.Lock()
	done := p.calls[wire.ID(id)]
	delete(p.calls, wire.ID(id))
	p.mu.Unlock()
	if done != nil {
		done <- line
	}
}

// JSON-RPC's codes.
const (
	codeParse    = -32700
	codeNoMethod = -32601
	codeParams   = -32602
)

// send writes a line. An error shows at the end of the input, too.
func (p *peer) send(line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(line)
}

func (p *peer) write(line []byte) {
	if p.checker != nil {
		p.checker.Sent(line)
	}
	p.out.Write(line)
}

func (p *peer) notify(method string, params []byte) {
	p.send(append(append(wire.Quote([]byte(`{"jsonrpc":"2.0","method":`), method), `,"params":`...), append(params, "}\n"...)...))
}

// request sends a request. The channel gets the line of its response.
func (p *peer) request(method string, params []byte) (id []byte, done <-chan []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id = strconv.AppendInt(nil, int64(p.next), 10)
	if p.checker != nil && p.next == 1 {
		id = []byte(`"acpshim-1"`) // ids are numbers or strings
	}
	p.next++
	response := make(chan []byte, 1)
	p.calls[wire.ID(id)] = response
	line := append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"method":`...)
	line = append(append(wire.Quote(line, method), `,"params":`...), params...)
	p.write(append(line, "}\n"...))
	return id, response
}
