package dispatch

import (
	"errors"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// A Kind says what a JSON-RPC message is.
type Kind int

const (
	Malformed    Kind = iota // an object that is not a message
	Request                  // the other peer responds to it
	Notification             // nobody responds to it
	Response                 // a result or an error
)

// A Message is one message as the earlier adapters left it. Its methods decide what is forwarded.
// The Message and its bytes are valid only during the call of Handle.
type Message struct {
	From    Side
	Kind    Kind
	Method  string // of a request or notification
	Update  string // the kind of a session/update
	Session string // params.sessionId
	ID      []byte // raw; nil if it has none

	// Request is the request of a response; nil if none was pending.
	Request *conversation.Request

	// Line is the message, with its line end unless it is an element of a batch. Object is the
	// parsed Line, opened at params, params.update, params.update.plan, params.clientCapabilities
	// and result. If IsAmbiguous, one of these has a repeated name and is not opened; only a
	// LineReader gets such a message.
	Line        []byte
	Object      *wire.Object
	IsAmbiguous bool

	// Number counts the held lines of the side up to the line of the message, and Size is the
	// length of that line. Both are 0 for a message that an adapter added.
	Number int64
	Size   int

	d        *Direction
	at       int // the index of the current adapter
	to       target
	inBatch  bool
	isOwn    bool // acpshim sends it itself, or it responds to such a request
	stale    bool // Line was replaced, and the fields above are still those of the old one
	progress progress
	work
}

// A progress says how far a message has updated the conversation. It only grows.
type progress int

const (
	arrived progress = iota // as its sender wrote it
	amended                 // as its sender wrote it, but a Corrector has changed it since
	settled                 // as the Correctors left it
)

// amend notes that an adapter has changed the message.
func (m *Message) amend() {
	if m.progress == arrived {
		m.progress = amended
	}
}

// A work is what the current adapter makes of a message.
type work struct {
	isReplaced    bool // by replacements, or by nothing
	isRemoved     bool // it is held or has a response, so it is dropped even if the adapter panics
	replacements  [][]byte
	edits         []wire.Edit
	before, after []byte
	heldBefore    []heldLine // those of before that the adapter held
	heldAfter     []heldLine
	by            []wire.Cause
	why           wire.Reason
	shows         *shownPlans
}

// paths are the objects to open in a message. The first list without an ambiguous object counts.
var paths = [][]string{
	{"params", "params.update", "params.update.plan", "params.clientCapabilities", "result"},
	{"params", "params.update"}, {"params"}, nil,
}

// ErrMalformed says why an object is not a message.
var ErrMalformed = errors.New("not a JSON-RPC message: it needs exactly one of method, result and error")

// Params returns the object params, or nil.
func (m *Message) Params() *wire.Object { return m.Object.Open("params") }

// Result returns the object result, or nil.
func (m *Message) Result() *wire.Object { return m.Object.Open("result") }

// Opened returns the id of the session that a response opens or creates, or "".
func (m *Message) Opened() string {
	if !m.Request.Creates() {
		return m.Request.Session
	}
	id, _ := m.Result().Text("sessionId")
	return id
}

// IsRefusal reports whether a response is an error.
func (m *Message) IsRefusal() bool { return !wire.IsAbsent(m.Object.Raw("error")) }

// Code returns the code of an error response as [wire.ID] returns it, or "".
func (m *Message) Code() string {
	failure, _ := wire.Parse(m.Object.Raw("error"))
	return wire.ID(failure.Raw("code"))
}

// Edit changes spans of the message. They must not overlap with spans of earlier Edits. Add members
// to an object with one Set: a second Set does not see the first.
func (m *Message) Edit(edits ...wire.Edit) {
	if len(edits) > 0 {
		m.edits = append(m.edits, edits...)
		m.Replace(wire.Splice(nil, m.Line, m.edits...))
	}
}

// Offer adds capabilities to a request to initialize. The Name of each is a member of
// clientCapabilities, or several names with slashes between. Offer returns false and changes
// nothing if another value is in the way. An adapter calls it once, with everything that it offers.
func (m *Message) Offer(capabilities ...wire.Setting) bool {
	offered := m.Params().Raw(acp.ClientCapabilities)
	for _, c := range capabilities {
		if offered = wire.With(offered, strings.Split(c.Name, "/"), c.Value); offered == nil {
			return false
		}
	}
	m.Edit(m.Params().Set(wire.Setting{Name: acp.ClientCapabilities, Value: offered})...)
	return true
}

// Replace replaces the message with others, each with a line end if Line has one. The next adapters
// get them one by one. The Message owns the bytes from then on.
func (m *Message) Replace(lines ...[]byte) {
	m.isReplaced, m.replacements = true, lines
}

// Drop removes the message. It leaves a request, because its sender waits for a response. If it is
// a request by mistake, such as a session/update with an id, the other peer refuses it.
func (m *Message) Drop() {
	if m.Kind != Request {
		m.Replace()
	}
}

// Before adds whole lines before the message. The next adapters get them, too. The Message owns the
// bytes from then on.
func (m *Message) Before(lines []byte) { m.before = append(m.before, lines...) }

// After is Before for lines after the message.
func (m *Message) After(lines []byte) { m.after = append(m.after, lines...) }

// BeforeHeld is Before for a line that the adapter has kept, as the number-th held one of its side:
// see Message.Number.
func (m *Message) BeforeHeld(number int64, line []byte) {
	m.heldBefore = append(m.heldBefore, heldLine{len(m.before), number})
	m.Before(line)
}

// AfterHeld is BeforeHeld for a line after the message.
func (m *Message) AfterHeld(number int64, line []byte) {
	m.heldAfter = append(m.heldAfter, heldLine{len(m.after), number})
	m.After(line)
}

// By records a name, such as a rule's, instead of the adapter's, and the reason for the change.
func (m *Message) By(causes ...wire.Cause) {
	for _, c := range causes {
		m.by = wire.AddCause(m.by, c)
	}
}

// Because records the reason for the adapter's change. Every change has one. A reason may hold
// names such as the id of a plan, but no text of the conversation.
func (m *Message) Because(why wire.Reason) { m.why = why }

// Announce notes that this initialize request announces plan support to the agent that the client
// did not announce in the same way.
func (m *Message) Announce() { m.d.d.conversation.Announce(m.ID) }

// InBatch reports whether the message is an element of an array. Lines added before or after it are
// written before or after the array.
func (m *Message) InBatch() bool { return m.inBatch }

// Forget undoes every Never of this direction.
func (m *Message) Forget() { m.d.forget() }

// KindOf returns the kind of JSON-RPC message that an object is. "result":null is a result only if
// there is no method, because some peers write every member.
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

// read sets the fields of a message from its Line. It returns errors of wire.Parse, or
// ErrMalformed. Of an ambiguous or malformed message it sets the fields that it can read.
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
	if method == acp.SessionUpdate {
		m.Update, _ = m.Params().Open("update").Text("sessionUpdate")
	}
	return nil
}
