package dispatch

import (
	"errors"
	"strings"

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

// A Message is one message as the adapters before left it. Its methods say what becomes of it. It
// is valid, and so are its bytes, during the call that it is given to.
type Message struct {
	From    Side
	Kind    Kind
	Method  string // of a request or notification
	Update  string // the kind of a session/update
	Session string // params.sessionId
	ID      []byte // raw; nil if it has none

	// Request is the one that a response answers; nil if none was pending.
	Request *conversation.Request

	// Line is the message, with the line's end if it is no element of a batch. Object is Line as it
	// was parsed, opened at params, params.update, params.update.plan, params.clientCapabilities
	// and result. If IsAmbiguous, one of these has a name twice and is not opened; only adapters
	// that look at each line are given such a message.
	Line        []byte
	Object      *wire.Object
	IsAmbiguous bool

	// Number counts the held lines of the side up to the one that the message stands in, and Size
	// is the length of that line; both are 0 for a message that an adapter put before or after
	// another.
	Number int64
	Size   int

	d             *Direction
	at            int  // the index of the adapter that is given it
	isGone        bool // it is held or answered: nothing of it goes on
	to            target
	inBatch       bool
	stale         bool // Line was replaced, and the fields above are still those of the old one
	isTaken       bool // the conversation has taken in the response
	settled       bool // the adapters that correct have handled it
	amended       bool // the adapters that correct have changed it
	replaced      bool
	replacements  [][]byte
	edits         []wire.Edit
	before, after []byte
	by            []wire.Cause
	why           string
}

// paths are what a message is opened at: the first of these that is not ambiguous.
var paths = [][]string{
	{"params", "params.update", "params.update.plan", "params.clientCapabilities", "result"},
	{"params", "params.update"}, {"params"}, nil,
}

// ErrMalformed is why an object is no message.
var ErrMalformed = errors.New("no JSON-RPC message: want a method, a result or an error, and one of them only")

// Params is the object params, or nil.
func (m *Message) Params() *wire.Object { return m.Object.Open("params") }

// Result is the object result, or nil.
func (m *Message) Result() *wire.Object { return m.Object.Open("result") }

// Opened is the id of the session that a response opens or creates, "" if it names none.
func (m *Message) Opened() string {
	if !m.Request.Creates() {
		return m.Request.Session
	}
	id, _ := m.Result().Text("sessionId")
	return id
}

// IsRefusal reports whether a response is an error.
func (m *Message) IsRefusal() bool { return !wire.IsAbsent(m.Object.Raw("error")) }

// Code is the code of a response that is an error, as wire.ID has it; "" if there is none.
func (m *Message) Code() string {
	failure, _ := wire.Parse(m.Object.Raw("error"))
	return wire.ID(failure.Raw("code"))
}

// Edit changes spans of the message, beside those of earlier Edits: they must not overlap. Members
// are added to one object by one Set: another one does not see them.
func (m *Message) Edit(edits ...wire.Edit) {
	if len(edits) > 0 {
		m.edits = append(m.edits, edits...)
		m.Replace(wire.Splice(nil, m.Line, m.edits...))
	}
}

// Offer has a request to initialize tell the agent of capabilities, besides those of the client:
// the Name of each is that of a member of clientCapabilities, or several names with slashes
// between. It reports false, and changes nothing, where another value is in the way. An adapter
// offers once: all that it has to offer.
func (m *Message) Offer(capabilities ...wire.Setting) bool {
	offered := m.Params().Raw("clientCapabilities")
	for _, c := range capabilities {
		if offered = wire.With(offered, strings.Split(c.Name, "/"), c.Value); offered == nil {
			return false
		}
	}
	m.Edit(m.Params().Set(wire.Setting{Name: "clientCapabilities", Value: offered})...)
	return true
}

// Replace replaces the message by others, each with a line's end if Line has one. The adapters
// after this one are given them one by one. The Message owns the bytes from then on.
func (m *Message) Replace(lines ...[]byte) {
	m.replaced, m.replacements = true, lines
}

// Drop replaces the message by nothing. A request stays as it is: its sender waits for a response,
// and if it is one by mistake, such as a session/update with an id, the other peer refuses it.
func (m *Message) Drop() {
	if m.Kind != Request {
		m.Replace()
	}
}

// Before puts whole lines before the message. The adapters after this one are given them, too. The
// Message owns the bytes from then on.
func (m *Message) Before(lines []byte) { m.before = append(m.before, lines...) }

// After is Before for lines after the message.
func (m *Message) After(lines []byte) { m.after = append(m.after, lines...) }

// By names what changes the message, such as a rule, in place of the adapter's name, and says why.
func (m *Message) By(causes ...wire.Cause) {
	for _, c := range causes {
		m.by = wire.AddCause(m.by, c)
	}
}

// Because says why the adapter does with the message what it does: whatever changes one has a
// reason. Records keep it: it has no text of the conversation but names, such as the id of a plan.
func (m *Message) Because(why string) { m.why = why }

// BecauseOf is Because for a reason that is worth telling only if somebody keeps it.
func (m *Message) BecauseOf(why func() string) {
	if !m.d.d.opts.Unexplained {
		m.why = why()
	}
}

// Announce notes that the agent is told by this initialize request of plan support that the client
// did not tell of in these words.
func (m *Message) Announce() { m.d.d.conversation.Announce(m.ID) }

// InBatch reports whether the message stands in an array: what is put before or after it stands
// before or after the array.
func (m *Message) InBatch() bool { return m.inBatch }

// Forget takes back each Never of this direction.
func (m *Message) Forget() { m.d.forget() }

// KindOf returns what a JSON object is as a JSON-RPC message. A null counts as a result only where
// there is no method: some peers write every member.
func KindOf(o *wire.Object) Kind {
	_, isMethod := o.Text("method")
	hasResult, hasError := o.Get("result") != nil, !wire.IsAbsent(o.Raw("error"))
	if isMethod {
		hasResult = !wire.IsAbsent(o.Raw("result"))
	}
	switch {
	case isMethod && !hasResult && !hasError && o.Raw("id") != nil:
		return Request
	case isMethod && !hasResult && !hasError:
		return Notification
	case wire.IsAbsent(o.Raw("method")) && hasResult != hasError:
		return Response
	}
	return Malformed
}

// read sets the fields of a message from its Line. The error is one of wire.Parse, or ErrMalformed.
// Of an ambiguous or malformed message, what can be read is set.
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
	m.ID, m.Kind = m.Object.Raw("id"), KindOf(m.Object)
	if m.Kind == Malformed {
		return ErrMalformed
	}
	method, _ := m.Object.Text("method")
	m.Method = method
	m.Session, _ = m.Params().Text("sessionId")
	if method == "session/update" {
		m.Update, _ = m.Params().Open("update").Text("sessionUpdate")
	}
	return nil
}
