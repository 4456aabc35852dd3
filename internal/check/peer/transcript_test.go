package peer

import (
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
)

func TestOutputIsSplitIntoResponsesAndJunk(t *testing.T) {
	for name, c := range map[string]struct {
		out            string
		result         string // of the response
		junk           int
		first          string
		framed, closed bool
		pieces         int // the lines that were put together
	}{
		"a response in pieces":  {out: `{"jsonrpc":"2.0",|"id":0,"result":{"a":1}}` + "\n", result: `{"a":1}`},
		"no line end":           {out: `{"jsonrpc":"2.0","id":0,"result":{}}`, result: "{}", closed: true},
		"junk first":            {out: "Welcome\nnpm\n" + `{"id":0,"result":1}` + "\n", result: "1", junk: 2, first: "Welcome"},
		"LSP":                   {out: "Content-Length: 2\r\n\r\n{}", junk: 1, first: "Content-Length: 2", framed: true},
		"an id of another type": {out: `{"jsonrpc":"2.0","id":"0","result":1}` + "\n", result: "1"},
		"another id":            {out: `{"jsonrpc":"2.0","id":1,"result":1}` + "\n"},
		"a request":             {out: `{"jsonrpc":"2.0","id":0,"method":"fs/read_text_file"}` + "\n"},
		"a notification":        {out: `{"jsonrpc":"2.0","method":"session/update"}` + "\n"},
		"twice":                 {out: `{"id":0,"result":1}` + "\n" + `{"id":0,"result":2}` + "\n", result: "1"},
		"null":                  {out: `{"id":0,"result":null}` + "\n", result: "null"},
		"several lines":         {out: "log\n{\n  \"id\": 0,\n\n  \"result\": {\n  }\n}\nlog\n", result: "{}", junk: 7, first: "log", pieces: 6},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Process{transcript: newTranscript()}
			e := p.transcript.begin("", "m")
			p.transcript.add(wire.Client, []byte(`{"jsonrpc":"2.0","id":0,"method":"m"}`+"\n"))
			for piece := range strings.SplitSeq(c.out, "|") {
				p.transcript.add(wire.Agent, []byte(piece))
			}
			if c.closed {
				p.transcript.close()
			}
			p.transcript.markPieces()
			junk, first, _ := p.Junk()
			pieces := 0
			for _, m := range p.Messages() {
				if m.IsPiece {
					pieces++
				}
			}
			if string(e.Result()) != c.result || junk != c.junk || first != c.first || isClosed(p.transcript.framed) != c.framed || pieces != c.pieces {
				t.Errorf("result %q, junk %d, first %q, framed %v, pieces %d", e.Result(), junk, first, isClosed(p.transcript.framed), pieces)
			}
			if e.Request == nil {
				t.Error("the request is not known")
			}
		})
	}
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// However much an agent writes, little of it is kept, and responses are still found.
func TestWhatIsKeptIsBounded(t *testing.T) {
	tr := newTranscript()
	e := tr.begin("", "m")
	block := []byte(strings.Repeat("x", 1<<20))
	for range 3 * maxLine >> 20 {
		tr.add(wire.Agent, block)
	}
	if n := len(tr.parts[wire.Agent.Index()]); n > maxLine {
		t.Errorf("%d bytes of a line are kept", n)
	}
	for range 2 * maxBytes >> 20 {
		tr.add(wire.Agent, append(block, '\n'))
	}
	tr.add(wire.Agent, []byte(`{"id":0,"result":1}`+"\n"))
	if tr.kept > maxBytes || string(e.Result()) != "1" {
		t.Errorf("%d bytes are kept, result %q", tr.kept, e.Result())
	}
	if first := tr.messages[0]; first.Line != nil || first.Size <= maxLine {
		t.Errorf("a long line of %d bytes is kept: %t", first.Size, first.Line != nil)
	}
	for range maxLines + 1 {
		tr.add(wire.Agent, []byte("\n"))
	}
	if len(tr.messages) > maxLines {
		t.Errorf("%d lines are kept", len(tr.messages))
	}
}
