// Package opening has the adapter for the beginning of a new session: it holds updates until the
// response that creates the session, and can repeat some with the first prompt. Loading a session
// is in package repair.
package opening

import (
	"hash/maphash"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Settings are what is done for two peers. The zero value does nothing.
type Settings struct {
	Hold   bool // updates wait until their session is open
	Repeat bool // updates from before the first prompt are repeated with it
}

// An Adapter holds updates of a session until the response that creates it. A client that does not
// know the session loses them or ends the connection. The timeout is five seconds, so that a login
// link is seen while the agent waits for the login.
//
// It holds only sessions of which nothing came before the request. It does not hold a replay, which
// comes before the response to session/load, or a session that the client names or was told of.
// Nothing overtakes what is held of its session: no request, no response and no later update.
//
// Some clients know a session only some time after the response. For them the adapter repeats the
// last commands and configuration options with the first prompt.
//
//   - Settles: The client ends the connection, hangs or shows no commands: the agent sends updates
//     of a session before the client knows the session.
//   - For: Every client and agent. opening.repeat: Paseo.
//   - Keys: opening.hold, opening.repeat
//   - Read: langgenius/mosoo-agent-driver#121, blowmage/cursor-agent-acp-npm#33,
//     getpaseo/paseo#3324, zed-industries/zed#60199
type Adapter struct {
	dispatch.Switched[Settings]
	conversation *conversation.Conversation
	creating     *conversation.Slot[*conversation.Request, *backlog]    // by session/new and session/fork
	accepting    []*backlog                                             // those that accept lines, the first request first
	fresh        *conversation.Slot[*conversation.Session, lastUpdates] // sessions without a prompt
	held         map[string]int                                         // lines in backlogs, by session
	pending      map[*conversation.Request]bool                         // requests that create a session
	seed         maphash.Seed
	met          *simplelru.LRU[uint64, struct{}] // hashes of ids: sessions that the client knows, without those of the conversation
}

// maxMet is the maximum number of sessions in Adapter.met.
const maxMet = 256

// lastUpdates are the last updates of two kinds, as lines; nil if there was none.
type lastUpdates struct{ commands, options []byte }

var (
	creates = []string{acp.SessionNew, acp.SessionFork}
	opens   = []string{acp.SessionNew, acp.SessionFork, acp.SessionLoad, acp.SessionResume}
	chooses = []string{acp.SessionSetConfigOption, acp.SessionSetMode, acp.SessionSetModel}
	others  = append([]string{acp.SessionPrompt, acp.SessionClose, acp.SessionDelete}, chooses...)
)

// New returns an Adapter. Settings returns the settings for two peers.
func New(c *conversation.Conversation, settings func(client, agent conversation.Implementation) Settings) *Adapter {
	a := &Adapter{
		conversation: c,
		creating:     conversation.NewSlot[*conversation.Request, *backlog](c),
		fresh:        conversation.NewSlot[*conversation.Session, lastUpdates](c),
		held:         map[string]int{},
		pending:      map[*conversation.Request]bool{},
		seed:         maphash.MakeSeed(),
	}
	a.met, _ = simplelru.NewLRU[uint64, struct{}](maxMet, nil)
	a.For = settings
	return a
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "opening" }

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() (wants []dispatch.Want) {
	if a.On.Hold {
		wants = append(wants,
			dispatch.Want{From: dispatch.Agent, Sessions: true, Updates: []string{"*"}, Responses: others},
			dispatch.Want{From: dispatch.Agent, Methods: []string{"*"}, Responses: opens, While: creates},
			dispatch.Want{From: dispatch.Client, Methods: chooses}) // to know their sessions
	}
	if a.On.Repeat {
		wants = append(wants,
			dispatch.Want{From: dispatch.Client, Methods: append([]string{acp.SessionPrompt}, chooses...)},
			dispatch.Want{From: dispatch.Agent, Sessions: true, Updates: []string{acp.AvailableCommandsUpdate, acp.ConfigOptionUpdate}, Responses: opens})
	}
	return wants
}

// Cares implements dispatch.Adapter. While no request creates a session, it only notes the sessions
// that the agent names.
func (a *Adapter) Cares(_ dispatch.Side, h wire.Head, r *conversation.Request) dispatch.Care {
	session, update := string(h.SessionID), string(h.SessionUpdate)
	isRepeated := a.On.Repeat && (update == acp.AvailableCommandsUpdate || update == acp.ConfigOptionUpdate)
	switch {
	case r != nil && slices.Contains(others, r.Method) && a.held[r.Session] == 0:
		return dispatch.No
	case r != nil || update == "" || update == acp.SubagentUpdate || isRepeated || a.held[session] > 0:
		return dispatch.Yes
	case len(a.pending) == 0:
		a.meet(session)
		return dispatch.Never
	case session == "" || a.isEarly(session):
		return dispatch.Yes
	}
	return dispatch.No
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	switch {
	case m.From == dispatch.Client && m.Method == acp.SessionPrompt:
		a.repeat(m.Session)
	case m.From == dispatch.Client && slices.Contains(chooses, m.Method):
		a.choose(m.Session)
	case m.From == dispatch.Client:
	case m.Update != "" && m.Kind == dispatch.Notification:
		if a.hold(m) {
			return
		}
		a.releaseBefore(m, m.Session)
		a.note(m.Session, m.Update, m.Line)
		a.introduce(m)
	case m.Kind == dispatch.Request || m.Kind == dispatch.Notification:
		a.releaseBefore(m, m.Session)
	case m.Request != nil && slices.Contains(opens, m.Request.Method):
		a.releaseBefore(m, m.Request.Session)
		a.opened(m)
	case m.Request != nil:
		a.releaseBefore(m, m.Request.Session)
	}
}

// meet notes that the client knows a session.
func (a *Adapter) meet(session string) {
	if session != "" {
		a.met.Add(maphash.String(a.seed, session), struct{}{})
	}
}

// introduce notes the sessions that the client knows because of an update: its own, if that came
// while no session is created, and a child session that it names.
func (a *Adapter) introduce(m *dispatch.Message) {
	if len(a.pending) == 0 {
		a.meet(m.Session)
	}
	id, _ := m.Params().Open("update").Text("sessionId")
	if m.Update == acp.SubagentUpdate && conversation.KeptID(id) != "" {
		a.conversation.Session(id).Named = true
	}
}

// Unread implements dispatch.UnreadHandler: it releases the lines, because the response may have
// opened any session.
func (a *Adapter) Unread(m *dispatch.Message, _ error) {
	if of, ok := a.creating.Get(m.Request); ok {
		a.releaseAfter(m, a.takeAll(of))
	}
}

// opened releases the lines of a session that is open now. After a refusal the request may be sent
// again, so the lines stay until it ends. In a batch, all lines of the request go along: what is
// sent when it ends would come after the rest of the batch.
func (a *Adapter) opened(m *dispatch.Message) {
	var lines []line
	if !m.IsRefusal() {
		id := m.Opened()
		if s, ok := a.conversation.Find(id); ok && a.On.Repeat {
			a.fresh.Put(s, lastUpdates{}, 0)
		}
		lines = a.take(id)
	}
	if e, ok := a.creating.Get(m.Request); ok && m.InBatch() {
		lines = append(lines, a.takeAll(e)...)
	}
	a.releaseAfter(m, lines)
}

// releaseBefore sends the lines of a session before another message about it. Those before a
// permission request may announce its tool call.
func (a *Adapter) releaseBefore(m *dispatch.Message, session string) {
	for _, l := range a.take(session) {
		m.Because(whyNext)
		a.note(l.session, l.update, l.text)
		m.BeforeHeld(l.number, l.text)
	}
}

// releaseAfter sends lines after a response, in the same batch.
func (a *Adapter) releaseAfter(m *dispatch.Message, lines []line) {
	with := [][]byte{m.Line}
	for _, l := range lines {
		m.Because(whyOpened)
		a.note(l.session, l.update, l.text)
		if with = append(with, l.text); !m.InBatch() {
			m.AfterHeld(l.number, l.text)
		}
	}
	if m.InBatch() && len(lines) > 0 {
		m.Replace(with...)
	}
}

// note records an update that may have to be repeated.
func (a *Adapter) note(session, update string, line []byte) {
	s, _ := a.conversation.Find(session)
	n, isFresh := a.fresh.Get(s)
	switch {
	case !isFresh:
		return
	case update == acp.AvailableCommandsUpdate:
		n.commands = wire.EndLine(slices.Clone(line))
	case update == acp.ConfigOptionUpdate:
		n.options = wire.EndLine(slices.Clone(line))
	default:
		return
	}
	a.fresh.Put(s, n, len(n.commands)+len(n.options))
}

// choose forgets the configuration options when the client changes them.
func (a *Adapter) choose(session string) {
	s, _ := a.conversation.Find(session)
	if n, isFresh := a.fresh.Get(s); isFresh {
		n.options = nil
		a.fresh.Put(s, n, len(n.commands))
	}
}

// repeat repeats the recorded updates of a session with its first prompt.
func (a *Adapter) repeat(session string) {
	s, _ := a.conversation.Find(session)
	n, _ := a.fresh.Take(s)
	for _, line := range [][]byte{n.commands, n.options} {
		if line != nil {
			a.Pass(dispatch.Agent, line, whyRepeated)
		}
	}
}
