package dispatch

import (
	"bytes"

	"acpshim/internal/conversation"
	"acpshim/internal/wire"
)

// A Direction sees the lines of one side. It is a wire.Interceptor, for one goroutine.
type Direction struct {
	d        *Dispatcher
	from     Side
	adapters []Adapter // in the order in which lines of the side meet them

	table   *table
	methods map[string]*method // that were met
	current *method            // of the head that is read; nil if it is not known yet

	// passed are beginnings that passed lately: peers stream hundreds of lines that differ behind
	// their kind only.
	passed [4][]byte
	oldest int

	message Message  // that of the line that is rewritten
	by      []string // what changed it

	late   []byte // lines that go before the next one, as one passed unread
	lateBy []string
}

// A method is what is known of the requests and notifications of one, but session/update.
type method struct {
	noted bool // the response matters
	want  set  // who wants them
}

// maxMethods bounds the methods that are remembered.
const maxMethods = 1 << 10

// refresh takes the table as it is now, and returns it.
func (d *Direction) refresh() *table {
	if t := d.d.tables[d.from.Index()].Load(); t != d.table {
		d.table, d.methods, d.current = t, map[string]*method{}, nil
		d.forget()
	}
	return d.table
}

func (d *Direction) forget() {
	for i := range d.passed {
		d.passed[i] = d.passed[i][:0]
	}
}

// place is where an adapter of the direction stands, from the agent to the client.
func (d *Direction) place(i int) int {
	if d.from == Client {
		return len(d.adapters) - 1 - i
	}
	return i
}

// Inspect implements wire.Interceptor.
func (d *Direction) Inspect(line []byte, whole bool) wire.Verdict {
	t := d.refresh()
	if len(d.late) > 0 {
		return wire.Hold
	}
	head := line[:min(len(line), wire.HeadSize)]
	for _, passed := range d.passed {
		if len(passed) > 0 && bytes.HasPrefix(head, passed) {
			return d.look(line, whole)
		}
	}
	if d.isIndifferent() && d.from == Agent && d.d.opts.Junk == nil {
		if waiting, _ := d.d.conversation.Waiting(Client); waiting == 0 {
			return d.look(line, whole)
		}
	}
	d.current = nil
	h, reading := wire.PeekHead(head, d.tellsEnough)
	if v, ok := d.own(h, reading, head); ok {
		return v
	}
	if v, ok := d.junk(h, reading, head); ok {
		return v
	}
	v := d.verdict(h, reading, head)
	if v != wire.Hold && t.lines != 0 {
		v = stronger(v, d.look(line, whole))
	}
	if v == wire.Pass {
		d.note(h)
	}
	return v
}

// stronger combines verdicts: hold over more over pass.
func stronger(v, other wire.Verdict) wire.Verdict {
	if v == wire.Hold || other == wire.Pass {
		return v
	}
	return other
}

// look asks those that look at each line.
func (d *Direction) look(line []byte, whole bool) (v wire.Verdict) {
	if d.table.lines == 0 {
		return wire.Pass
	}
	for i := range d.adapters {
		if d.table.lines.has(d.place(i)) {
			v = stronger(v, d.lookOf(i, line, whole))
		}
	}
	return v
}

func (d *Direction) lookOf(i int, line []byte, whole bool) (v wire.Verdict) {
	defer func() {
		if d.caught(i, recover()) {
			v = wire.Pass
		}
	}()
	return d.adapters[i].Look(d.from, line, whole)
}

// caught switches off an adapter that panicked.
func (d *Direction) caught(i int, reason any) bool {
	if reason == nil {
		return false
	}
	d.d.broke(d.adapters[i], reason)
	d.refresh()
	return true
}

// tellsEnough reports whether a head tells all that counts of a line.
func (d *Direction) tellsEnough(h wire.Head) bool {
	t := d.table
	switch {
	case h.Response:
		return h.ID != nil || !d.isAwaited()
	case h.SessionUpdate != nil:
		return !t.calls || string(h.SessionUpdate) != callUpdate || h.SessionID != nil && h.ToolCallID != nil
	case h.Method == nil:
		return false
	case string(h.Method) == "session/update":
		return len(t.updates) == 0
	}
	if d.current == nil {
		d.current = d.of(h.Method)
	}
	if !d.current.noted {
		return true
	}
	return h.ID != nil && (h.SessionID != nil || !t.sessions || string(h.Method) != prompt)
}

const prompt = "session/prompt"

// isAwaited reports whether a response may answer something.
func (d *Direction) isAwaited() bool {
	all, _ := d.d.conversation.Waiting(d.from.Other())
	own := &d.d.opts.Own
	return all > 0 || d.from == Client && own.Prefix != "" && own.Sent()
}

