package filters

import "acpshim/internal/wire"

// FromClient sees the lines from the client to the agent. Only initialize is
// ever changed; of a few other requests it is noted that their answers matter,
// and of prompts always, as the agent is not ended while one is being answered.
type FromClient struct {
	wire.Base
	c *Conversation
}

// Inspect implements wire.Interceptor.
func (f *FromClient) Inspect(line []byte, whole bool) wire.Verdict {
	c, head := f.c, line[:min(len(line), wire.HeadSize)]
	h, reading := wire.PeekHead(head, tellsEnough)
	switch {
	case reading == wire.NotJSON:
		return wire.Pass
	case reading == wire.Incomplete && len(head) < wire.HeadSize:
		return wire.More
	case reading == wire.Incomplete && string(h.Method) == "session/prompt" && h.ID != nil:
		// A long prompt that names its session last: its end is all to know.
		defer c.lock()()
		c.await(h.ID, request{method: "session/prompt"})
		return wire.Pass
	case reading != wire.Decided:
		// Where nothing is translated no line is held for what it might be.
		defer c.lock()()
		if !c.handshake.tracking {
			return wire.Pass
		}
		return wire.Hold
	}
	switch string(h.Method) {
	case "initialize":
		return wire.Hold
	case "session/new", "session/fork", "session/load", "session/resume", "session/close", "session/delete", "session/set_config_option":
		defer c.lock()()
		if c.handshake.tracking {
			return wire.Hold
		}
	case "session/prompt":
		// Noted by its head: prompts carry images and are not held for them.
		defer c.lock()()
		c.await(h.ID, request{method: "session/prompt", session: keptID(string(h.SessionID))})
	}
	return wire.Pass
}

// tellsEnough reports whether a head tells all that counts of a line.
func tellsEnough(h wire.Head) bool {
	if h.Response {
		return true
	}
	switch string(h.Method) {
	case "session/prompt":
		return h.ID != nil && h.SessionID != nil
	case "":
		return false
	}
	return true
}

// Rewrite implements wire.Interceptor.
func (f *FromClient) Rewrite(dst, line []byte) (out []byte, by []string) {
	dst, err := rewrite(dst, line, f.replace)
	f.c.opts.Events.unread(err)
	return dst, byPlan
}

// TooLong implements wire.Interceptor: a prompt that a rule holds and that is too long is one
// all the same.
func (f *FromClient) TooLong(head []byte) { f.Inspect(head, false) }

func (f *FromClient) replace(line []byte, msg *wire.Object) replacement {
	c := f.c
	defer c.lock()()
	params := msg.Open("params")
	method, _ := msg.Text("method")
	r := request{method: method}
	r.session, _ = params.Text("sessionId")
	r.session = keptID(r.session)
	switch method {
	case "initialize":
		return replacement{self: c.initialize(line, msg)}
	case "session/new", "session/fork", "session/load", "session/resume":
		if c.handshake.tracking && (r.session != "" || r.creates()) {
			r.roots = roots(params)
			c.await(msg.Raw("id"), r)
		}
	case "session/set_config_option":
		if len(c.handshake.closed.options) > 0 {
			c.await(msg.Raw("id"), r)
		}
	case "session/close", "session/delete":
		if c.handshake.tracking {
			c.await(msg.Raw("id"), r)
		}
	case "session/prompt":
		c.await(msg.Raw("id"), r)
	}
	return replacement{self: line}
}

// keptID is a session's id, or empty for one that is too long to be kept.
func keptID(session string) string {
	if len(session) > maxSessionID {
		return ""
	}
	return session
}

// roots are the folders that a session is opened with.
func roots(params *wire.Object) []string {
	var roots []string
	if cwd, ok := params.Text("cwd"); ok && len(cwd) <= maxRoot {
		roots = append(roots, cwd)
	}
	more, _ := wire.Elements(params.Raw("additionalDirectories"))
	for _, raw := range more {
		if dir, ok := wire.Text(raw); ok && len(dir) <= maxRoot && len(roots) < maxRoots {
			roots = append(roots, dir)
		}
	}
	return roots
}
