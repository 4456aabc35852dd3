package dispatch

import (
	"slices"

	"acpshim/internal/chain/conversation"
)

// A whileCounter counts the pending requests of the methods in any While.
type whileCounter struct {
	named   map[string]bool                // the methods in any While
	pending map[*conversation.Request]bool // of the client, of these methods
}

// changes notes a change of the conversation, and reports whether the wants change.
func (w *whileCounter) changes(e conversation.Event) bool {
	r := e.Request
	switch {
	case e.Kind == conversation.RequestBegan && r.From == Client && w.named[r.Method]:
		isNew := !w.isPending(r.Method)
		if w.pending == nil {
			w.pending = map[*conversation.Request]bool{}
		}
		w.pending[r] = true
		return isNew
	case e.Kind == conversation.RequestEnded && w.pending[r]:
		delete(w.pending, r)
		return !w.isPending(r.Method)
	}
	return false
}

func (w *whileCounter) isPending(method string) bool {
	for r := range w.pending {
		if r.Method == method {
			return true
		}
	}
	return false
}

// now returns the wants that apply now, and notes the methods in their While. It does not change
// wants.
func (w *whileCounter) now(wants []Want) []Want {
	now := slices.Clone(wants)
	for i, want := range wants {
		for _, method := range want.While {
			w.named[method] = true
		}
		if len(want.While) > 0 && !slices.ContainsFunc(want.While, w.isPending) {
			now[i] = Want{From: want.From, Sessions: want.Sessions}
		}
	}
	return now
}
