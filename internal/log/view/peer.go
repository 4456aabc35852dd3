package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// A Peer is what a peer announced, and what acpshim changed in that for the other peer.
type Peer struct {
	Name         string   `json:"name"`
	Version      string   `json:"version"`
	Capabilities []string `json:"capabilities"` // that it announced, as fs.readTextFile
	Added        []string `json:"added"`        // that acpshim announced in its name
	Hidden       []string `json:"hidden"`       // that acpshim kept from the other peer
	Seq          uint64   `json:"seq"`          // of its message of initialize; 0 without one
}

// readPeer reads the peer that a message of initialize announces, and its version of the protocol.
// It returns nil for any other message.
func readPeer(m *history.Message) (peer *conversation.Peer, version string) {
	msg, err := wire.Parse(m.JSON, "params", "result")
	if m.Method != acp.Initialize || m.Failed || err != nil {
		return nil, ""
	}
	switch dir := m.Message.Dir; {
	case m.Kind == history.Request && dir == record.Client:
		params := msg.Open("params")
		return conversation.ReadClient(params), wire.ID(params.Raw("protocolVersion"))
	case m.Kind == history.Response && dir == record.Agent:
		peer := conversation.ReadAgent(msg.Open("result"))
		if peer.Version < 0 {
			return peer, ""
		}
		return peer, strconv.Itoa(peer.Version)
	}
	return nil, ""
}

// peers sets what the peers announced last.
func (s *Summary) peers(h *history.History) {
	s.Client, s.Agent = newPeer(), newPeer()
	for _, m := range h.Messages {
		peer, version := readPeer(m)
		if peer == nil || m.IsOwn() || m.Of == nil && !m.Message.Received() {
			continue
		}
		if m.Message.Dir == record.Client {
			if s.Client.set(m, peer); m.Message.Received() {
				s.Offered = version
			}
			continue
		}
		if s.Agent.set(m, peer); m.Message.Received() {
			s.Version = version
		}
		if m.Message.Sent() {
			s.Got = version
		}
	}
}

func newPeer() Peer { return Peer{Capabilities: []string{}, Added: []string{}, Hidden: []string{}} }

// set sets what a message announces of the peer: as it came, or as acpshim sent it on.
func (p *Peer) set(m *history.Message, announced *conversation.Peer) {
	names := capabilities(nil, "", announced.Capabilities)
	switch {
	case !m.Message.Received() && slices.Contains(m.Message.By, "version"): // it is written for another version
	case m.Of != nil:
		p.Added, p.Hidden = without(names, p.Capabilities), without(p.Capabilities, names)
	default:
		*p = newPeer()
		p.Name, p.Version, p.Seq = announced.Name, announced.Implementation.Version, m.Seq
		p.Capabilities = append(p.Capabilities, names...)
	}
}

// without returns the names that are not among others; never nil.
func without(names, others []string) []string {
	return slices.DeleteFunc(append([]string{}, names...), func(name string) bool { return slices.Contains(others, name) })
}

// Bounds on the capabilities of a peer, and on their depth.
const (
	mostCapabilities = 200
	mostPath         = 6
)

// capabilities appends the paths of what an object announces: of all values except null, false, and
// objects whose members announce nothing.
func capabilities(dst []string, path string, raw []byte) []string {
	o, err := wire.Parse(raw)
	if err != nil || len(o.Members) == 0 {
		if path != "" && !wire.IsAbsent(raw) && string(raw) != "false" && len(dst) < mostCapabilities {
			dst = append(dst, path)
		}
		return dst
	}
	for _, m := range o.Members {
		if name := strings.TrimPrefix(path+"."+m.Name, "."); strings.Count(name, ".") <= mostPath {
			dst = capabilities(dst, name, raw[m.Value.Start:m.Value.End])
		}
	}
	return dst
}

// lines describes what the peer announced.
func (p Peer) lines() []string {
	if p.Seq == 0 {
		return []string{"did not send its name"}
	}
	lines := []string{fmt.Sprintf("announces %s (#%d)", firstNames(p.Capabilities), p.Seq)}
	if len(p.Added) > 0 {
		lines = append(lines, "acpshim adds "+firstNames(p.Added))
	}
	if len(p.Hidden) > 0 {
		lines = append(lines, "acpshim hides "+firstNames(p.Hidden))
	}
	return lines
}

// mostOfNames is how wide a list of names is, in columns.
const mostOfNames = 85

// firstNames lists the first names; those of extensions come last.
func firstNames(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	isExtension := func(name string) bool { return strings.HasPrefix(name, "_") }
	isStandard := func(name string) bool { return !isExtension(name) }
	all := slices.Concat(slices.DeleteFunc(slices.Clone(names), isExtension), slices.DeleteFunc(slices.Clone(names), isStandard))
	text, n := all[0], 1
	for ; n < len(all) && terminal.Width(text+all[n]) < mostOfNames; n++ {
		text += ", " + all[n]
	}
	if more := len(all) - n; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
