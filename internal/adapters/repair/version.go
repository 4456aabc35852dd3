package repair

import (
	"regexp"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// Version is an adapter that corrects the version of a client's initialize.
//
//   - Settles: The agent rejects the client's messages: the client announces version 2 of the
//     protocol but speaks version 1, or writes the version as a text or a date.
//   - For: buzz (block/buzz), acpx 0.3, QwenPaw.
//   - Keys: repair.version
//   - Read: block/buzz#4728, block/buzz#7384, openclaw/acpx#184, openclaw/acpx#140,
//     agentscope-ai/QwenPaw#4824, anomalyco/opencode#35681
type Version struct{ repair }

// NewVersion returns a Version adapter.
func NewVersion(isOn IsOn) *Version { return &Version{newRepair(isOn)} }

// Corrects implements dispatch.Corrector: other adapters see a client of version 1.
func (*Version) Corrects(from dispatch.Side) bool { return from == dispatch.Client }

// Handle implements dispatch.Adapter. Every adapter gets initialize. A client with members of both
// versions may speak both, so its initialize stays as it is.
func (a *Version) Handle(m *dispatch.Message) {
	params := m.Params()
	if m.From != dispatch.Client || m.Method != acp.Initialize {
		return
	}
	is := params.Raw("protocolVersion")
	number := versionNumber(is)
	m.Because(whyVersionText)
	if number != nil {
		is = number
	}
	isOld := params.Get(acp.ClientCapabilities) != nil || params.Get("clientInfo") != nil
	isNew := params.Get("capabilities") != nil || params.Get("info") != nil
	if wire.ID(is) == "2" && isOld && !isNew {
		number = []byte("1")
		m.Because(whyVersion)
	}
	if number != nil && a.For(conversation.ReadClient(params).Implementation, conversation.Implementation{}) {
		m.Edit(params.Set(wire.Setting{Name: "protocolVersion", Value: number})...)
	}
}

// AgentVersion is an adapter that corrects the version in an agent's response to initialize.
//
//   - Settles: The client rejects the agent: the agent writes the version of the protocol as a text
//     or a date.
//   - For: Every agent.
//   - Keys: repair.version
//   - Read: openclaw/acpx#184, agentscope-ai/QwenPaw#4824
type AgentVersion struct{ repair }

// NewAgentVersion returns an AgentVersion adapter.
func NewAgentVersion(isOn IsOn) *AgentVersion { return &AgentVersion{newRepair(isOn)} }

// Corrects implements dispatch.Corrector: other adapters see the number.
func (*AgentVersion) Corrects(from dispatch.Side) bool { return from == dispatch.Agent }

// Handle implements dispatch.Adapter.
func (a *AgentVersion) Handle(m *dispatch.Message) {
	result := m.Result()
	if m.From != dispatch.Agent || result == nil || m.Request == nil || m.Request.Method != acp.Initialize {
		return
	}
	var client conversation.Implementation
	if m.Request.Client != nil {
		client = m.Request.Client.Implementation
	}
	number := versionNumber(result.Raw("protocolVersion"))
	if number != nil && a.For(client, conversation.ReadAgent(result).Implementation) {
		m.Because(whyVersionText)
		m.Edit(result.Set(wire.Setting{Name: "protocolVersion", Value: number})...)
	}
}

// Texts that mean a version. A date is the version of another protocol, MCP, whose peers took it
// over.
var (
	versionText = regexp.MustCompile(`^([12])(\.0)*$`)
	versionDate = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
)

// versionNumber returns the version that a text means as a number, or nil if raw is not such a
// text.
func versionNumber(raw []byte) []byte {
	text, _ := wire.Text(raw)
	if of := versionText.FindStringSubmatch(text); of != nil {
		return []byte(of[1])
	}
	if versionDate.MatchString(text) {
		return []byte("1")
	}
	return nil
}
