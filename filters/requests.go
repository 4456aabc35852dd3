package filters

import (
	"strings"

	"acpshim/internal/wire"
)

// Requests are those that acpshim itself sends to the client, past this
// package. Their responses never reach the agent. The zero value is none.
type Requests struct {
	// Prefix begins their ids, which are strings, and nobody else's.
	Prefix string

	// Sent reports whether there has been one. An answer that gives its id
	// late is held from then on.
	Sent func() bool

	// Answered is told of each answer: its result or its error, the other is
	// nil, as raw JSON. It is called by the client's direction, must not block
	// and must not keep the bytes.
	Answered func(id string, result, failure []byte)
}

// have reports whether a raw id is one of these requests'.
func (r Requests) have(rawID []byte) bool {
	return r.Prefix != "" && len(rawID) > 0 && rawID[0] == '"' && strings.HasPrefix(wire.ID(rawID), `"`+r.Prefix)
}

// OwnResponses takes the responses to acpshim's own requests out of the lines of the client, and
// hands all others to next. It stands in front of all else: a rule that holds responses, or
// finds one too long, does not meet them.
func (c *Conversation) OwnResponses(next wire.Interceptor) wire.Interceptor {
	return &ownResponses{Interceptor: next, c: c}
}

type ownResponses struct {
	wire.Interceptor // the next
	c                *Conversation
}

// tellsWhose reports whether a head tells that a message is a request, or whose response it is.
func tellsWhose(h wire.Head) bool { return h.Method != nil || h.Response && h.ID != nil }

// Inspect implements wire.Interceptor.
func (o *ownResponses) Inspect(line []byte, whole bool) wire.Verdict {
	requests := o.c.opts.Requests
	if requests.Prefix == "" {
		return o.Interceptor.Inspect(line, whole)
	}
	h, reading := wire.PeekHead(line[:min(len(line), wire.HeadSize)], tellsWhose)
	switch {
	case h.Method == nil && requests.have(h.ID):
		return wire.Consume
	case reading == wire.Decided || reading == wire.NotJSON || !requests.Sent():
		return o.Interceptor.Inspect(line, whole)
	case reading == wire.Incomplete && len(line) < wire.HeadSize:
		return wire.More
	}
	return wire.Hold // it may be one
}

// Rewrite implements wire.Interceptor.
func (o *ownResponses) Rewrite(dst, line []byte) (out []byte, by []string) {
	h, _ := wire.PeekHead(line, tellsWhose)
	if h.Method != nil || o.c.opts.Requests.Prefix == "" {
		return wire.Apply(o.Interceptor, dst, line)
	}
	taken := false
	left, err := rewrite(nil, line, func(line []byte, msg *wire.Object) replacement {
		if msg.Get("method") != nil || !o.c.opts.Requests.have(msg.Raw("id")) {
			return replacement{self: line}
		}
		taken = true
		id, _ := msg.Text("id")
		o.c.opts.Requests.Answered(id, msg.Raw("result"), msg.Raw("error"))
		return replacement{}
	})
	switch {
	case err != nil && o.c.opts.Requests.have(h.ID):
		o.c.opts.Events.unread(err)
		return dst, nil
	case !taken:
		return wire.Apply(o.Interceptor, dst, line)
	case len(left) == 0:
		return dst, nil
	}
	return wire.Apply(o.Interceptor, dst, left)
}
