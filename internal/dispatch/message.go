package dispatch

import (
	"errors"

	"acpshim/internal/conversation"
	"acpshim/internal/wire"
)

// A Kind says what a JSON-RPC message is.
type Kind int

const (
	Malformed    Kind = iota // an object that is no message
	Request                  // answered by the other peer
	Notification             // answered by nobody
	Response                 // a result or an error
)

// A Message is one message as the adapters before left it, and takes what is to become of it. It is
// valid, and so are its bytes, while the adapter handles it.
type Message struct {
	From    Side
	Kind    Kind
	Method  string // of a request or notification
	Update  string // the kind of a session/update
	Session string // params.sessionId
	ID      []byte // raw; nil if it has none

	// Request is the one that a response answers; nil if none was pending.
	Request *conversation.Request

	// Line is the message, with the line's end if it is no element of a batch, and Object what it
	// says, opened at params, update, plan, clientCapabilities and result. Where IsAmbiguous, an
	// object among these has a name twice and is not opened; only who corrects gets such a one.
	Line        []byte
	Object      *wire.Object
	IsAmbiguous bool

	// Number is that of the line of the peer that it stands in, among those of this side that were
	// held, and Size how many bytes that has; 0 for lines of ours.
	Number int64
	Size   int

	d             *Direction
	to            target
	inBatch       bool
	stale         bool // Line is not what the fields above tell of
	settled       bool // those who correct have seen it
	amended       bool // by those who correct
	replaced      bool
	replacements  [][]byte
	before, after []byte
	by            []string
}

// target is where what becomes of a message goes: lines before it, itself, lines behind it.
type target struct{ before, self, after *[]byte }

// paths are what messages are opened at: less and less of those that are ambiguous.
var paths = [][]string{
	{"params", "params.update", "params.update.plan", "params.clientCapabilities", "result"},
	{"params", "params.update"}, {"params"}, nil,
}

// ErrMalformed is why an object is no message.
var ErrMalformed = errors.New("no JSON-RPC message: want a method, a result or an error, and one of them only")

// Params is the object of that name, or nil.
func (m *Message) Params() *wire.Object { return m.Object.Open("params") }

// Result is the object of that name, or nil.
func (m *Message) Result() *wire.Object { return m.Object.Open("result") }

// IsRefusal reports whether a response is an error.
func (m *Message) IsRefusal() bool { return !wire.IsAbsent(m.Object.Raw("error")) }

// Edit changes spans of the message.
func (m *Message) Edit(edits ...wire.Edit) {
	if len(edits) > 0 {
		m.Replace(wire.Splice(nil, m.Line, edits...))
	}
}

// Replace puts messages in the place of this one, each as Line has it. The adapters behind get them
// one by one. None drops it. The bytes are taken over.
func (m *Message) Replace(lines ...[]byte) {
	m.replaced, m.replacements = true, append(m.replacements[:0], lines...)
}

// Drop leaves the message out.
func (m *Message) Drop() { m.Replace() }

// Before puts whole lines before the message, and After behind it. The adapters behind get them,
// too. The bytes are taken over.
func (m *Message) Before(lines []byte) { m.before = append(m.before, lines...) }

// After is Before for lines behind the message.
func (m *Message) After(lines []byte) { m.after = append(m.after, lines...) }

// By names what changes the message, if that is not the adapter's name.
func (m *Message) By(names ...string) { m.by = append(m.by, names...) }

// Announce notes that the agent is told by this initialize request of plan support that the client
// did not tell of in these words.
func (m *Message) Announce() { m.d.d.conversation.Announce(m.ID) }

// Forget has lines looked at anew that passed by how they begin: see Never.
func (m *Message) Forget() { m.d.forget() }

// read fills a message from its line. The error is one of wire.Parse or ErrMalformed; of an
// ambiguous message and a malformed one what can be read is filled in.
func (m *Message) read() error {
	m.Object, m.IsAmbiguous, m.stale = nil, false, false
	var err error
	for _, opened := range paths {
		m.Object, err = wire.Parse(m.Line, opened...)
		if m.Object != nil || !errors.Is(err, wire.ErrAmbiguous) {
			break
		}
		m.IsAmbiguous = true
	}
	m.Kind, m.Method, m.Update, m.Session, m.ID = Malformed, "", "", "", nil
	if err != nil {
		return err
	}
	o := m.Object
	method, isMethod := o.Text("method")
	hasResult, hasError := o.Get("result") != nil, m.IsRefusal()
	m.ID = o.Raw("id")
	switch {
	case isMethod && !hasResult && !hasError && m.ID != nil:
		m.Kind = Request
	case isMethod && !hasResult && !hasError:
		m.Kind = Notification
	case o.Get("method") == nil && hasResult != hasError:
		m.Kind = Response
	default:
		return ErrMalformed
	}
	m.Method = method
	m.Session, _ = m.Params().Text("sessionId")
	if method == "session/update" {
		m.Update, _ = m.Params().Open("update").Text("sessionUpdate")
	}
	return nil
}
