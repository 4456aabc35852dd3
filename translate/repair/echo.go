package repair

import (
	"hash/maphash"
	"strings"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// EchoSettings are what an Echo does for two peers. The zero value does nothing.
type EchoSettings struct {
	Prompts bool // the prompt that runs is not told again as a message of the user
	Copies  bool // a message that was streamed is not told again as a whole
}

// Echo is an adapter that drops text which the client shows already. Only text that is exactly the
// same is dropped, of a copy at least minCopy bytes.
//
//   - Settles: An agent repeats the user's prompt, or a whole message after its pieces; a client
//     shows it twice.
//   - For: obsidian-agent-client, vscode-acp-client, toad. Copies: those who set repair.copies.
//   - Keys: repair.echo, repair.copies
//   - Read: anomalyco/opencode#21708, zed-industries/zed#53216,
//     agentclientprotocol/claude-agent-acp#796
type Echo struct {
	dispatch.Switched[EchoSettings]
	conversation *conversation.Conversation
	seed         maphash.Seed
	prompts      *conversation.Slot[*conversation.Request, string] // what was not told again yet
	streamed     *conversation.Slot[*conversation.Session, streamed]
}

// Streamed is the message of a session that is told piece by piece.
type streamed struct {
	sum    maphash.Hash
	length int // bytes
	pieces int
}

const (
	maxPrompt = 64 << 10 // bytes of a prompt that is compared
	minCopy   = 32       // bytes of a copy: shorter texts may well come twice
)

// NewEcho returns an Echo adapter.
func NewEcho(c *conversation.Conversation, on func(client, agent conversation.Implementation) EchoSettings) *Echo {
	return &Echo{
		Switched:     dispatch.Switched[EchoSettings]{For: on},
		conversation: c, seed: maphash.MakeSeed(),
		prompts:  conversation.NewSlot[*conversation.Request, string](c),
		streamed: conversation.NewSlot[*conversation.Session, streamed](c),
	}
}

// Name implements dispatch.Adapter.
func (*Echo) Name() string { return "repair" }

// Wants implements dispatch.Adapter.
func (a *Echo) Wants() (wants []dispatch.Want) {
	if a.On.Prompts {
		wants = append(wants,
			dispatch.Want{From: dispatch.Client, Methods: []string{conversation.Prompt}},
			dispatch.Want{From: dispatch.Agent, Updates: []string{userChunk}, Responses: []string{conversation.Prompt}, Sessions: true})
	}
	if a.On.Copies { // what comes between ends a message
		wants = append(wants, dispatch.Want{From: dispatch.Agent, Updates: []string{"*"}, Sessions: true})
	}
	return wants
}

// Observe implements dispatch.Observer: the answer to another prompt may be the same.
func (a *Echo) Observe(e conversation.Event) {
	if r := e.Request; e.Kind == conversation.RequestBegan && r.From == dispatch.Client && r.Prompts() {
		s, _ := a.conversation.Find(r.Session)
		a.streamed.Delete(s)
	}
}

const (
	userChunk  = "user_message_chunk"
	agentChunk = "agent_message_chunk"
)

// Handle implements dispatch.Adapter.
func (a *Echo) Handle(m *dispatch.Message) {
	switch {
	case m.From == dispatch.Client && m.Method == conversation.Prompt:
		a.prompt(m)
	case m.From == dispatch.Client || m.Update == "":
	case m.Update == userChunk && a.On.Prompts && a.isEcho(m):
		m.Because("the client shows the prompt itself (repair.echo)")
		m.Drop()
	case a.On.Copies && a.isCopy(m):
		m.Because("the message repeats what was already streamed (repair.copies)")
		m.Drop()
	}
}

// prompt notes the text of a prompt.
func (a *Echo) prompt(m *dispatch.Message) {
	var text strings.Builder
	blocks, _ := wire.Elements(m.Params().Raw("prompt"))
	for _, raw := range blocks {
		text.WriteString(textOf(raw))
	}
	r := a.conversation.Pending(dispatch.Client, m.ID)
	a.conversation.Lock()
	defer a.conversation.Unlock()
	if text.Len() <= maxPrompt {
		a.prompts.Put(r, text.String(), text.Len())
	}
}

// textOf is the text of a content block, "" if it is none of text.
func textOf(block []byte) string {
	o, _ := wire.Parse(block)
	if kind, _ := o.Text("type"); kind != "text" {
		return ""
	}
	text, _ := o.Text("text")
	return text
}

// isEcho reports whether a message of the user is the next part of a prompt that runs.
func (a *Echo) isEcho(m *dispatch.Message) bool {
	text := textOf(m.Params().Open("update").Raw("content"))
	a.conversation.Lock()
	defer a.conversation.Unlock()
	if text == "" || a.conversation.Opening(m.Session) {
		return false
	}
	for r, left := range a.prompts.All() {
		if rest, ok := strings.CutPrefix(left, text); ok && r.Session == m.Session {
			a.prompts.Put(r, rest, len(rest))
			return true
		}
	}
	return false
}

// isCopy reports whether an update has all text of the message that was streamed before it, and
// notes what an update adds to that.
func (a *Echo) isCopy(m *dispatch.Message) bool {
	a.conversation.Lock()
	defer a.conversation.Unlock()
	s, ok := a.conversation.Find(m.Session)
	if !ok {
		return false
	}
	text := textOf(m.Params().Open("update").Raw("content"))
	if m.Update != agentChunk || text == "" {
		a.streamed.Delete(s)
		return false
	}
	of, _ := a.streamed.Get(s)
	if of.pieces > 1 && len(text) == of.length && len(text) >= minCopy && maphash.String(a.seed, text) == of.sum.Sum64() {
		a.streamed.Delete(s)
		return true
	}
	if of.pieces == 0 {
		of.sum.SetSeed(a.seed)
	}
	of.sum.WriteString(text)
	of.length, of.pieces = of.length+len(text), of.pieces+1
	a.streamed.Put(s, of, 256)
	return false
}
