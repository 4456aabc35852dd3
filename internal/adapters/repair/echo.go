package repair

import (
	"hash/maphash"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// EchoSettings say what an Echo drops for two peers. The zero value drops nothing.
type EchoSettings struct {
	Prompts bool // user messages that repeat the running prompt
	Copies  bool // messages that repeat a streamed message as a whole
}

// Echo is an adapter that drops text that the client shows already. It compares text exactly, and
// drops copies only from minCopy bytes on. Pieces of a user message wait until they are a whole
// block of the prompt, or something else comes.
//
//   - Settles: A message appears twice: the agent repeats your prompt, or sends a whole message
//     after its pieces.
//   - For: Agent Client for Obsidian, ACP Client for VS Code by formulahendry, Toad.
//   - Keys: repair.echo, repair.copies
//   - Read: anomalyco/opencode#21708, zed-industries/zed#53216,
//     agentclientprotocol/claude-agent-acp#796
type Echo struct {
	dispatch.Switched[EchoSettings]
	conversation *conversation.Conversation
	seed         maphash.Seed
	prompts      *conversation.Slot[*conversation.Request, promptText]
	held         *conversation.Slot[*conversation.Session, *pieces]
	holding      int // sessions with pieces
	streamed     *conversation.Slot[*conversation.Session, stream]
}

// A stream is the agent's message that a session streams.
type stream struct {
	sum    maphash.Hash
	length int // bytes
	pieces int
}

const (
	maxPrompt = 64 << 10 // bytes; longer prompts are not compared
	minCopy   = 32       // bytes; shorter messages may be meant twice
)

// NewEcho returns an Echo adapter.
func NewEcho(c *conversation.Conversation, on func(client, agent conversation.Implementation) EchoSettings) *Echo {
	return &Echo{
		Switched:     dispatch.Switched[EchoSettings]{For: on},
		conversation: c, seed: maphash.MakeSeed(),
		prompts:  conversation.NewSlot[*conversation.Request, promptText](c),
		held:     conversation.NewSlot[*conversation.Session, *pieces](c),
		streamed: conversation.NewSlot[*conversation.Session, stream](c),
	}
}

// Name implements dispatch.Adapter.
func (*Echo) Name() string { return "repair" }

// Wants implements dispatch.Adapter.
func (a *Echo) Wants() (wants []dispatch.Want) {
	if a.On.Prompts {
		wants = append(wants,
			dispatch.Want{From: dispatch.Client, Methods: []string{acp.SessionPrompt}},
			dispatch.Want{From: dispatch.Agent, Updates: []string{acp.UserMessageChunk}, Responses: []string{acp.SessionPrompt}, Sessions: true},
			dispatch.Want{From: dispatch.Agent, Updates: []string{"*"}, Methods: []string{"*"}, While: []string{acp.SessionPrompt}})
	}
	if a.On.Copies { // any other update ends a message
		wants = append(wants, dispatch.Want{From: dispatch.Agent, Updates: []string{"*"}, Sessions: true})
	}
	return wants
}

// Observe implements dispatch.Observer: a new prompt ends the stream, because its response may be
// the same text.
func (a *Echo) Observe(e conversation.Event) {
	if e.Kind == conversation.SessionRemoved {
		a.release(e.Session, whySessionEnded)
	}
	r := e.Request
	if r == nil || r.From != dispatch.Client {
		return
	}
	s, _ := a.conversation.Find(r.Session)
	switch {
	case e.Kind == conversation.RequestBegan && r.IsPrompt():
		a.streamed.Delete(s)
	case e.Kind == conversation.RequestBegan && (r.Opens() || r.Closes()):
		a.release(s, whyDiffers)
	case e.Kind == conversation.RequestEnded && r.IsPrompt():
		a.release(s, whyTurnOver)
	}
}

// Cares implements dispatch.Adapter. It returns No, not Never, because the result changes while
// pieces wait.
func (a *Echo) Cares(from dispatch.Side, h wire.Head, r *conversation.Request) dispatch.Care {
	switch {
	case from == dispatch.Client || r != nil || a.holding > 0:
		return dispatch.Yes
	case string(h.Method) == acp.SessionUpdate && (a.On.Copies || h.SessionUpdate == nil || string(h.SessionUpdate) == acp.UserMessageChunk):
		return dispatch.Yes
	}
	return dispatch.No
}

// Handle implements dispatch.Adapter.
func (a *Echo) Handle(m *dispatch.Message) {
	switch {
	case m.From == dispatch.Client && m.Method == acp.SessionPrompt:
		a.prompt(m)
	case m.From == dispatch.Client:
	case m.Update == acp.UserMessageChunk && a.On.Prompts && a.isEcho(m):
	default:
		a.releaseBefore(m)
		if m.Update != "" && a.On.Copies && a.isCopy(m) {
			m.Because(whyCopy)
			m.Drop()
		}
	}
}

// prompt records the text of a prompt.
func (a *Echo) prompt(m *dispatch.Message) {
	var text strings.Builder
	var ends []int
	blocks, _ := wire.Elements(m.Params().Raw("prompt"))
	for _, raw := range blocks {
		if block := textOf(raw); block != "" {
			text.WriteString(block)
			ends = append(ends, text.Len())
		}
	}
	r := a.conversation.Pending(dispatch.Client, m.ID)
	if text.Len() <= maxPrompt {
		a.prompts.Put(r, promptText{text: text.String(), ends: ends}, text.Len()+8*len(ends))
	}
}

// textOf returns the text of a content block, or "".
func textOf(block []byte) string {
	o, _ := wire.Parse(block)
	if kind, _ := o.Text("type"); kind != acp.ContentText {
		return ""
	}
	text, _ := o.Text("text")
	return text
}

// isCopy reports whether an update repeats the streamed message. If not, it adds the update to the
// stream.
func (a *Echo) isCopy(m *dispatch.Message) bool {
	s, ok := a.conversation.Find(m.Session)
	if !ok {
		return false
	}
	text := textOf(m.Params().Open("update").Raw("content"))
	if m.Update != acp.AgentMessageChunk || text == "" {
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
