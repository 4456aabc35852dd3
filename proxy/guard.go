package proxy

import (
	"runtime/debug"

	"acpshim/wire"
)

// Guard returns an Interceptor that survives a panic of the one behind it: the
// line passes as it is, and so does every line after it. Panicked is told what
// the panic said, with its stack, once.
func Guard(next Interceptor, panicked func(reason any, stack []byte)) Interceptor {
	g := &guard{next: next, panicked: panicked, passes: func([]byte) bool { return false }}
	if p, ok := next.(Passer); ok {
		g.passes = p.Passes
	}
	return g
}

type guard struct {
	next     Interceptor
	passes   func([]byte) bool
	panicked func(any, []byte)
	off      bool
}

func (g *guard) Peek(head []byte) (v wire.Verdict) {
	if g.off {
		return wire.Pass
	}
	defer func() {
		if g.caught(recover()) {
			v = wire.Pass
		}
	}()
	return g.next.Peek(head)
}

func (g *guard) Rewrite(dst, line []byte) (out []byte) {
	n := len(dst)
	defer func() {
		if g.caught(recover()) {
			out = append(dst[:n], line...)
		}
	}()
	if g.off {
		return append(dst, line...)
	}
	return g.next.Rewrite(dst, line)
}

// Passes implements Passer for one behind it that does.
func (g *guard) Passes(line []byte) (passes bool) {
	defer func() {
		if g.caught(recover()) {
			passes = true
		}
	}()
	return g.off || g.passes(line)
}

// Overlooked implements Overlooker for one behind it that does.
func (g *guard) Overlooked(head []byte) {
	defer func() { g.caught(recover()) }()
	if o, ok := g.next.(Overlooker); ok && !g.off {
		o.Overlooked(head)
	}
}

// Flush implements Flusher for one behind it that does.
func (g *guard) Flush(dst []byte, end bool) (out []byte) {
	n := len(dst)
	defer func() {
		if g.caught(recover()) {
			out = dst[:n]
		}
	}()
	if f, ok := g.next.(Flusher); ok && !g.off {
		return f.Flush(dst, end)
	}
	return dst
}

// ChangedBy implements Changer for one behind it that does.
func (g *guard) ChangedBy() []string {
	if c, ok := g.next.(Changer); ok && !g.off {
		return c.ChangedBy()
	}
	return nil
}

func (g *guard) caught(reason any) bool {
	if reason == nil {
		return false
	}
	g.off = true
	g.panicked(reason, debug.Stack())
	return true
}
