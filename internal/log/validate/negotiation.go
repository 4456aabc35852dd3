package validate

import (
	"cmp"
	"strconv"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record/history"
)

// A negotiation collects what the peers say about their versions of the protocol. Each field is ""
// until a message says it.
type negotiation struct {
	offered string // by the client
	client  string // in the response that the client got
	agent   string // in the agent's last response before that
}

// add reads the next message, which may be nil.
func (n *negotiation) add(m *history.Message) {
	switch {
	case m == nil:
	case m.Kind == history.Request:
		n.offered = cmp.Or(n.offered, protocolVersion(m))
	case m.Kind == history.Response && n.client == "" && protocolVersion(m) != "":
		if m.Message.Received() {
			n.agent = protocolVersion(m)
		}
		if m.Message.Sent() {
			n.client = protocolVersion(m)
		}
	}
}

// version returns the negotiated version. The default is 1.
func (n *negotiation) version() string { return cmp.Or(n.client, n.agent, n.offered, "1") }

// protocolVersion returns the version in a request or response of initialize, or "".
func protocolVersion(m *history.Message) string {
	if m.Method != acp.Initialize {
		return ""
	}
	msg, err := wire.Parse(m.JSON, "params", "result")
	if err != nil {
		return ""
	}
	version := conversation.ReadClient(msg.Open("params")).Version
	if result := msg.Open("result"); result != nil {
		version = conversation.ReadAgent(result).Version
	}
	if version > 0 {
		return strconv.Itoa(version)
	}
	return ""
}
