// Package images has the adapter that writes the images of prompts to files, for agents that take
// no images.
package images

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"path"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Options of an Adapter.
type Options struct {
	// IsOn reports whether images become files for two peers.
	IsOn func(client, agent conversation.Implementation) bool

	// Write writes an image to a file that the agent can read, and returns its absolute path.
	// Extension, such as ".png", ends its name. If Write fails, the image stays in the prompt. It
	// may wait for the disk, and must not keep the bytes. If it is nil, the adapter does nothing.
	Write func(extension string, image []byte) (path string, err error)

	// Spell converts a path to the agent's spelling. It may be nil, if both peers use the same.
	Spell func(path string) string
}

// An Adapter announces images to the client if the agent does not take them. It writes each image
// of a prompt to a file. The agent gets a link to the file, and a text that names it.
//
//   - Settles: You cannot add an image to a prompt, or the agent ignores it: the agent takes no
//     images in prompts.
//   - For: Agents with a tool that reads images from files.
//   - Keys: images.files
//   - Read: OpenHands/software-agent-sdk#2982, docker/docker-agent#3135, MoonshotAI/kimi-cli#861
type Adapter struct {
	dispatch.Switched[bool]
	opts Options
}

// Reasons for records.
var (
	whyFiles     = wire.Reason{Code: "images.written-to-file", Text: "acpshim wrote each image to a file for the agent (images.files)"}
	whyAnnounced = wire.Reason{Code: "images.announced", Text: "acpshim announces images in place of the agent (images.files)"}
)

// New returns an Adapter.
func New(o Options) *Adapter {
	return &Adapter{opts: o, Switched: dispatch.Switched[bool]{
		For: o.IsOn, Wanted: []dispatch.Want{{From: dispatch.Client, Methods: []string{acp.SessionPrompt}}},
	}}
}

// Name implements dispatch.Adapter.
func (*Adapter) Name() string { return "images" }

// Negotiated implements dispatch.Negotiator.
func (a *Adapter) Negotiated(r *conversation.Request) {
	a.Switched.Negotiated(r)
	a.On = a.On && a.opts.Write != nil && string(r.Agent.Capability(acp.PromptCapabilities, "image")) != "true"
}

// Handle implements dispatch.Adapter. It gets the response to initialize after Negotiated was
// called.
func (a *Adapter) Handle(m *dispatch.Message) {
	switch {
	case m.Method == acp.SessionPrompt:
		if value := a.replace(m.Params().Raw("prompt")); value != nil {
			m.Because(whyFiles)
			m.Edit(m.Params().Set(wire.Setting{Name: "prompt", Value: value})...)
		}
	case m.From == dispatch.Agent && a.On && m.Result() != nil:
		announce(m)
	}
}

// announce announces to the client that the agent takes images.
func announce(m *dispatch.Message) {
	path := []string{acp.PromptCapabilities, "image"}
	if value := wire.With(m.Result().Raw(acp.AgentCapabilities), path, []byte("true")); value != nil {
		m.Because(whyAnnounced)
		m.Edit(m.Result().Set(wire.Setting{Name: acp.AgentCapabilities, Value: value})...)
	}
}

// replace returns the content of a prompt with files instead of images, or nil if there are no
// images.
func (a *Adapter) replace(content []byte) []byte {
	return wire.MapElements(content, func(raw []byte) []byte {
		if block, err := wire.Parse(raw); err == nil {
			if link := a.link(block); link != nil {
				return link
			}
		}
		return raw
	})
}

// link writes an image to a file and returns the blocks that name it. It returns nil if the block
// is not an image or cannot be written.
func (a *Adapter) link(block *wire.Object) []byte {
	kind, _ := block.Text("type")
	data, _ := block.Text("data")
	mime := block.Raw("mimeType")
	image, err := base64.StdEncoding.DecodeString(data)
	if kind != acp.ContentImage || err != nil || len(image) == 0 || !wire.IsString(mime) {
		return nil
	}
	format, _ := wire.Text(mime)
	var file string
	a.Await(func() { file, err = a.opts.Write(extension(format), image) })
	if err != nil {
		return nil
	}
	name := path.Base(slashed(file))
	b := fmt.Appendf(nil, `{"type":"resource_link","uri":%s,"name":%s,"mimeType":%s,"size":%d`, wire.Quote(nil, uri(file)), wire.Quote(nil, name), mime, len(image))
	for _, kept := range []string{"annotations", "_meta"} {
		if raw := block.Raw(kept); raw != nil {
			b = fmt.Appendf(b, `,"%s":%s`, kept, raw)
		}
	}
	if a.opts.Spell != nil {
		file = a.opts.Spell(file) // adapters map paths in links, but not in texts
	}
	return fmt.Appendf(b, `},{"type":"text","text":%s}`, wire.Quote(nil, "[The image "+name+" is in the file "+file+"]"))
}

// extension returns the extension for a media type, or "".
func extension(format string) string {
	switch format {
	case "image/png", "image/gif", "image/webp", "image/bmp":
		return "." + strings.TrimPrefix(format, "image/")
	case "image/jpeg":
		return ".jpg"
	case "image/svg+xml":
		return ".svg"
	}
	return ""
}

// slashed returns a path with slashes, also for Windows.
func slashed(file string) string {
	if len(file) > 2 && file[1] == ':' {
		return "/" + strings.ReplaceAll(file, `\`, "/")
	}
	return file
}

// uri returns the file URI of an absolute path.
func uri(file string) string { return (&url.URL{Scheme: "file", Path: slashed(file)}).String() }
