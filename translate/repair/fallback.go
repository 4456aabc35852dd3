package repair

import (
	"bytes"
	"slices"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// FallbackOptions are those of a Fallback.
type FallbackOptions struct {
	Conversation *conversation.Conversation
	IsOn         IsOn

	// Own are acpshim's own requests to the agent; the second initialize is among them.
	Own *dispatch.OwnRequests

	Send dispatch.Send
}

// Fallback is an adapter that asks initialize once more with version 1 where an agent refuses a
// newer version, and the client wrote the members of version 1, too. The protocol wants an agent to
// answer with the version that it knows, so the client gets that answer; without one it gets the
// refusal.
//
//   - Settles: A client offers version 2 of the protocol and knows version 1, too; the agent
//     answers with an error, not with version 1, and the client gives up.
//   - For: kit.
//   - Keys: repair.version
//   - Read: speakeasy-api/kit#213, speakeasy-api/kit#91
type Fallback struct {
	dispatch.Base
	opts FallbackOptions
	line []byte                // the last initialize that offers a newer version; under the lock
	of   *conversation.Request // its request
}

// maxInitialize bounds the initialize that is kept, in bytes.
const maxInitialize = 256 << 10

// NewFallback returns a Fallback adapter.
func NewFallback(o FallbackOptions) *Fallback { return &Fallback{opts: o} }

// Name implements dispatch.Adapter.
func (*Fallback) Name() string { return "repair" }

// Handle implements dispatch.Adapter. Initialize and its response are given to every adapter.
func (a *Fallback) Handle(m *dispatch.Message) {
	switch {
	case m.From == dispatch.Client:
		a.keep(m)
	case m.Request != nil:
		if line := a.take(m.Request); line != nil && isOfVersion(m) && a.ask(m, line) {
			m.Because("the agent refuses a newer version, and is asked with version 1")
			m.Drop()
		}
	}
}

// keep keeps an initialize that offers a newer version than 1, and has the members of 1.
func (a *Fallback) keep(m *dispatch.Message) {
	params := m.Params()
	client := conversation.ReadClient(params)
	r := a.opts.Conversation.Pending(dispatch.Client, m.ID)
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	a.of, a.line = r, nil
	if client.Version > 1 && (params.Get("clientCapabilities") != nil || params.Get("clientInfo") != nil) &&
		len(m.Line) <= maxInitialize && a.opts.IsOn(client.Implementation, conversation.Implementation{}) {
		a.line = wire.EndLine(bytes.Clone(m.Line))
	}
}

// take returns what is kept of a request, once.
func (a *Fallback) take(r *conversation.Request) (line []byte) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	if r == a.of {
		line, a.line, a.of = a.line, nil, nil
	}
	return line
}

// ask asks again with version 1, and reports whether it did. The client's request is pending
// meanwhile.
func (a *Fallback) ask(m *dispatch.Message, line []byte) bool {
	o, _ := wire.Parse(line, "params") // it was handled, so it can be read
	id, refusal := bytes.Clone(m.ID), wire.EndLine(bytes.Clone(m.Line))
	a.opts.Conversation.Note(id, *m.Request)
	r := a.opts.Conversation.Pending(dispatch.Client, id)
	own := a.opts.Own.Begin("repair", func(result, _ []byte) []byte {
		switch {
		case a.opts.Conversation.Pending(dispatch.Client, id) != r:
			return nil // the client asked something else by this id
		case !wire.IsObject(result):
			return refusal
		}
		return wire.Result(id, result)
	})
	edits := o.Set(wire.Setting{Name: "id", Value: wire.Quote(nil, own)})
	edits = append(edits, o.Open("params").Set(wire.Setting{Name: "protocolVersion", Value: []byte("1")})...)
	if a.opts.Send(dispatch.Agent, wire.Splice(nil, line, edits...)) {
		return true
	}
	a.opts.Own.Forget(own)
	a.opts.Conversation.Forget(dispatch.Client, id)
	return false
}

// Codes of errors with which agents refuse a version.
const (
	unsupportedVersion = "-32022"
	invalidRequest     = "-32600" // if the text says so
	invalidParams      = "-32602" // the members of the newer version may be what is wrong
)

// isOfVersion reports whether an error refuses the version of an initialize, by an agent that may
// know version 1.
func isOfVersion(m *dispatch.Message) bool {
	raw := m.Object.Raw("error")
	switch m.Code() {
	case unsupportedVersion:
		supported, isList := wire.Elements(wire.Pointer{"data", "supported"}.Raw(raw))
		return !isList || slices.ContainsFunc(supported, func(version []byte) bool { return wire.ID(version) == "1" })
	case invalidRequest:
		return bytes.Contains(bytes.ToLower(raw), []byte("version"))
	case invalidParams:
		return true
	}
	return false
}
