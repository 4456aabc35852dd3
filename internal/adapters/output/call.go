package output

import (
	"slices"
	"strings"

	"acpshim/internal/adapters/console"
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/internal/text/runes"
)

// A call is a tool call and its output.
type call struct {
	id       string
	terminal string // the agent's own terminal, which the client does not know, or ""
	text     string // the end of the output
	isCut    bool   // text lacks the beginning
	length   int    // bytes of the whole output
	shown    int    // length when the client last got it
	isOwn    bool   // the agent has sent content of its own
	isOver   bool   // it was completed, or has failed
}

// Limits.
const (
	maxText  = 64 << 10 // bytes of a call's text
	maxEnded = 1 << 20  // bytes of the texts of ended calls in a session
	maxCalls = 256      // in a session
	maxID    = 256      // bytes; calls with longer ids stay as they are
)

// calls are the calls of a session, oldest first.
type calls struct{ list []*call }

// use returns a call, and adds it if it is new. It may forget the oldest call.
func (cs *calls) use(id string) *call {
	for _, c := range slices.Backward(cs.list) {
		if c.id == id {
			return c
		}
	}
	c := &call{id: id}
	if len(cs.list) == maxCalls {
		cs.list = slices.Delete(cs.list, 0, 1)
	}
	cs.list = append(cs.list, c)
	return c
}

// find returns the call of an update, and the calls of its session. It returns nil if the id is too
// long, or if the call was not announced, because it may have content of the agent's own.
func find(c *conversation.Conversation, slot *conversation.Slot[*conversation.Session, *calls], m *dispatch.Message, id string) (*conversation.Session, *calls, *call) {
	s, ok := c.FindNew(m.Session)
	all, _ := slot.Get(s)
	if all == nil {
		all = &calls{}
	}
	is := func(c *call) bool { return c.id == id }
	switch {
	case !ok || len(id) > maxID || m.Update != acp.ToolCall && !slices.ContainsFunc(all.list, is):
		return nil, nil, nil
	case m.Update == acp.ToolCall:
		all.list = slices.DeleteFunc(all.list, is) // the id is reused
	}
	return s, all, all.use(id)
}

// size returns about how many bytes the calls take.
func (cs *calls) size() (size int) {
	for _, c := range cs.list {
		size += 128 + len(c.id) + len(c.terminal) + len(c.text)
	}
	return size
}

// forget forgets the texts of ended calls, from the oldest on, until at most so many bytes are
// left.
func (cs *calls) forget(left int) {
	for _, c := range slices.Backward(cs.list) {
		if !c.isOver || c.text == "" {
			continue
		}
		if left -= len(c.text); left < 0 {
			c.text, c.isCut = "", true
		}
	}
}

// begin notes the agent's own terminal. Without an id it has that of the call.
func (c *call) begin(info *wire.Object) {
	c.terminal = c.id
	if id, _ := info.Text("terminal_id"); id != "" && len(id) <= maxID {
		c.terminal = id
	}
}

// print adds the output in _meta. A terminal_output may be the next piece, or the whole output so
// far.
func (c *call) print(meta *wire.Object) {
	if c.isOwn {
		return
	}
	if output, ok := meta.Open("terminal_output").Text("data"); ok && c.length > 0 && !c.isCut && len(output) > len(c.text) && strings.HasPrefix(output, c.text) {
		c.text, c.length = "", 0
		c.add(output)
	} else if ok {
		c.add(output)
	}
	more, _ := meta.Open("terminal_output_delta").Text("data")
	c.add(more)
}

func (c *call) add(more string) {
	c.length += len(more)
	if c.text += more; len(c.text) > maxText {
		c.text, c.isCut = strings.Clone(c.text[len(c.text)-maxText/2:]), true
	}
}

// next returns the text that an update has to show, and the reason; the text is "" if the update
// stays as it is. The output is shown when it has doubled, and when the call or its terminal ends.
// So all updates together stay in proportion to the output. It is shown again if content without
// text would replace it.
func (c *call) next(update, meta *wire.Object, raw bool) (text string, why wire.Reason) {
	status, _ := update.Text("status")
	ends := slices.Contains([]string{acp.StatusCompleted, acp.StatusFailed, acp.StatusCancelled}, status)
	c.isOver = c.isOver || ends
	isLast := ends || meta.Get("terminal_exit") != nil
	content := update.Raw("content")
	c.isOwn = c.isOwn || hasContent(content)
	switch isReplaced := c.shown > 0 && c.text != "" && !wire.IsAbsent(content); {
	case c.isOwn:
		c.text = ""
	case isReplaced, c.isHidden() && (isLast || c.length >= 2*c.shown || c.length-c.shown >= maxText):
		text, why = c.show(), whyShown
	case c.isOver && raw && c.length == 0:
		text, why = rawText(update.Raw("rawOutput")), whyResult
	}
	return text, why
}

// isHidden reports whether the client lacks a part of the output.
func (c *call) isHidden() bool { return !c.isOwn && c.length > c.shown }

// show returns the output in Markdown. The client has all of it then.
func (c *call) show() string {
	c.shown = c.length
	return c.block()
}

// block returns the output in Markdown.
func (c *call) block() string {
	text := console.Plain(c.text)
	if c.isCut {
		text = "…\n" + text
	}
	return console.Block("", text)
}

// hasContent reports whether content has anything besides terminals.
func hasContent(content []byte) bool {
	return hasElement(content, func(kind string) bool { return kind != acp.ContentTerminal })
}

func showsTerminal(content []byte) bool {
	return hasElement(content, func(kind string) bool { return kind == acp.ContentTerminal })
}

func hasElement(content []byte, is func(kind string) bool) bool {
	elements, _ := wire.Elements(content)
	return slices.ContainsFunc(elements, func(raw []byte) bool {
		o, _ := wire.Parse(raw)
		kind, _ := o.Text("type")
		return is(kind)
	})
}

// withoutTerminal returns content without the agent's own terminal, or nil if it does not have it.
func (c *call) withoutTerminal(content []byte) []byte {
	if c.terminal == "" {
		return nil
	}
	return wire.MapElements(content, func(raw []byte) []byte {
		o, _ := wire.Parse(raw)
		kind, _ := o.Text("type")
		if id, _ := o.Text("terminalId"); kind == acp.ContentTerminal && id == c.terminal {
			return nil
		}
		return raw
	})
}

// rawText returns the text of a rawOutput in Markdown, or "". A rawOutput is a string, or an object
// with one in a member that agents use.
func rawText(raw []byte) string {
	text, isText := wire.Text(raw)
	if !isText {
		o, _ := wire.Parse(raw)
		for _, name := range []string{"formatted_output", "output", "text", "content", "stdout"} {
			if text, _ = o.Text(name); text != "" {
				break
			}
		}
		if more, _ := o.Text("stderr"); more != "" {
			text = strings.TrimPrefix(strings.TrimSuffix(text, "\n")+"\n"+more, "\n")
		}
	}
	if text = console.Plain(text); strings.TrimSpace(text) == "" {
		return ""
	}
	cut := text[:runes.Before(text, maxText)]
	if len(cut) < len(text) {
		cut += "\n…"
	}
	return console.Block("", cut)
}
