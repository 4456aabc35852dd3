package versions

import (
	"bytes"
	"slices"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// keys are the idempotencyKeys of the accepted prompts of a session, the one used last at the end.
type keys []acceptedKey

type acceptedKey struct{ key, id string } // id is that of the prompt's message

// maxKeys is the maximum number of keys of a session.
const maxKeys = 64

// use returns the id of the prompt's message for a key, or "".
func (k keys) use(key string) string {
	i := slices.IndexFunc(k, func(of acceptedKey) bool { return of.key == key })
	if i < 0 {
		return ""
	}
	of := k[i]
	copy(k[i:], k[i+1:])
	k[len(k)-1] = of
	return of.id
}

// add notes the key of an accepted prompt. It removes the key that was not used for longest.
func (k *keys) add(key, id string) {
	if key == "" || len(key) > maxID {
		return
	}
	if len(*k) == maxKeys {
		*k = slices.Delete(*k, 0, 1)
	}
	*k = append(*k, acceptedKey{key, id})
}

// A repeated is a prompt with the idempotencyKey of one that is not accepted yet.
type repeated struct {
	id   []byte // raw
	held *dispatch.Held
}

// isRepeated reports whether a prompt has the key of an earlier one. It gets the same response as
// that one, now or when the earlier one is accepted or refused. A refused prompt frees its key.
func (a *Client) isRepeated(m *dispatch.Message, r *conversation.Request, key string) bool {
	if key == "" {
		return false
	}
	m.Because(whySameKey)
	taken := ""
	a.with(r.Session, func(s *clientSession) { taken = s.keys.use(key) })
	if taken != "" {
		m.Answer(wire.Result(m.ID, object(nil).text("messageId", taken).json()))
		return true
	}
	for _, first := range a.c.Prompts(r.Session) {
		p, ok := a.prompts.Get(first)
		if !ok || p.key != key || p.isEnded {
			continue
		}
		if held := m.HoldThroughCancel(dispatch.Unlimited); held != nil {
			p.again = append(p.again, repeated{bytes.Clone(m.ID), held})
		} else {
			m.Answer(wire.Refusal(m.ID, -32603, "a prompt with this idempotencyKey is pending, and acpshim has no room for a second one"))
		}
		return true
	}
	return false
}

// endRepeated responds to the prompts with the same key as p.
func (a *Client) endRepeated(p *prompt, response func(id []byte) []byte) {
	again := p.again
	p.again = nil
	for _, of := range again {
		of.held.Because(whySameResponse).Answer(response(of.id))
	}
}

// cancelRepeated refuses a held prompt with the key of an earlier one, and reports whether the
// request is one.
func (a *Client) cancelRepeated(r *conversation.Request) bool {
	for _, first := range a.c.Prompts(r.Session) {
		p, _ := a.prompts.Get(first)
		if p == nil {
			continue
		}
		i := slices.IndexFunc(p.again, func(of repeated) bool { return of.held.Request == r })
		if i >= 0 {
			of := p.again[i]
			p.again = slices.Delete(p.again, i, i+1)
			return of.held.Because(whyCancelledWaiting).Answer(dispatch.Cancelled(of.id))
		}
	}
	return false
}
