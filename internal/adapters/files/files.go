// Package files has the adapter that reads and writes files for an agent instead of the client.
package files

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A Mode says which file requests the adapter handles.
type Mode string

// Modes. Any other value is Off.
const (
	Off     Mode = "off"
	Missing Mode = "missing" // methods that the client does not announce
	Refused Mode = "refused" // also requests that the client refuses
)

// A Disk reads and writes text files. It touches nothing outside of a request's folders.
type Disk interface {
	// Start starts a request and returns without waiting for the disk. It calls done once, from any
	// goroutine, with the text that was read. If Start itself returns an error, it does not call
	// done. Errors do not name the file.
	Start(r Request, done func(text string, err error)) error
}

// Options of an Adapter.
type Options struct {
	Conversation *conversation.Conversation

	// Mode returns the mode for two peers. The agent is empty until it has responded to initialize.
	Mode func(client, agent conversation.Implementation) Mode

	// Disk may be nil; then the mode is Off.
	Disk Disk

	// Spell converts a path to the agent's spelling. It may be nil, if both peers use the same.
	Spell func(path string) string

	// Done gets every request that was handled, and its error. It may be nil, and must not block.
	Done func(r Request, err error)
}

// An Adapter handles file requests of the agent within the session's folders. It announces the
// methods for a client that does not.
//
//   - Settles: The agent cannot read or write files: the client does not offer that, or refuses
//     files in the session's folders.
//   - For: Clients without file support.
//   - Keys: services.fs
//   - Seen: an agent with the TypeScript SDK 2.4.0
type Adapter struct {
	dispatch.Base
	opts Options
	jobs *conversation.Slot[*conversation.Request, *job]

	mode  Mode
	knows map[string]bool // by method: the client announces it
	busy  int             // bytes of jobs on the disk, and of responses that the agent has not read
}

// A job is a request that the client has, or that is held while the disk works.
type job struct {
	request   Request
	held      *dispatch.Held // nil while the client has it
	isRefusal bool           // held is the client's refusal of the request
	size      int            // bytes of the response while the agent has not read it
}

// maxBusy is the limit of busy. The conversation's limit is not enough: the disk still works on
// requests that were evicted.
const maxBusy = 32 << 20

// capabilities are the methods, and the capabilities that announce them.
var capabilities = [][2]string{{acp.FSReadTextFile, "readTextFile"}, {acp.FSWriteTextFile, "writeTextFile"}}

// Reasons for records.
var (
	whyServed    = wire.Reason{Code: "files.served", Text: "acpshim reads and writes files for the agent (services.fs)"}
	whyAnnounced = wire.Reason{Code: "files.announced", Text: "acpshim announces files in place of the client (services.fs)"}
)

// New returns an Adapter.
func New(o Options) *Adapter {
	return &Adapter{opts: o, mode: Off, jobs: conversation.NewSlot[*conversation.Request, *job](o.Conversation)}
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
		{From: dispatch.Agent, Methods: asked, Holds: true, Sessions: true},
		{From: dispatch.Client, Responses: refusable},
	}
}

// Observe implements dispatch.Observer.
func (a *Adapter) Observe(e conversation.Event) {
	if j, ok := a.jobs.Get(e.Request); ok && e.Kind == conversation.RequestEnded {
		a.busy -= j.size
	}
}

