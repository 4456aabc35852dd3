package wire

import "bytes"

// HeadSize is how much of a line [PeekHead] is meant to see, in bytes. What
// real peers put before the member that decides is a tenth of it.
const HeadSize = 4096

// A Head is what the beginning of a line tells about its message. Fields are
// nil where the beginning says nothing of them; strings are without quotes.
type Head struct {
	Method        []byte
	ID            []byte // raw, strings with their quotes
	Response      bool   // a result or an error was met: a response
	SessionID     []byte // params.sessionId
	SessionUpdate []byte // params.update.sessionUpdate
	ToolCallID    []byte // params.update.toolCallId; nil if it has an escape in it
	Size          int    // how many bytes were read: any line that begins with them has this head
}

// A Reading says how far [PeekHead] came.
type Reading int

const (
	// Decided: stop said that the head tells enough, or the message ended.
	Decided Reading = iota
	// Incomplete: the bytes ended first; more of them may tell more.
	Incomplete
	// Unclear: an escape in a name or in a value that counts, or a form that the
	// peek does not know. Only Parse can tell.
	Unclear
	// Array: the line begins like a JSON array, which may be a batch.
	Array
	// NotJSON: the line begins like neither an object nor an array.
	NotJSON
)

// PeekHead reads members from the beginning of a line until stop returns true
// of what has been read, and says how far it came. It allocates nothing and
// looks at no byte behind the one that decided.
//
// The peek is sound: if a member is read here then no reader of a message with
// unique member names can see another value for it, however the rest of the
// line goes on. Names and values that could be spelled with escapes
// (pl\u0061n_update) are never read past: such a line is Unclear.
func PeekHead(head []byte, stop func(Head) bool) (Head, Reading) {
	p := peek{b: head}
	if bytes.HasPrefix(head, bom) {
		p.i = len(bom)
	} else if len(head) > 0 && bytes.HasPrefix(bom, head) {
		return Head{}, Incomplete
	}
	r := p.object(levelTop, stop)
	p.Size = p.i
	return p.Head, r
}

type level int

const (
	levelTop level = iota
	levelParams
	levelUpdate
)

type peek struct {
	Head
	b []byte
	i int
}

// object reads the members of the object that comes next.
func (p *peek) object(at level, stop func(Head) bool) Reading {
	switch c, ok := p.next(); {
	case !ok:
		return Incomplete
	case c == '[' && at == levelTop:
		return Array
	case c != '{' && at == levelTop:
		return NotJSON
	case c != '{':
		_, r := p.skip()
		return r
	}
	p.i++
	for {
		c, ok := p.next()
		if !ok {
			return Incomplete
		}
		if c == ',' {
			p.i++
			continue
		}
		if c == '}' {
			p.i++
			return Decided
		}
		name, r := p.plain()
		if r != Decided {
			return r
		}
		if c, ok = p.next(); !ok {
			return Incomplete
		} else if c != ':' {
			return Unclear
		}
		p.i++
		if r := p.member(at, name, stop); r != Decided {
			return r
		}
		if stop(p.Head) {
			return Decided
		}
	}
}

// member reads the value of a member, into the head if it counts.
func (p *peek) member(at level, name []byte, stop func(Head) bool) Reading {
	c, ok := p.next()
	if !ok {
		return Incomplete
	}
	var into *[]byte
	switch at {
	case levelTop:
		switch string(name) {
		case "method":
			into = &p.Method
		case "params":
			return p.object(levelParams, stop)
		case "id":
			raw, r := p.skip()
			p.ID = raw
			return r
		case "result", "error":
			p.Response = true
			if stop(p.Head) {
				return Decided
			}
		}
	case levelParams:
		switch string(name) {
		case "sessionId":
			into = &p.SessionID
		case "update":
			return p.object(levelUpdate, stop)
		}
	case levelUpdate:
		switch string(name) {
		case "sessionUpdate":
			into = &p.SessionUpdate
		case "toolCallId":
			raw, r := p.skip()
			if r == Decided && c == '"' && bytes.IndexByte(raw, '\\') < 0 {
				p.ToolCallID = raw[1 : len(raw)-1]
			}
			return r
		}
	}
	if into == nil {
		_, r := p.skip()
		return r
	}
	if c != '"' {
		return Unclear
	}
	text, r := p.plain()
	if r == Decided {
		*into = text
	}
	return r
}

// next steps over space and returns the byte there.
func (p *peek) next() (byte, bool) {
	if p.i = SpaceEnd(p.b, p.i); p.i == len(p.b) {
		return 0, false
	}
	return p.b[p.i], true
}

// plain reads a string without escapes and returns it without its quotes.
func (p *peek) plain() ([]byte, Reading) {
	if p.b[p.i] != '"' {
		return nil, Unclear
	}
	n := bytes.IndexByte(p.b[p.i+1:], '"')
	if n < 0 {
		return nil, Incomplete
	}
	text := p.b[p.i+1 : p.i+1+n]
	if bytes.IndexByte(text, '\\') >= 0 {
		return nil, Unclear
	}
	p.i += n + 2
	return text, Decided
}

// skip steps over the value that comes next and returns it.
func (p *peek) skip() ([]byte, Reading) {
	end := ValueEnd(p.b, p.i)
	if end < 0 {
		return nil, Incomplete
	}
	raw := p.b[p.i:end]
	p.i = end
	return raw, Decided
}
