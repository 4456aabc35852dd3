package summary

import (
	"slices"
	"strings"

	"acpshim/internal/conversation"
	"acpshim/internal/history"
	"acpshim/internal/record"
	"acpshim/internal/wire"
)

// A Peer is what a side said of itself, and what acpshim told the other one of it besides.
type Peer struct {
	Name         string   `json:"name"`
	Version      string   `json:"version"`
	Capabilities []string `json:"capabilities"` // that it announced, as fs.readTextFile
	Added        []string `json:"added"`        // that acpshim announced in its name
	Hidden       []string `json:"hidden"`       // that acpshim kept from the other side
	Seq          uint64   `json:"seq"`          // of its message of initialize; 0 if there is none
}

// peers takes what the peers' last initialize says.
func (s *Summary) peers(h *history.History) {
	s.Client, s.Agent = newPeer(), newPeer()
	for _, m := range h.Messages {
		if m.Method != "initialize" || m.Failed || m.IsOwn() || m.Of == nil && !m.Message.Received() {
			continue
		}
		msg, err := wire.Parse(m.JSON, "params", "result")
		if err != nil {
			continue
		}
		switch dir := m.Message.Dir; {
		case m.Kind == history.Request && dir == record.Client:
			if m.Message.Received() {
				s.Offered = wire.ID(msg.Open("params").Raw("protocolVersion"))
			}
			s.Client.take(m, conversation.ReadClient(msg.Open("params")))
		case m.Kind == history.Response && dir == record.Agent:
			version := wire.ID(msg.Open("result").Raw("protocolVersion"))
			if m.Message.Received() {
				s.Version = version
			}
			if m.Message.Sent() {
				s.Got = version
			}
			s.Agent.take(m, conversation.ReadAgent(msg.Open("result")))
		}
	}
}

func newPeer() Peer { return Peer{Capabilities: []string{}, Added: []string{}, Hidden: []string{}} }

// take takes what a message says of the peer: as it came, or how it went on.
func (p *Peer) take(m *history.Message, said *conversation.Peer) {
	names := capabilities(nil, "", said.Capabilities)
	if !m.Message.Received() && slices.Contains(m.Message.By, "version") {
		return // it is spelled for another version
	}
	if m.Of != nil {
		p.Added, p.Hidden = without(names, p.Capabilities), without(p.Capabilities, names)
		return
	}
	*p = newPeer()
	p.Name, p.Version, p.Seq = said.Name, said.Implementation.Version, m.Seq
	p.Capabilities = append(p.Capabilities, names...)
}

// without are the names that are not among others; never nil.
func without(names, others []string) []string {
	return slices.DeleteFunc(append([]string{}, names...), func(name string) bool { return slices.Contains(others, name) })
}

// mostCapabilities bounds those that are listed of a peer, and their depth.
const (
	mostCapabilities = 200
	mostDepth        = 6
)

// capabilities appends the paths of what an object announces: of all values but null, false, and
// objects in which nothing is announced though something could be.
func capabilities(dst []string, path string, raw []byte) []string {
	o, err := wire.Parse(raw)
	if err != nil || len(o.Members) == 0 {
		if path != "" && !wire.IsAbsent(raw) && string(raw) != "false" && len(dst) < mostCapabilities {
			dst = append(dst, path)
		}
		return dst
	}
	for _, m := range o.Members {
		name := m.Name
		if path != "" {
			name = path + "." + name
		}
		if strings.Count(name, ".") <= mostDepth {
			dst = capabilities(dst, name, raw[m.Value.Start:m.Value.End])
		}
	}
	return dst
}
