package shape

import (
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Images is an adapter that removes the URI of an image in a prompt if the image has data and only
// the client can read the URI.
//
//   - Settles: The agent rejects a pasted image: it reads the image's URI instead of its data, and
//     only the client understands that URI.
//   - For: Zed with codex-acp before 1.1.
//   - Keys: images.drop_uris
//   - Read: agentclientprotocol/codex-acp#228
type Images struct{ dispatch.Switched[bool] }

// NewImages returns an Images adapter.
func NewImages(isOn func(client, agent conversation.Implementation) bool) *Images {
	return &Images{dispatch.Switched[bool]{For: isOn, Wanted: []dispatch.Want{{From: dispatch.Client, Methods: []string{acp.SessionPrompt}}}}}
}

// Name implements dispatch.Adapter.
func (*Images) Name() string { return "shape" }

// Handle implements dispatch.Adapter.
func (*Images) Handle(m *dispatch.Message) {
	if m.Method != acp.SessionPrompt {
		return
	}
	if prompt := wire.MapElements(m.Params().Raw("prompt"), withoutURI); prompt != nil {
		m.Because(whyURI)
		m.Edit(m.Params().Set(wire.Setting{Name: "prompt", Value: prompt})...)
	}
}

// withoutURI returns a block without a URI that only the client can read, if it is an image with
// data.
func withoutURI(block []byte) []byte {
	o, err := wire.Parse(block)
	kind, _ := o.Text("type")
	data := o.Raw("data")
	uri, isURI := o.Text("uri")
	scheme, _, _ := strings.Cut(uri, ":")
	if err != nil || kind != acp.ContentImage || !wire.IsString(data) || len(data) == len(`""`) || !isURI ||
		slices.Contains([]string{"http", "https", "data", "file"}, strings.ToLower(scheme)) {
		return block
	}
	return wire.Without(block, "uri")
}
