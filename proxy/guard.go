package proxy

import (
	"runtime/debug"

	"acpshim/internal/wire"
)

// Guard returns an Interceptor that survives a panic of the one behind it: the
// line passes as it is, and so does every line after it. Panicked is told what
// the panic said, with its stack, once.
func Guard(next wire.Interceptor, panicked func(reason any, stack []byte)) wire.Interceptor {
	return &guard{next: next, panicked: panicked}
}

type guard struct {
	next     wire.Interceptor // Base after a panic
	panicked func(any, []byte)
}

func (g *guard) Inspect(line []byte, whole bool) (v wire.Verdict) {
	defer func() {
		if g.caught(recover()) {
			v = wire.Pass
		}
	}()
	return g.next.Inspect(line, whole)
}

func (g *guard) Rewrite(dst, line []byte) (out []byte, by []string) {
	n := len(dst)
	defer func() {
		if g.caught(recover()) {
			out = append(dst[:n], line...)
		}
	}()
	return g.next.Rewrite(dst, line)
}

func (g *guard) TooLong(head []byte) {
	defer func() { g.caught(recover()) }()
	g.next.TooLong(head)
}

func (g *guard) Flush(dst []byte, end bool) (out []byte, by []string) {
	n := len(dst)
	defer func() {
		if g.caught(recover()) {
			out = dst[:n]
		}
	}()
	return g.next.Flush(dst, end)
}

func (g *guard) caught(reason any) bool {
	if reason == nil {
		return false
	}
	g.next = wire.Base{}
	g.panicked(reason, debug.Stack())
	return true
}
