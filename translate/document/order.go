package document

import (
	"container/heap"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// orderCalls returns the calls so that each comes behind those whose results it
// reads, and else in the order they are listed. If they wait for each other, or
// a finished list reads what nobody writes, it keeps the order and says so.
func orderCalls(calls []call, whole bool, p *problems) []step {
	g := graph{calls: calls, deps: make([][]int, len(calls))}
	for i := range calls {
		if calls[i].writes != "" {
			g.root.write(calls[i].writes, i)
		}
	}
	met := true
	for i := range calls {
		for _, n := range calls[i].needs {
			if !g.link(i, n) && whole {
				met = false
				p.add("nobody writes %s, which call %s reads", paths(n), &calls[i])
			}
		}
	}
	order := g.sort()
	if len(order) < len(calls) && whole {
		p.add("calls wait for each other: %s", g.cycle())
	}
	steps := make([]step, len(calls))
	for i := range calls {
		steps[i] = calls[i].step
		if met && len(order) == len(calls) {
			steps[i] = calls[order[i]].step
		}
	}
	return steps
}

func paths(n need) string {
	var all []string
	for _, path := range n.paths[:min(4, len(n.paths))] {
		all = append(all, dagger+"state."+clip(path, 40))
	}
	return strings.Join(all, " or ")
}

// A graph says what waits for what: the calls by their place in the list, and
// behind them vertices that stand for all calls that write parts of a state.
type graph struct {
	calls []call
	root  state
	deps  [][]int // what a vertex waits for
	left  []int   // of these, how many have not been sorted
}

// A state is a part of the state of a plan. Writers are in the listed order.
type state struct {
	parts   map[string]*state
	writers []int // of it
	below   []int // of parts of it
	vertex  int   // that waits for those below; 0 if there is none yet
}

func (s *state) write(path string, i int) {
	for name := range strings.SplitSeq(path, ".") {
		s.below = append(s.below, i)
		if s.parts == nil {
			s.parts = map[string]*state{}
		}
		if s.parts[name] == nil {
			s.parts[name] = new(state)
		}
		s = s.parts[name]
	}
	s.writers = append(s.writers, i)
}

// link makes call i wait for who writes what it needs; ok is false if nobody does.
func (g *graph) link(i int, n need) (ok bool) {
	before, self := len(g.deps[i]), false
	for _, path := range n.paths {
		self = g.linkPath(i, path) || self
	}
	if len(g.deps[i]) == before && self && !n.given {
		g.deps[i] = append(g.deps[i], i)
	}
	return n.given || len(g.deps[i]) > before
}

// linkPath makes call i wait for who writes the path, a whole that it is part
// of, or parts of it. Self reports whether the call is one of them.
func (g *graph) linkPath(i int, path string) (self bool) {
	s := &g.root
	for name := range strings.SplitSeq(path, ".") {
		if s = s.parts[name]; s == nil {
			return self
		}
		self = g.linkNearest(i, s.writers) || self
	}
	if _, writes := slices.BinarySearch(s.below, i); writes {
		return g.linkNearest(i, s.below) || self
	}
	if len(s.below) > 0 {
		if s.vertex == 0 {
			s.vertex = len(g.deps)
			g.deps = append(g.deps, s.below)
		}
		g.deps[i] = append(g.deps[i], s.vertex)
	}
	return self
}

// linkNearest makes call i wait for the last writer that is listed before it,
// else for the first behind it: a state can be written again.
func (g *graph) linkNearest(i int, writers []int) (self bool) {
	at, self := slices.BinarySearch(writers, i)
	switch {
	case at > 0:
		g.deps[i] = append(g.deps[i], writers[at-1])
	case self && at+1 < len(writers):
		g.deps[i] = append(g.deps[i], writers[at+1])
	case !self && at < len(writers):
		g.deps[i] = append(g.deps[i], writers[at])
	}
	return self
}

// sort returns the calls in order, without those that wait for themselves.
func (g *graph) sort() (order []int) {
	followers := make([][]int, len(g.deps))
	g.left = make([]int, len(g.deps))
	ready := &minHeap{}
	for v, deps := range g.deps {
		g.left[v] = len(deps)
		for _, d := range deps {
			followers[d] = append(followers[d], v)
		}
		if len(deps) == 0 {
			ready.Push(v)
		}
	}
	for ready.Len() > 0 {
		i := heap.Pop(ready).(int)
		order = append(order, i)
		done := []int{i}
		for len(done) > 0 {
			v := done[len(done)-1]
			done = done[:len(done)-1]
			for _, f := range followers[v] {
				if g.left[f]--; g.left[f] > 0 {
					continue
				}
				if f < len(g.calls) {
					heap.Push(ready, f)
				} else {
					done = append(done, f)
				}
			}
		}
	}
	return order
}

// cycle names calls that wait for each other.
func (g *graph) cycle() string {
	at := slices.IndexFunc(g.left, func(n int) bool { return n > 0 })
	var way []int
	place := map[int]int{}
	for {
		if from, known := place[at]; known {
			way = way[from:]
			break
		}
		place[at] = len(way)
		way = append(way, at)
		at = g.deps[at][slices.IndexFunc(g.deps[at], func(d int) bool { return g.left[d] > 0 })]
	}
	way = slices.DeleteFunc(way, func(v int) bool { return v >= len(g.calls) })
	first := slices.Index(way, slices.Min(way))
	way = slices.Concat(way[first:], way[:first], way[first:first+1])
	var named []string
	for n, v := range way {
		if n == 8 && n+1 < len(way) {
			named = append(named, fmt.Sprintf("… %d more", len(way)-n-1))
			break
		}
		named = append(named, g.calls[v].String())
	}
	return strings.Join(named, " reads from ")
}

type minHeap struct{ sort.IntSlice }

func (h *minHeap) Push(v any) { h.IntSlice = append(h.IntSlice, v.(int)) }

func (h *minHeap) Pop() any {
	last := h.IntSlice[h.Len()-1]
	h.IntSlice = h.IntSlice[:h.Len()-1]
	return last
}
