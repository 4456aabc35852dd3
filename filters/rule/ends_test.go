package rule

import (
	"bytes"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// FromClient returns the direction from the client, with an interceptor beside the rules. Next may
// be nil.
func (c *Chain) FromClient(next wire.Interceptor) wire.Interceptor {
	return c.dispatcher(next).FromClient()
}

// FromAgent returns the direction from the agent.
func (c *Chain) FromAgent(next wire.Interceptor) wire.Interceptor {
	return c.dispatcher(next).FromAgent()
}

func (c *Chain) dispatcher(next wire.Interceptor) *dispatch.Dispatcher {
	if next == nil {
		return c.among()
	}
	return c.among(&wrapped{next: next})
}

// among returns a dispatcher with the rules and other adapters.
func (c *Chain) among(others ...dispatch.Adapter) *dispatch.Dispatcher {
	adapters := append(others, c)
	if c.opts.Place == BesideAgent {
		adapters = append([]dispatch.Adapter{c}, others...)
	}
	return dispatch.New(c.conversation, dispatch.Options{Adapters: adapters, Events: dispatch.Events{
		Panicked: func(reason any, stack []byte) { panic(string(stack)) },
	}})
}

// wrapped makes an interceptor an adapter.
type wrapped struct {
	dispatch.Base
	next wire.Interceptor
}

func (w *wrapped) Name() string { return "wrapped" }

func (w *wrapped) Wants() []dispatch.Want {
	return []dispatch.Want{{From: Client, Lines: true}, {From: Agent, Lines: true}}
}

func (w *wrapped) Look(_ Side, line []byte, whole bool) wire.Verdict {
	return w.next.Inspect(line, whole)
}

func (w *wrapped) Awaits(Side, string) bool { return false }

func (w *wrapped) Handle(m *dispatch.Message) {
	made, by := w.next.Rewrite(nil, m.Line)
	var lines [][]byte
	for line := range bytes.Lines(made) {
		lines = append(lines, line)
	}
	m.Replace(lines...)
	m.By(by.By...)
	for _, a := range by.Added {
		m.By(a.By...)
	}
}
