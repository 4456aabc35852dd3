package wire

import "bytes"

// HeadSize is the number of bytes of a line that [PeekHead] should get. Real peers need a tenth of
// it up to the member that decides.
const HeadSize = 4096

// A Head holds what the beginning of a line tells about its message. A field is nil if it has not
// been read. Strings have no quotes. All fields point into the line.
type Head struct {
	Method        []byte
	ID            []byte // raw, strings with their quotes
	Response      bool   // there is a result or an error
	SessionID     []byte // params.sessionId
	SessionUpdate []byte // params.update.sessionUpdate
	ToolCallID    []byte // params.update.toolCallId; nil if it has an escape in it
	Status        []byte // params.update.status; nil if it has an escape in it
	MessageID     []byte // params.update.messageId; nil if it has an escape in it
	ContentType   []byte // params.update.content.type
	Content       bool   // other members of params.update.content have been read, too
	IsWhole       bool   // the message has ended, so what is nil is not there
	Size          int    // bytes that were read: any line that begins with them has this head
}

// A Reading says why [PeekHead] went no further.
type Reading int

const (
	// Decided: stop returned true, or the message ended.
	Decided Reading = iota
	// Incomplete: the bytes ended. More of them may have more.
	Incomplete
	// Unclear: a name or a value of the head has an escape, or the line is not JSON. It has to be
	// parsed.
	Unclear
	// Array: the line begins like a JSON array, which may be a batch.
	Array
	// NotJSON: the line begins like neither an object nor an array.
	NotJSON
)

// PeekHead reads members from the beginning of a line until stop returns true. It allocates nothing
// and looks at no byte after the one that decided.
//
// What it reads is certain: if the names of members are unique, a member has that value however the
// line continues. A line with escapes in the head (pl\u0061n_update) is Unclear.
func PeekHead(head []byte, stop func(Head) bool) (Head, Reading) {
	p := peek{b: head}
	if bytes.HasPrefix(head, bom) {
		p.i = len(bom)
	} else if bytes.HasPrefix(bom, head) {
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
	levelContent
)

type peek struct {
	Head
	b []byte
	i int
}

// object reads the members of the next object. It skips any other value.
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
			p.IsWhole = at == levelTop
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

// member reads the value of a member, into the head if the head has a field for it.
func (p *peek) member(at level, name []byte, stop func(Head) bool) Reading {
	switch _, ok := p.next(); {
	case !ok:
		return Incomplete
	case at == levelTop && string(name) == "method":
		return p.text(&p.Method)
	case at == levelTop && string(name) == "params":
		return p.object(levelParams, stop)
	case at == levelParams && string(name) == "sessionId":
		return p.text(&p.SessionID)
	case at == levelParams && string(name) == "update":
		return p.object(levelUpdate, stop)
	case at == levelUpdate && string(name) == "sessionUpdate":
		return p.text(&p.SessionUpdate)
	case at == levelUpdate && string(name) == "content":
		return p.object(levelContent, stop)
	case at == levelContent && string(name) == "type":
		return p.text(&p.ContentType)
	case at == levelTop && (string(name) == "result" || string(name) == "error"):
		if p.Response = true; stop(p.Head) {
			return Decided
		}
	}
	raw, r := p.skip()
	switch {
	case at == levelContent:
		p.Content = true
	case at == levelTop && string(name) == "id":
		p.ID = raw
	case at == levelUpdate && string(name) == "toolCallId":
		p.ToolCallID = inside(raw)
	case at == levelUpdate && string(name) == "status":
		p.Status = inside(raw)
	case at == levelUpdate && string(name) == "messageId":
		p.MessageID = inside(raw)
	}
	return r
}

// inside returns a string without its quotes, or nil if it has an escape or is not a string.
func inside(raw []byte) []byte {
	if !IsString(raw) || bytes.IndexByte(raw, '\\') >= 0 {
		return nil
	}
	return raw[1 : len(raw)-1]
}

// text reads a string without escapes, which is part of the head.
func (p *peek) text(into *[]byte) (r Reading) {
	*into, r = p.plain()
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