// Negotiated implements dispatch.Negotiator.
func (a *Adapter) Negotiated(r *conversation.Request) {
	a.mode, a.knows = Off, map[string]bool{}
	if r.Agent.Version == 1 {
		a.mode = a.modeFor(r.Client, r.Agent.Implementation)
	}
	for _, c := range capabilities {
		a.knows[c[0]] = announces(r.Client, c[1])
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

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	switch {
	case m.Method == acp.Initialize:
		a.announce(m)
	case m.From == dispatch.Client:
		a.refusal(m)
	case m.Kind == dispatch.Request && wire.ID(m.ID) != "":
		a.request(m)
	}
}

// announce announces the methods that the client does not announce.
func (a *Adapter) announce(m *dispatch.Message) {
	client := conversation.ReadClient(m.Params())
	if client.Version != 1 || wire.ID(m.ID) == "" || a.modeFor(client, conversation.Implementation{}) == Off {
		return
	}
	var missing []wire.Setting
	for _, c := range capabilities {
		if !announces(client, c[1]) {
			missing = append(missing, wire.Setting{Name: "fs/" + c[1], Value: []byte("true")})
		}
	}
	if len(missing) > 0 && m.Offer(missing...) {
		m.Because(whyAnnounced)
	}
}

// request handles a request of the agent. If the client knows the method, the client gets the
// request first, and the adapter keeps it in case of a refusal.
func (a *Adapter) request(m *dispatch.Message) {
	r, err := read(m)
	if a.knows[m.Method] {
		if err == nil {
			a.jobs.Put(a.opts.Conversation.Pending(dispatch.Agent, m.ID), &job{request: r}, r.size())
		}
		return
	}
	m.Because(whyServed)
	if err == nil {
		r.Folders = a.folders(r.Session)
		err = a.start(m, r)
	}
	if err != nil && m.Answer(a.respond(m.ID, r, "", err)) {
		a.done(r, err)
	}
}

// refusal handles a request that the client has refused. If that fails, the agent gets the client's
// refusal.
func (a *Adapter) refusal(m *dispatch.Message) {
	j, ok := a.jobs.Get(m.Request)
	if !ok || !m.IsRefusal() || m.Code() == strconv.Itoa(wire.RequestCancelled) {
		return
	}
	m.Because(whyServed)
	r := j.request
	r.Folders = a.folders(r.Session)
	a.start(m, r)
}

// maxTime is the time that the disk has for a request.
const maxTime = 30 * time.Second

// start starts a request on the disk and holds the message meanwhile. If it returns an error, it
// holds nothing.
func (a *Adapter) start(m *dispatch.Message, r Request) error {
	size := r.size()
	if len(r.Folders) == 0 {
		return errSession
	}
	if a.busy > 0 && a.busy+size > maxBusy {
		return errBusy
	}
	h := m.Hold(maxTime)
	if h == nil {
		return errBusy
	}
	pending := h.Request // done must not keep the message: it may be evicted
	j := &job{request: r, held: h.Because(whyServed), isRefusal: m.Kind == dispatch.Response}
	a.busy += size
	isKept := a.jobs.Put(pending, j, size)
	if !isKept {
		a.finish(j, true, r, "", errBusy)
		return nil
	}
	done := func(text string, err error) {
		a.Do(func() {
			j, ok := a.jobs.Get(pending)
			a.finish(j, ok, r, text, err)
		})
	}
	a.Begin(func() {
		if err := a.opts.Disk.Start(r, done); err != nil {
			done("", err)
		}
	})
	return nil
}

// finish goes on with a held message when the disk has finished. IsKept is false if the request has
// ended before.
func (a *Adapter) finish(j *job, isKept bool, r Request, text string, err error) {
	a.busy -= r.size()
	size := wire.QuotedLen(text) // control characters take six times as much in the response
	if err == nil && a.busy > 0 && a.busy+size > maxBusy {
		text, err = "", errBusy
	}
	a.done(r, err)
	switch {
	case !isKept:
		return
	case err != nil && j.isRefusal:
		j.held.Continue(nil)
		return
	}
	response := a.respond(wire.Pointer{"id"}.Raw(j.held.Line()), r, text, err)
	if j.held.Answer(response) {
		j.size = len(response)
		a.busy += j.size
	}
}

func (a *Adapter) done(r Request, err error) {
	if a.opts.Done != nil {
		a.opts.Done(r, err)
	}
}

// folders returns the folders of a session, which may not be open yet.
func (a *Adapter) folders(session string) []string {
	c := a.opts.Conversation
	s, ok := c.Find(session)
	if !ok {
		s = &conversation.Session{ID: session}
	}
	return slices.DeleteFunc(c.RootsOf(s), func(root string) bool { return root == "" })
}

var (
	errSession = errors.New("the session is not known, or has no folder: want one that was opened with a cwd")
	errBusy    = errors.New("too many files are being read and written: wait for some of the responses")
)
