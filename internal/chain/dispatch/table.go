package dispatch

import (
	"iter"
	"math/bits"
	"slices"

	"acpshim/internal/chain/acp"
)

// A table says which adapters want the messages of one side. It is immutable.
type table struct {
	from                        Side
	methods, updates, responses map[string]set
	awaited                     map[string]set     // the responses of the other side
	while                       map[string]bool    // the methods in any While
	mayHold                     map[string]bool    // the methods of requests that adapters may hold
	others                      set                // want any method but session/update
	every                       set                // want any session/update
	lines                       set                // look at each line
	some                        set                // want messages by method, update or request
	all                         set                // are not switched off
	sessions                    bool               // requests that open or close sessions are read
	callHeads                   bool               // heads of tool calls are read up to toolCallId
	calls                       callWants          // of the agent
	heads                       map[string]head    // what the heads of updates have to include
	texts                       map[textKey][]byte // the texts that updates must have
	isKnown                     bool               // the agent has responded to initialize
}

// A set is a set of adapters by their index in the direction of the table.
type set uint64

// MaxAdapters is the number of adapters that a set holds.
const MaxAdapters = 64

func (s set) has(i int) bool { return s>>i&1 != 0 }

func (s set) each() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(bits.TrailingZeros64(uint64(s))) {
				return
			}
		}
	}
}

func setOf[T any](adapters []Adapter) (s set) {
	for i, a := range adapters {
		if _, ok := a.(T); ok {
			s |= 1 << i
		}
	}
	return s
}

func newTable(from Side) *table {
	return &table{from: from, mayHold: map[string]bool{}, methods: map[string]set{}, updates: map[string]set{}, responses: map[string]set{}, heads: map[string]head{}, texts: map[textKey][]byte{}}
}

func (t *table) add(i int, wants []Want) {
	bit := set(1) << i
	t.all |= bit
	for _, w := range wants {
		t.sessions = t.sessions || w.Sessions
		if w.From != t.from {
			continue
		}
		if w.Calls && t.from == Agent {
			t.calls.add(bit, w)
			t.updates[acp.ToolCallUpdate] |= 0 // so that heads are read up to the kind of update
		}
		if len(w.Methods)+len(w.Updates)+len(w.Responses) > 0 {
			t.some |= bit
		}
		for _, method := range w.Methods {
			if method == "*" {
				t.others |= bit
			}
			t.methods[method] |= bit
			t.mayHold[method] = t.mayHold[method] || w.Holds
		}
		for _, update := range w.Updates {
			if update == "*" {
				t.every |= bit
			}
			t.updates[update] |= bit
			of := t.heads[update]
			t.heads[update] = head{of.content || w.Contents, of.message || w.Messages, of.status || w.Statuses}
			if w.Text != "" {
				t.texts[textKey{i, update}] = []byte(w.Text)
			}
		}
		for _, method := range w.Responses {
			t.responses[method] |= bit
		}
		if w.Lines {
			t.lines |= bit
		}
		t.callHeads = t.callHeads || slices.Contains(w.Updates, acp.ToolCallUpdate)
	}
}

// A head says what the head of an update has to include: the type of its content, the ids of its
// message and its session, and its status.
type head struct{ content, message, status bool }

// A textKey is the key of a Want with Text.
type textKey struct {
	adapter int
	update  string
}

// isOfCall reports whether an update is about a tool call, so that its head has to include the
// call's id. Agents stream tool_call_update. Adapters use the id of the call to decide whether they
// need it.
func isOfCall(update []byte) bool {
	return string(update) == acp.ToolCallUpdate || string(update) == acp.ToolCall
}

func (t *table) isIdle() bool { return len(t.methods)+len(t.updates) == 0 }

// of returns the adapters that want a request or notification. Every adapter gets initialize of the
// client and its response. From the agent, initialize is a method like any other.
func (t *table) of(method, update string) set {
	switch {
	case method == acp.Initialize && t.from == Client:
		return t.all
	case method == acp.SessionUpdate:
		return t.updates[update] | t.every
	}
	return t.methods[method] | t.others
}

// answering returns the adapters that want the response to a request of that method.
func (t *table) answering(method string) set {
	if method == acp.Initialize && t.from == Agent {
		return t.all
	}
	return t.responses[method]
}
