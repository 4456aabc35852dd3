package proxy

import (
	"runtime/debug"
	"sync"

	"acpshim/internal/chain/wire"
)

// Guard returns an Interceptor that survives a panic of first. After a panic, the current line and
// all later lines go to fallback, or pass unchanged if fallback is nil. panicked gets the value of
// the panic and its stack.
func Guard(first, fallback wire.Interceptor, panicked func(reason any, stack []byte)) wire.Interceptor {
	if fallback == nil {
		fallback = wire.Base{}
	}
	return &guard{first: first, close: sync.OnceFunc(first.Close), next: first, fallback: fallback, panicked: panicked}
}

type guard struct {
	first          wire.Interceptor // knows the sender, also after a panic
	close          func()
	next, fallback wire.Interceptor
	panicked       func(any, []byte)
}

func (g *guard) Inspect(line []byte, whole bool) (v wire.Verdict) {
	defer func() {
		if g.caught(recover()) {
			v = g.next.Inspect(line, whole)
		}
	}()
	return g.next.Inspect(line, whole)
}

func (g *guard) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	n := len(dst)
	defer func() {
		if g.caught(recover()) {
			out, by = wire.Apply(g, dst[:n], line)
		}
	}()
	return g.next.Rewrite(dst, line)
}

func (g *guard) TooLong(head []byte) {
	defer func() { g.caught(recover()) }()
	g.next.TooLong(head)
}

func (g *guard) Flush(dst []byte, end bool) (out []byte, by wire.Change) {
	defer g.restore(&out, dst)
	return g.next.Flush(dst, end)
}

func (g *guard) Drain(dst []byte) (out []byte, by wire.Change) {
	defer g.restore(&out, dst)
	return g.next.Drain(dst)
}

// restore is deferred, and sets out to dst after a panic.
func (g *guard) restore(out *[]byte, dst []byte) {
	if g.caught(recover()) {
		*out = dst
	}
}

func (g *guard) AwaitReader() { g.first.AwaitReader() }

func (g *guard) HasRoom() bool { return g.first.HasRoom() }

func (g *guard) Close() { g.close() }

func (g *guard) caught(reason any) bool {
	if reason == nil {
		return false
	}
	g.next, g.fallback = g.fallback, wire.Base{}
	g.close() // nobody drains it any more
	g.panicked(reason, debug.Stack())
	return true
}
