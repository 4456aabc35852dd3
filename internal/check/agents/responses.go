package agents

import (
	"strings"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
)

// responses judges whether each request gets one response, and notifications get none.
func (p *process) responses() {
	p.tried("one-response")
	asked := map[string]*peer.Message{} // by the id
	responses := map[*peer.Message]*peer.Message{}
	var told *peer.Message // the last notification
	for _, m := range p.Messages() {
		switch {
		case m.From == wire.Client && m.IsRequest():
			asked[wire.ID(m.ID)] = m
		case m.From == wire.Client && m.Method != "" && m.ID == nil:
			told = m
		case m.From == wire.Agent && m.IsResponse() && !m.IsPiece && m.ID != nil:
			p.response(m, asked, responses, told)
		}
	}
}

// response judges a response.
func (p *process) response(m *peer.Message, asked map[string]*peer.Message, responses map[*peer.Message]*peer.Message, told *peer.Message) {
	of := asked[wire.ID(m.ID)]
	if of == nil {
		of = p.alike(m, asked, responses)
	}
	switch {
	case of != nil && responses[of] != nil:
		p.fail("one-response", fault{sent: say(of, " ", of.Method), got: say("a second response ", m, " after ", responses[of]), text: "each request gets one response"})
	case of != nil:
		responses[of] = m
	case wire.ID(m.ID) != "":
		p.fail("one-response", fault{got: say("the response ", m, " with the id ", short(m.ID, 40), ", which no request has"), text: "each response is for a request"})
	case told != nil && p.expects:
		p.fail("notification-silent", fault{sent: say(told, " ", told.Method), got: say(reply{Exchange: &peer.Exchange{Response: m}}, " with the id null, ", m.At.Sub(told.At).Round(time.Millisecond), " after it"), text: "notifications never get a response"})
	case p.expects:
		p.fail("one-response", fault{got: say("the response ", m, " with the id null"), text: "each response is for a request"})
	}
}

// alike returns the request that has no response, and whose id differs from that of a response only
// in its type. Such a response breaks a rule.
func (p *process) alike(m *peer.Message, asked map[string]*peer.Message, responses map[*peer.Message]*peer.Message) *peer.Message {
	for _, of := range asked {
		if responses[of] == nil && wire.ID(m.ID) != "" && strings.Trim(string(of.ID), `"`) == strings.Trim(string(m.ID), `"`) {
			p.fail("response-id", fault{sent: say(of, " ", of.Method, " with the id ", short(of.ID, 40), kind(of.ID)), got: say("the response ", m, " with the id ", short(m.ID, 40), kind(m.ID)), text: "the id MUST be the same value of the same type"})
			return of
		}
	}
	return nil
}

// kind returns the type of an id.
func kind(id []byte) string {
	if wire.IsString(id) {
		return " (a string)"
	}
	return " (a number)"
}
