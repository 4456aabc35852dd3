// Package files has the adapter that reads and writes files for an agent in the client's place.
package files

import (
	"bytes"
	"errors"
	"slices"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A Mode says which requests for files are done in the client's place.
type Mode string

// The modes. Any other one is Off.
const (
	Off     Mode = "off"
	Missing Mode = "missing" // those whose method the client does not announce
	Refused Mode = "refused" // and those that it refuses
)

// A Disk reads and writes text files. It touches nothing outside of the folders of a request.
type Disk interface {
	// Start begins a request, and has done called, once and from any goroutine, with the text that
	// was read. It waits for no disk. Errors do not name the file; they are returned where nothing
	// was begun.
	Start(r Request, done func(text string, err error)) error
}

// Options of an Adapter.
type Options struct {
	Conversation *conversation.Conversation

	// Mode returns what is done for two peers. Of the agent nothing is known before it has answered
	// initialize.
	Mode func(client, agent conversation.Implementation) Mode

	// Disk is nil where nothing is done.
	Disk Disk

	// Spell returns a path as the agent spells it; nil if both peers spell it alike.
	Spell func(path string) string

	// Send sends a line to the agent, past all adapters, and reports whether it will be written. It
	// may wait for a bounded time.
	Send func(line []byte) bool

	// Answer has what produce appends sent to the agent. It may wait: it is called where done is.
	Answer func(produce func(dst []byte) []byte)

	// Done is told of each request that was done, or not, and why. It may be nil, and must not
	// block.
	Done func(r Request, err error)
}

// An Adapter answers requests for files from the disk, within the session's folders. It announces
// them to the agent for a client that does not.
//
//   - Settles: An agent reads and writes files by the client, and the client does not offer that or
//     refuses files of the session's folders.
//   - For: Those for whom services.fs is set.
//   - Keys: services.fs
//   - Seen: an agent with the TypeScript SDK 2.4.0
type Adapter struct {
	dispatch.Base
	opts Options

	// The fields below are protected by the conversation's lock.
	mode  Mode
	knows map[string]bool                // of each method whether the client announces it
	kept  map[*conversation.Request]kept // that the client has
	size  int                            // bytes of what is in kept

	// What was kept of the request whose response is about to be handled. Only the goroutine of the
	// client's direction uses it.
	last *kept
}

// A kept is what is remembered of a request that the client has.
type kept struct {
	request Request
	id      []byte // raw
}

// Bounds on what is kept. What the client refuses over them stays refused.
const (
	maxKept  = 64
	maxBytes = 16 << 20
)

// Methods, and the capabilities of clients that have them.
const (
	readMethod  = "fs/read_text_file"
	writeMethod = "fs/write_text_file"
)

var capabilities = [][2]string{{readMethod, "readTextFile"}, {writeMethod, "writeTextFile"}}

// WhyServed is what records say of requests, and of their responses.
const WhyServed = "acpshim reads and writes files in the client's place (services.fs)"

// New returns an Adapter.
func New(o Options) *Adapter {
	return &Adapter{opts: o, mode: Off, kept: map[*conversation.Request]kept{}}
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "files" }

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() []dispatch.Want {
	var asked, refusable []string
	for method, knows := range a.knows {
		if !knows || a.mode == Refused {
			asked = append(asked, method)
		}
		if knows && a.mode == Refused {
			refusable = append(refusable, method)
		}
	}
	if len(asked) == 0 || a.mode == Off {
		return nil
	}
	return []dispatch.Want{
		{From: dispatch.Agent, Methods: asked, Sessions: true},
		{From: dispatch.Client, Responses: refusable},
	}
}

// Observe implements dispatch.Adapter.
func (a *Adapter) Observe(e conversation.Event) {
	switch e.Kind {
	case conversation.Negotiated:
		client, agent := e.Request.Client, e.Request.Agent
		a.mode, a.knows = Off, map[string]bool{}
		if agent.Version == 1 {
			a.mode = a.modeFor(client, agent.Implementation)
		}
		for _, c := range capabilities {
			a.knows[c[0]] = announces(client, c[1])
		}
	case conversation.RequestEnded:
		a.size -= a.kept[e.Request].request.size()
		delete(a.kept, e.Request)
	}
}

func (a *Adapter) modeFor(client *conversation.Peer, agent conversation.Implementation) Mode {
	if a.opts.Disk != nil {
		if mode := a.opts.Mode(client.Implementation, agent); mode == Missing || mode == Refused {
			return mode
		}
	}
	return Off
}

func announces(client *conversation.Peer, capability string) bool {
	return string(client.Capability("fs", capability)) == "true"
}

// Answering implements dispatch.Adapter: it takes the request whose response comes next.
func (a *Adapter) Answering(m *dispatch.Message) {
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	a.last = nil
	if k, ok := a.kept[m.Request]; ok {
		a.last = &k
	}
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	switch {
	case m.Method == "initialize":
		a.announce(m)
	case m.From == dispatch.Client:
		a.refusal(m)
	case m.Kind == dispatch.Request && wire.ID(m.ID) != "":
		a.request(m)
	}
}

// announce announces to the agent what the client does not.
func (a *Adapter) announce(m *dispatch.Message) {
	client := conversation.ReadClient(m.Params())
	if client.Version != 1 || wire.ID(m.ID) == "" || a.modeFor(client, conversation.Implementation{}) == Off {
		return
	}
	announced := m.Params().Raw("clientCapabilities")
	for _, c := range capabilities {
		if with := wire.With(announced, []string{"fs", c[1]}, []byte("true")); with != nil && !announces(client, c[1]) {
			announced = with
		}
	}
	if !bytes.Equal(announced, m.Params().Raw("clientCapabilities")) {
		m.Because("files are announced for a client without them (services.fs)")
		m.Edit(m.Params().Set(wire.Setting{Name: "clientCapabilities", Value: announced})...)
	}
}

// request does what the agent asks for, or keeps it until the client has answered.
func (a *Adapter) request(m *dispatch.Message) {
	r, err := read(m)
	if a.keep(m, r, err) {
		return
	}
	id := bytes.Clone(m.ID)
	if err == nil {
		r.Folders = a.folders(r.Session)
		err = a.start(r, func(text string, err error) {
			a.opts.Answer(func(dst []byte) []byte { return a.respond(dst, id, r, text, err) })
		})
	}
	if err != nil {
		if !a.opts.Send(a.respond(nil, id, r, "", err)) {
			return
		}
		a.done(r, err)
	}
	a.opts.Conversation.Forget(dispatch.Agent, id)
	m.Because(WhyServed)
	m.Replace() // by nothing: it is answered
}

// keep reports whether the client knows the method of a request, so that it is asked. What can be
// done in its place is kept.
func (a *Adapter) keep(m *dispatch.Message, r Request, err error) bool {
	pending := a.opts.Conversation.Pending(dispatch.Agent, m.ID)
	a.opts.Conversation.Lock()
	defer a.opts.Conversation.Unlock()
	if !a.knows[m.Method] {
		return false
	}
	if err == nil && pending != nil && len(a.kept) < maxKept && a.size+r.size() <= maxBytes {
		a.kept[pending] = kept{r, bytes.Clone(m.ID)}
		a.size += r.size()
	}
	return true
}

// cancelled is the code of a request that was cancelled.
const cancelled = "-32800"

// refusal does what the client refuses. If it cannot be done, the agent gets the client's response.
func (a *Adapter) refusal(m *dispatch.Message) {
	k := a.last
	a.last = nil
	failure, _ := wire.Parse(m.Object.Raw("error"))
	if k == nil || !m.IsRefusal() || wire.ID(failure.Raw("code")) == cancelled {
		return
	}
	r, line := k.request, wire.EndLine(bytes.Clone(m.Line))
	r.Folders = a.folders(r.Session)
	err := a.start(r, func(text string, err error) {
		a.opts.Answer(func(dst []byte) []byte {
			if err != nil {
				return append(dst, line...)
			}
			return a.respond(dst, k.id, r, text, nil)
		})
	})
	if err == nil {
		m.Because(WhyServed)
		m.Drop()
	}
}

// start begins a request.
func (a *Adapter) start(r Request, then func(text string, err error)) error {
	if len(r.Folders) == 0 {
		return errSession
	}
	return a.opts.Disk.Start(r, func(text string, err error) {
		a.done(r, err)
		then(text, err)
	})
}

func (a *Adapter) done(r Request, err error) {
	if a.opts.Done != nil {
		a.opts.Done(r, err)
	}
}

// folders are those of a session, which may be about to be opened.
func (a *Adapter) folders(session string) []string {
	c := a.opts.Conversation
	c.Lock()
	defer c.Unlock()
	s, ok := c.Find(session)
	if !ok {
		s = &conversation.Session{ID: session}
	}
	return slices.DeleteFunc(c.RootsOf(s), func(root string) bool { return root == "" })
}

var errSession = errors.New("the session is not known, or has no folder: want one that was opened with a cwd")
