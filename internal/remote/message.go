package remote

import (
	"encoding/json"
	"fmt"

	"acpshim/internal/wire"
)

// A message is one of the client.
type message struct {
	line    []byte // without its end
	method  string // "" of a response
	id      []byte // raw; nil of a notification
	session string // params.sessionId; "" if it has none
}

// A request is one of the client that has no response yet.
type request struct {
	id              []byte // raw
	method, session string
	params          []byte      // of one that opens a session, to load it again
	answer          chan []byte // of our own: it takes the response
}

func (m message) isRequest() bool  { return m.method != "" && m.id != nil }
func (m message) isResponse() bool { return m.method == "" && m.id != nil }

// readMessage reads a message, which is a JSON object.
func readMessage(line []byte) (message, error) {
	m := message{line: line}
	if o, err := wire.Parse(line, "params"); err == nil {
		m.method, _ = o.Text("method")
		m.id = o.Raw("id")
		m.session, _ = o.Open("params").Text("sessionId")
		return m, nil
	}
	// A name that is there twice is read as servers do: the last one counts.
	var loose struct {
		Method string          `json:"method"`
		ID     json.RawMessage `json:"id"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(line, &loose); err != nil {
		return m, err
	}
	var params struct {
		SessionID string `json:"sessionId"`
	}
	json.Unmarshal(loose.Params, &params) // params of another shape name no session
	m.method, m.id, m.session = loose.Method, loose.ID, params.SessionID
	return m, nil
}

// paramsOf are the raw params of a message; nil if it has none.
func paramsOf(line []byte) []byte {
	o, _ := wire.Parse(line)
	return o.Raw("params")
}

// An answer is what a message of the agent says beside its content.
type answer struct {
	method     []byte // nil of a response
	id         []byte // raw; nil of a notification
	isResponse bool   // it has a result or an error, and no method
}

// readAnswer reads the head of a message of the agent. Of an update it looks no further.
func readAnswer(line []byte) answer {
	head, reading := wire.PeekHead(line, func(h wire.Head) bool {
		return string(h.Method) == "session/update" || h.ID != nil && (h.Method != nil || h.Response)
	})
	if reading == wire.Unclear {
		o, err := wire.Parse(line)
		if err != nil {
			return answer{}
		}
		a := answer{id: o.Raw("id"), isResponse: o.Get("method") == nil && (o.Get("result") != nil || o.Get("error") != nil)}
		if method, ok := o.Text("method"); ok {
			a.method = []byte(method)
		}
		return a
	}
	return answer{head.Method, head.ID, head.Response && head.Method == nil}
}

// failure is an error response of code -32603; data may be nil.
func failure(id []byte, text string, data any) []byte {
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":`, id)
	line = wire.Quote(line, text)
	if data != nil {
		if raw, err := json.Marshal(data); err == nil {
			line = append(append(line, `,"data":`...), raw...)
		}
	}
	return append(line, "}}"...)
}
