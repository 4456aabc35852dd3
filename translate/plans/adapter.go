// Package plans shows the agent's plans to an old client. Plan updates, documents, plan files and
// the calls of todo tools become the legacy plan, or a message. It is one adapter, because all of
// these share the state of what the client has and what is held. It opens no files and logs
// nothing; both go through [Options].
//
// A plan update goes this way, one file after the other:
//
//   - wants.go: Cares says whether the adapter needs the message.
//   - came.go: Handle reads it and applies it to the plans of its session. Calls of todo tools come
//     from tools.go, and texts of plan files from files.go.
//   - shows.go: replace puts the session's plan in place of the update, or nothing.
//   - holds.go: what the client must not get yet is held.
//   - releases.go: the next update, question, response or pause releases it.
//
// In turn.go turns and sessions begin and end, and in question.go the agent asks about a plan.
//
// Three verbs say when the client gets something:
//
//   - show: make the line that the client gets now, if it does not have this plan already.
//   - hold: note that a session has a plan or documents that the client gets later.
//   - release: show what is held, as far as the client can get it at this moment.
package plans

import (
	"errors"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/translate"
	"acpshim/translate/todo"
)

// Options are the options of an Adapter. Only For is required.
type Options struct {
	// For returns the settings for two peers. It must not block. The first call is for the request
	// to initialize, with an empty agent, and only its Advertise counts. The second call is for the
	// response, and the other settings count.
	For func(client, agent conversation.Implementation) Settings

	// ReadFile returns the text of a file plan. Roots are the absolute folders of the session. It
	// must not block, because the agent's lines wait for it. After ErrLater, the caller passes the
	// text to Adapter.FileRead later. After context.DeadlineExceeded, the adapter reads no other
	// file for the current message, and the caller passes their texts to FileRead later.
	ReadFile func(uri string, roots []string) (string, error)

	// AwaitWrites is called before plan files are read for a request or response. It may wait a
	// moment for files that are being written. It may be nil.
	AwaitWrites func(files []File)

	// FilesChanged is called when the result of Adapter.Files may have changed. Any goroutine calls
	// it. It must neither block nor call Files. It may be nil.
	FilesChanged func()

	Events Events
}

// Settings say how to translate plans.
type Settings struct {
	Advertise bool             // announce plan support to the agent for an old client
	Policy    translate.Policy // the default is translate.Checklists
	ShowAs    ShowAs           // the default is AsPlan
	PolicyBy  string           // the profile that set Policy, or ""; for records
	ShowAsBy  string           // the profile that set ShowAs, or ""; for records
	Prose     bool             // show the text of documents that have more than their entries
	LateWait  bool             // plans are held until the next turn once a turn is over: see turns.Late

	// Tools are the todo tools whose calls become a legacy plan for every client. The first one
	// that recognises a call reads it.
	Tools []*todo.Tool
}

// Events help with debugging. Each may be nil. Any goroutine calls them. They must not block.
type Events struct {
	Negotiated func(Negotiation)
	FileRead   func(f FileText)                // a file plan was read
	Unreadable func(session string, err error) // a file plan could not be read; the error names it
	Flawed     func(session string, err error) // a document in JSON is invalid; its valid part is shown
	Dropped    func(session string, err error) // a plan update is invalid, and the client would refuse it
}

// An Adapter translates the plans of one connection.
//
//   - Settles: You see no plan: the agent sends plan updates with entries, documents or files, or
//     only calls of a todo tool. The client knows only the legacy plan.
//   - For: Clients without plan support. Plans of todo tools: every client.
//   - Keys: plan.advertise, plan.policy, plan.show_as, plan.prose, plan.tools, plan.file
//   - Seen: acpx 0.19.1, Toad 0.6.20, agent-shell 0.74.3, codex-acp 2.6.0, opencode 1.18.33
//   - Read: agentclientprotocol/codex-acp#237, zed-industries/zed#51204, zed-industries/zed#63741
type Adapter struct {
	dispatch.Base
	c    *conversation.Conversation
	opts Options

	negotiated  bool
	translating bool // the client is old
	set         Settings
	tools       []*todo.Tool // those of set for this agent

	sessions  *conversation.Slot[*conversation.Session, *session]
	questions *conversation.Slot[*conversation.Request, question] // about plans

	// The sessions for which something is held: their plan, or documents. A held plan has no
	// entries, only the envelope of its update. Many updates may come while it is held, and the
	// client gets what the plan is at its release. The maps are here and not in the sessions,
	// because Cares asks for each message whether anything is held.
	heldPlans     map[*session]envelope
	heldDocuments map[*session]bool

	// The sessions whose next update Handle needs, whatever its kind is, because something has to
	// be released before it. Without such a session, messages and thoughts of the agent pass as
	// they arrive. Once there is one, Wants has every update until a turn ends without one. A
	// document that the agent streams would otherwise change what the adapter wants with each
	// piece.
	wantsNext        map[*session]bool
	wantsEveryUpdate bool

	// flushDue says that the next Flush may have something to release. Flush is called after each
	// read, and most reads leave nothing. Whoever holds something until a pause sets it, and
	// releasePlans sets it again for what it has left.
	flushDue bool

	// Lines before or after a message of a batch are written before or after the whole array. The
	// client must get the newest plan last. So once a plan goes after the array, all later ones do,
	// too. And once a plan is in the array, none goes before it.
	planLine       int64 // the number of the last line that has a plan or opened a session
	batchWithPlans int64 // the number of the last batch after which plans were added

	filePlans    int  // the number of file plans of all sessions
	filesChanged bool // Options.FilesChanged is due at the end of the call, when all state is up to date

	// hasEnded says that the agent sends nothing more. Then nothing is held any more: there is no
	// next turn, and no other message comes after which the client could get it.
	hasEnded bool
}

// New returns an Adapter for a new connection.
func New(c *conversation.Conversation, o Options) *Adapter {
	if o.ReadFile == nil {
		o.ReadFile = func(string, []string) (string, error) { return "", errors.New("reading files is off") }
	}
	return &Adapter{
		c: c, opts: o, sessions: conversation.NewSlot[*conversation.Session, *session](c),
		questions:     conversation.NewSlot[*conversation.Request, question](c),
		heldDocuments: map[*session]bool{}, heldPlans: map[*session]envelope{}, wantsNext: map[*session]bool{},
	}
}