// of returns what is known of a method.
func (d *Direction) of(name []byte) *method {
	k, ok := d.methods[string(name)]
	if !ok {
		k = &method{d.awaits(string(name)), d.table.of(string(name), "")}
		if len(d.methods) >= maxMethods {
			clear(d.methods)
		}
		d.methods[string(name)] = k
	}
	return k
}

// isNoted reports whether requests of the method are noted, as their responses matter.
func (d *Direction) isNoted(name []byte) bool { return d.of(name).noted }

func (d *Direction) awaits(method string) bool {
	if d.from == Client && (method == initialize || method == prompt || d.table.sessions && conversation.IsOfSessions(method)) {
		return true
	}
	if d.table.awaited[method] != 0 {
		return true
	}
	for i := range d.adapters {
		if d.table.all.has(d.place(i)) && d.awaitsOf(i, method) {
			return true
		}
	}
	return false
}

func (d *Direction) awaitsOf(i int, method string) (awaits bool) {
	defer func() {
		if d.caught(i, recover()) {
			awaits = false
		}
	}()
	return d.adapters[i].Awaits(d.from, method)
}

// isIndifferent reports whether no line is held for what it might be: only that requests are
// answered is to be known.
func (d *Direction) isIndifferent() bool {
	if !d.table.isIdle() {
		return false
	}
	if d.from == Client {
		return d.table.isKnown && !d.table.sessions
	}
	_, others := d.d.conversation.Waiting(Client)
	return others == 0
}

// verdict is that of the adapters, and of what the conversation has to know.
func (d *Direction) verdict(h wire.Head, reading wire.Reading, head []byte) wire.Verdict {
	isPrompt := string(h.Method) == prompt && h.ID != nil && d.from == Client && !h.Response
	switch {
	case reading == wire.NotJSON:
		return wire.Pass
	case reading == wire.Incomplete && isPrompt && len(head) >= wire.HeadSize:
		// A long prompt that names its session last: its end is all to know.
	case reading != wire.Decided && d.isIndifferent() && (reading != wire.Incomplete || len(head) >= wire.HeadSize):
		return wire.Pass
	case reading == wire.Incomplete:
		return wire.More
	case reading != wire.Decided:
		return wire.Hold
	}
	switch {
	case h.Response:
		return d.verdictOnResponse(h)
	case string(h.Method) == "session/update" || h.Method == nil && h.SessionUpdate != nil:
		return d.verdictOnUpdate(h, head)
	}
	if d.current == nil {
		d.current = d.of(h.Method)
	}
	if d.from == Client && d.current.noted && (string(h.Method) == initialize || d.table.sessions && conversation.IsOfSessions(string(h.Method))) {
		return wire.Hold
	}
	return d.ask(d.current.want, h, nil)
}

func (d *Direction) verdictOnResponse(h wire.Head) wire.Verdict {
	r := d.d.conversation.Pending(d.from.Other(), h.ID)
	switch {
	case r == nil:
		return wire.Pass
	case r.Method == initialize || r.Asked == initialize || d.table.sessions && r.From == Client && conversation.IsOfSessions(r.Method):
		return wire.Hold
	}
	return d.ask(d.table.answering(r.Method), h, r)
}

// verdictOnUpdate remembers how those begin that nobody wants.
func (d *Direction) verdictOnUpdate(h wire.Head, head []byte) wire.Verdict {
	want := d.table.updates[string(h.SessionUpdate)]
	if h.Method == nil {
		want |= d.table.others // it may be no update
	}
	never := true
	for i := range d.adapters {
		if want.has(d.place(i)) {
			switch d.careOf(i, h, nil) {
			case Yes:
				return wire.Hold
			case No:
				never = false
			}
		}
	}
	if never && h.ID == nil {
		d.passed[d.oldest] = append(d.passed[d.oldest][:0], head[:h.Size]...)
		d.oldest = (d.oldest + 1) % len(d.passed)
	}
	return wire.Pass
}

// ask is the verdict of those that want a message.
func (d *Direction) ask(want set, h wire.Head, r *conversation.Request) wire.Verdict {
	for i := range d.adapters {
		if want.has(d.place(i)) && d.careOf(i, h, r) == Yes {
			return wire.Hold
		}
	}
	return wire.Pass
}

func (d *Direction) careOf(i int, h wire.Head, r *conversation.Request) (care Care) {
	defer func() {
		if d.caught(i, recover()) {
			care = No
		}
	}()
	return d.adapters[i].Cares(d.from, h, r)
}

// note has the conversation take in the head of a message that passes.
func (d *Direction) note(h wire.Head) {
	switch {
	case h.Response && h.ID != nil:
		if all, _ := d.d.conversation.Waiting(d.from.Other()); all > 0 {
			d.d.conversation.Forget(d.from.Other(), h.ID)
		}
	case h.ID != nil && d.current != nil && d.current.noted:
		d.d.conversation.AskByHead(d.from, h)
	}
}
