package remote

import (
	"bytes"
	"encoding/json"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// A message is a message of the client.
type message struct {
	line    []byte // without its line end
	method  string // empty for a response
	id      []byte // raw; nil for a notification
	session string // params.sessionId; may be empty
}

// A request is a pending request of the client, or of acpshim itself.
type request struct {
	id              []byte // raw
	method, session string
	params          []byte      // to load the session again
	response        chan []byte // gets the response to acpshim's own request; nil for the client's
}

func (m message) isRequest() bool  { return m.method != "" && m.id != nil }
func (m message) isResponse() bool { return m.method == "" && m.id != nil }

// readMessage reads a JSON object.
func readMessage(line []byte) (message, error) {
	m := message{line: line}
	if o, err := wire.Parse(line, "params"); err == nil {
		m.method, _ = o.Text("method")
		m.id = o.Raw("id")
		m.session, _ = o.Open("params").Text("sessionId")
		return m, nil
	}
	// Of duplicate names the last one counts, as for servers.
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
	json.Unmarshal(loose.Params, &params) // other params have no session
	m.method, m.id, m.session = loose.Method, loose.ID, params.SessionID
	return m, nil
}

// paramsOf returns the raw params of a message, or nil.
func paramsOf(line []byte) []byte {
	o, _ := wire.Parse(line)
	return o.Raw("params")
}

// A head is the head of a message of the agent.
type head struct {
	method     []byte // nil for a response
	id         []byte // raw; nil for a notification
	isResponse bool   // it has a result or an error, and no method
}

// readHead reads the head of a message. For an update it stops at the method.
func readHead(line []byte) head {
	h, reading := wire.PeekHead(line, func(h wire.Head) bool {
		return string(h.Method) == acp.SessionUpdate || h.ID != nil && (h.Method != nil || h.Response)
	})
	if reading == wire.Unclear {
		o, err := wire.Parse(line)
		if err != nil {
			return head{}
		}
		a := head{id: o.Raw("id"), isResponse: o.Get("method") == nil && (o.Get("result") != nil || o.Get("error") != nil)}
		if method, ok := o.Text("method"); ok {
			a.method = []byte(method)
		}
		return a
	}
	return head{h.Method, h.ID, h.Response && h.Method == nil}
}

// failure returns an error response with code -32603, without a line end. Data may be nil.
func failure(id []byte, text string, data any) []byte {
	var raw []byte
	if data != nil {
		raw, _ = json.Marshal(data)
	}
	return bytes.TrimSuffix(wire.RefusalWith(id, -32603, text, raw), []byte("\n"))
}
