package document

import (
	"container/heap"
	"iter"
	"slices"
	"sort"
	"strings"
)

// orderCalls returns the steps of calls so that each comes behind those whose results it
// reads, and else in the order they are listed. If calls wait for each other, or one of a
// whole list reads what nobody writes, it keeps the order and notes a problem.
func orderCalls(calls []call, whole bool, p *problems) []step {
	g := newGraph(calls)
	ordered := true
	for i := range calls {
		for _, n := range calls[i].needs {
			if !g.link(i, n) && whole {
				ordered = false
				p.add("nobody writes %s, which call %s reads", n, &calls[i])
			}
		}
	}
	order := g.sort()
	if len(order) < len(calls) {
		ordered = false
		if whole {
			p.add("calls wait for each other: %s", g.cycle())
		}
	}
	steps := make([]step, len(calls))
	for i := range calls {
		steps[i] = calls[i].step
		if ordered {
			steps[i] = calls[order[i]].step
		}
	}
	return steps
}

// A graph says what waits for what. Its vertices are the calls, by their index, and behind
// them groups: a group stands for all calls that write parts of a path, so that many readers
// of it need one edge each.
type graph struct {
	calls   []call
	writers map[string][]int // of a path, in the listed order
	parts   map[string][]int // those that write parts of a path, likewise
	groups  map[string]int   // the vertices of the groups, by path
	waits   [][]int          // the vertices that a vertex waits for
	left    []int            // how many of them have not been sorted
}

func newGraph(calls []call) *graph {
	g := &graph{calls, map[string][]int{}, map[string][]int{}, map[string]int{}, make([][]int, len(calls)), nil}
	for i := range calls {
		path := calls[i].writes
		if path == "" {
			continue
		}
		for around := range prefixes(path) {
			if around != path {
				g.parts[around] = append(g.parts[around], i)
			}
		}
		g.writers[path] = append(g.writers[path], i)
	}
	return g
}

// prefixes are a path and those that it is a part of: x, x.y, x.y.z.
func prefixes(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range len(path) {
			if path[i] == '.' && !yield(path[:i]) {
				return
			}
		}
		yield(path)
	}
}

// link makes call i wait for those that write what it needs. It reports false if nobody does.
func (g *graph) link(i int, n need) bool {
	before, self := len(g.waits[i]), false
	for _, path := range n.paths {
		self = g.linkPath(i, path) || self
	}
	if len(g.waits[i]) == before && self && !n.optional {
		g.waits[i] = append(g.waits[i], i)
	}
	return n.optional || len(g.waits[i]) > before
}

// linkPath makes call i wait for those that write the path, one that it is a part of, or
// parts of it. It reports whether the call is one of them.
func (g *graph) linkPath(i int, path string) (self bool) {
	for around := range prefixes(path) {
		self = g.linkNearest(i, g.writers[around]) || self
	}
	parts := g.parts[path]
	if _, writes := slices.BinarySearch(parts, i); writes {
		return g.linkNearest(i, parts) || self
	}
	if len(parts) > 0 {
		group, known := g.groups[path]
		if !known {
			group = len(g.waits)
			g.groups[path] = group
			g.waits = append(g.waits, parts)
		}
		g.waits[i] = append(g.waits[i], group)
	}
	return self
}

// linkNearest makes call i wait for the last writer that is listed before it, else for the
// first behind it: a state can be written again. It reports whether the call is a writer.
func (g *graph) linkNearest(i int, writers []int) (self bool) {
	at, self := slices.BinarySearch(writers, i)
	behind := at
	if self {
		behind++
	}
	if at > 0 {
		g.waits[i] = append(g.waits[i], writers[at-1])
	} else if behind < len(writers) {
		g.waits[i] = append(g.waits[i], writers[behind])
	}
	return self
}

// sort returns the calls in order, of those that need not wait any more the first one first.
// Calls that wait for themselves are missing.
func (g *graph) sort() (order []int) {
	n := len(g.waits)
	followers := make([][]int, n)
	g.left = make([]int, n)
	ready := &minHeap{}
	for v, waits := range g.waits {
		g.left[v] = len(waits)
		for _, w := range waits {
			followers[w] = append(followers[w], v)
		}
		if len(waits) == 0 {
			ready.Push(v)
		}
	}
	for ready.Len() > 0 {
		v := heap.Pop(ready).(int)
		if v < 0 {
			v += n // a group, which goes before all calls
		} else {
			order = append(order, v)
		}
		for _, f := range followers[v] {
			if g.left[f]--; g.left[f] > 0 {
				continue
			}
			if f >= len(g.calls) {
				f -= n
			}
			heap.Push(ready, f)
		}
	}
	return order
}

// cycle returns calls that wait for each other, as a text.
func (g *graph) cycle() string {
	waiting := func(v int) bool { return g.left[v] > 0 }
	v := slices.IndexFunc(g.left, func(n int) bool { return n > 0 })
	var way []int
	place := map[int]int{} // in way
	for {
		from, known := place[v]
		if known {
			way = way[from:]
			break
		}
		place[v] = len(way)
		way = append(way, v)
		v = g.waits[v][slices.IndexFunc(g.waits[v], waiting)]
	}
	way = slices.DeleteFunc(way, func(v int) bool { return v >= len(g.calls) })
	first := slices.Index(way, slices.Min(way))
	var names []string
	for _, v := range slices.Concat(way[first:], way[:first], way[first:first+1]) {
		names = append(names, g.calls[v].String())
	}
	return strings.Join(names, " reads from ")
}

type minHeap struct{ sort.IntSlice }

func (h *minHeap) Push(v any) { h.IntSlice = append(h.IntSlice, v.(int)) }

func (h *minHeap) Pop() any {
	last := h.IntSlice[h.Len()-1]
	h.IntSlice = h.IntSlice[:h.Len()-1]
	return last
}
