package rule

import "acpshim/internal/wire"

// note remembers a request of a side.
func (c *Chain) note(side Side, rawID []byte, r call) {
	id := wire.ID(rawID)
	if id == "" || len(r.method) > maxMethod || len(r.session) > maxSession {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending[side].Remove(id) // an id used again names the new request
	c.pending[side].Add(id, r)
	c.opening.asked(r)
}

// asked returns the request of a side with that id.
func (c *Chain) asked(side Side, rawID []byte) (call, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pending[side].Peek(wire.ID(rawID))
}

// answered forgets it.
func (c *Chain) answered(side Side, rawID []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending[side].Remove(wire.ID(rawID))
}

// request notes what a request says of the connection, before any rule.
func (c *Chain) request(side Side, m *message) {
	if !c.chosen[side].Load().needsAnswer(side, m.method) {
		return
	}
	r := call{method: m.method}
	if opens(m.method) {
		r.session = m.session
	}
	c.note(side, m.id, r)
	if side == Client && m.method == "initialize" {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.facts = c.facts.offered(m)
		c.choose()
	}
}

// response notes what a response says of the connection, before any rule, and
// what it answers. Opens is true for one that lets messages go that were held.
func (c *Chain) response(side Side, m *message) (opensSession bool) {
	r, ok := c.asked(side.other(), m.id)
	if !ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		m.responseTo = c.facts.ResponseTo
		return false
	}
	m.responseTo = r.method
	c.answered(side.other(), m.id)
	if side == Client {
		return false
	}
	if r.method == "initialize" {
		c.settle(m)
		return false
	}
	if !opens(r.method) {
		return false
	}
	session := r.session
	result, err := wire.Parse(m.object.Raw("result"))
	if creates(r.method) {
		session, _ = result.Text("sessionId")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && session != "" && len(session) <= maxSession {
		c.opening.known.Add(session, true)
	}
	return true
}

// settle reads the answer to initialize.
func (c *Chain) settle(m *message) {
	c.mu.Lock()
	c.facts = c.facts.settled(m)
	version := c.facts.Protocol
	c.choose()
	var others []string
	for i, r := range c.set.rules {
		if c.on[i] && version != 0 && r.protocol != 0 && r.protocol != version {
			others = append(others, r.name)
		}
	}
	c.mu.Unlock()
	if c.opts.Events.Other == nil {
		return
	}
	for _, name := range others {
		c.opts.Events.Other(name, version)
	}
}

// hold keeps a message back if its session is not open yet, and reports whether
// it does. If there is no room, all that is held is let go first, in before; by
// names the rules that held it.
func (c *Chain) hold(m *message) (held bool, before []byte, by []string) {
	c.mu.Lock()
	if !c.opening.waits(m.session) {
		c.mu.Unlock()
		return false, nil, nil
	}
	if c.opening.hold(m.session, m.holder, m.line) {
		c.mu.Unlock()
		return true, nil, nil
	}
	before, by = c.opening.release(nil, true)
	c.mu.Unlock()
	if c.opts.Events.Let != nil {
		c.opts.Events.Let(len(by) + 1)
	}
	return false, before, by
}

// missed notes that a line of the agent passes unread that may have been an
// answer, by as much of it as there is, and reports whether one was waited for.
func (c *Chain) missed(side Side, line []byte) bool {
	if side != Agent || !c.chosen[Agent].Load().holds {
		return false
	}
	h, _ := wire.PeekHead(line, func(h wire.Head) bool { return h.Response && h.ID != nil })
	if h.Method != nil && !h.Response {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	pending := c.pending[Client]
	before := pending.Len()
	if h.ID != nil {
		pending.Remove(wire.ID(h.ID))
	} else { // it may have been any of them
		for _, id := range pending.Keys() {
			if r, _ := pending.Peek(id); opens(r.method) {
				pending.Remove(id)
			}
		}
	}
	return pending.Len() < before
}

// releaseAll is release of all that is held.
func (c *Chain) releaseAll(dst []byte) (_ []byte, by []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.opening.release(dst, true)
}

// release appends what waits no longer, and names the rules that held it.
func (c *Chain) release(dst []byte) (_ []byte, by []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.opening.release(dst, false)
}
