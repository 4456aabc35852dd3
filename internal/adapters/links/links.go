// Package links has the adapter that writes the links and files of prompts as text, for agents that
// read only text.
package links

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// An Adapter writes each resource_link of a prompt as text: the path and the lines that it names,
// or its URI if that does not name a file. If the agent does not announce embeddedContext, each
// resource becomes text, too: its link, and its text in a fence. A binary resource stays.
//
//   - Settles: The agent does not see the file that you mention in a prompt, or refuses the prompt
//     (-32602): it does not read links, or files in a prompt.
//   - For: hermes-agent. Other agents that read only text.
//   - Keys: prompt.links
//   - Read: NousResearch/hermes-agent#20237, NousResearch/hermes-agent#25611,
//     MoonshotAI/kimi-cli#1063, getsentry/junior#1691, bug-ops/zeph#1324
type Adapter struct {
	dispatch.Switched[string] // text; anything else does nothing
	takesResources            bool
}

// whyText is the reason for records.
var whyText = wire.Reason{Code: "links.as-text", Text: "acpshim writes the links of the prompt as text (prompt.links)"}

// New returns an Adapter. How returns the value of prompt.links for two peers.
func New(how func(client, agent conversation.Implementation) string) *Adapter {
	return &Adapter{Switched: dispatch.Switched[string]{For: how}}
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "links" }

// Wants implements dispatch.Adapter.
func (a *Adapter) Wants() []dispatch.Want {
	if a.On != "text" {
		return nil
	}
	return []dispatch.Want{{From: dispatch.Client, Methods: []string{acp.SessionPrompt}}}
}

// Negotiated implements dispatch.Negotiator.
func (a *Adapter) Negotiated(r *conversation.Request) {
	a.Switched.Negotiated(r)
	a.takesResources = string(r.Agent.Capability(acp.PromptCapabilities, "embeddedContext")) == "true"
}

// Handle implements dispatch.Adapter.
func (a *Adapter) Handle(m *dispatch.Message) {
	if m.Method != acp.SessionPrompt || a.On != "text" {
		return
	}
	begins := true // no text came before
	value := wire.MapElements(m.Params().Raw("prompt"), func(raw []byte) []byte {
		block, err := wire.Parse(raw)
		if err != nil {
			return raw
		}
		if text, ok := a.text(block, begins); ok {
			begins = false
			return textBlock(text, block)
		}
		own, _ := block.Text("text")
		begins = begins && strings.TrimSpace(own) == ""
		return raw
	})
	if value != nil {
		m.Because(whyText)
		m.Edit(m.Params().Set(wire.Setting{Name: "prompt", Value: value})...)
	}
}

// text returns the text of a block; ok is false if the block stays. Begins says that the text
// begins the prompt, where agents read what begins with a slash as a command.
func (a *Adapter) text(block *wire.Object, begins bool) (text string, ok bool) {
	switch kind, _ := block.Text("type"); {
	case kind == acp.ContentResourceLink:
		uri, ok := block.Text("uri")
		return name(uri, begins), ok && uri != ""
	case kind == acp.ContentResource && !a.takesResources:
		resource, err := wire.Parse(block.Raw("resource"))
		uri, hasURI := resource.Text("uri")
		content, isText := contentOf(resource)
		return name(uri, begins) + ":\n" + fenced(content), err == nil && hasURI && uri != "" && isText
	}
	return "", false
}

// contentOf returns the text of a resource; ok is false if it is binary.
func contentOf(resource *wire.Object) (text string, ok bool) {
	if text, ok = resource.Text("text"); ok {
		return text, true
	}
	blob, ok := resource.Text("blob")
	data, err := base64.StdEncoding.DecodeString(blob)
	return string(data), ok && err == nil && utf8.Valid(data) && !strings.Contains(string(data), "\x00")
}

// fenced returns a text between fences that are longer than each run of backquotes in it.
func fenced(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + "\n" + text + fence + "\n"
}

// textBlock returns a text block with the members of a block that every block may have.
func textBlock(text string, of *wire.Object) []byte {
	block := wire.Quote([]byte(`{"type":"text","text":`), text)
	for _, kept := range []string{"annotations", "_meta"} {
		if raw := of.Raw(kept); raw != nil {
			block = append(append(block, `,"`+kept+`":`...), raw...)
		}
	}
	return append(block, '}')
}
