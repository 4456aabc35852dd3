package document

import (
	"iter"
	"slices"
	"strings"
)

// orderCalls returns the steps of calls in an order in which they can run: each call comes after
// those whose results it reads. Otherwise it keeps the order of the list. If there is no such
// order, it keeps the order of the list and adds a problem. Whole says that the list is complete;
// then a call that reads a result that no call writes is a problem, too.
func orderCalls(calls []call, whole bool, p *problemList) []step {
	g := newGraph(calls)
	ordered := true
	for i := range calls {
		for _, n := range calls[i].needs {
			if !g.link(i, n) && whole {
				ordered = false
				p.add("no call writes %s, which call %s reads", n, &calls[i])
			}
		}
	}
	order := g.sort()
	if len(order) < len(calls) {
		ordered = false
		if whole {
			p.add("calls depend on each other: %s", g.cycle())
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

// A graph has the dependencies of calls. Its vertices are the calls, by index, and after them
// groups. A group stands for all calls that write parts of a path, so that each reader of the path
// needs only one edge.
type graph struct {
	calls   []call
	writers map[string][]int // by path: the calls that write it, in the order of the list
	groups  map[string]int   // by path: the vertex of its group
	waits   [][]int          // by vertex: the vertices that it depends on
	left    []int            // by vertex: how many of these are not sorted yet
}

func newGraph(calls []call) *graph {
	g := &graph{calls, map[string][]int{}, map[string]int{}, make([][]int, len(calls)), nil}
	for i := range calls {
		path := calls[i].writes
		for parent := range parents(path) {
			group, known := g.groups[parent]
			if !known {
				group = len(g.waits)
				g.groups[parent], g.waits = group, append(g.waits, nil)
			}
			g.waits[group] = append(g.waits[group], i)
		}
		g.writers[path] = append(g.writers[path], i)
	}
	return g
}

// parents yields the paths that a path is a part of: x and x.y for x.y.z.
func parents(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range len(path) {
			if path[i] == '.' && !yield(path[:i]) {
				return
			}
		}
	}
}

// link makes call i depend on the calls that write what it needs. It returns false if no call
// writes it and the need is not optional.
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

// linkPath makes call i depend on the calls that write the path, a parent of it, or a part of it.
// It reports whether the call itself is one of them.
func (g *graph) linkPath(i int, path string) (self bool) {
	for parent := range parents(path) {
		self = g.linkNearest(i, g.writers[parent]) || self
	}
	self = g.linkNearest(i, g.writers[path]) || self
	group, known := g.groups[path]
	if !known {
		return self
	}
	parts := g.waits[group]
	if _, writes := slices.BinarySearch(parts, i); writes {
		return g.linkNearest(i, parts) || self
	}
	g.waits[i] = append(g.waits[i], group)
	return self
}

// linkNearest makes call i depend on the nearest writer before it in the list, else on the first
// one after it. It reports whether the call itself is a writer.
func (g *graph) linkNearest(i int, writers []int) (self bool) {
	at, self := slices.BinarySearch(writers, i)
	after := at
	if self {
		after++
	}
	if at > 0 {
		g.waits[i] = append(g.waits[i], writers[at-1])
	} else if after < len(writers) {
		g.waits[i] = append(g.waits[i], writers[after])
	}
	return self
}

// sort returns the calls in an order in which they can run. Of several that can run next, the first
// one in the list comes first. Calls in a cycle, and those that depend on them, are missing.
func (g *graph) sort() (order []int) {
	followers := g.followers()
	var ready []int
	for v := range g.calls {
		if g.left[v] == 0 {
			ready = append(ready, v)
		}
	}
	var release func(v int)
	release = func(v int) {
		for _, f := range followers[v] {
			if g.left[f]--; g.left[f] > 0 {
				continue
			}
			if f >= len(g.calls) {
				release(f)
				continue
			}
			at, _ := slices.BinarySearch(ready, f)
			ready = slices.Insert(ready, at, f)
		}
	}
	for len(ready) > 0 {
		v := ready[0]
		ready = ready[1:]
		order = append(order, v)
		release(v)
	}
	return order
}

// followers sets left, and returns the vertices that depend on each vertex.
func (g *graph) followers() [][]int {
	followers := make([][]int, len(g.waits))
	g.left = make([]int, len(g.waits))
	for v, waits := range g.waits {
		g.left[v] = len(waits)
		for _, w := range waits {
			followers[w] = append(followers[w], v)
		}
	}
	return followers
}

// cycle describes a cycle of calls.
func (g *graph) cycle() string {
	waiting := func(v int) bool { return g.left[v] > 0 }
	v := slices.IndexFunc(g.left, func(n int) bool { return n > 0 })
	var way []int
	for !slices.Contains(way, v) {
		way = append(way, v)
		v = g.waits[v][slices.IndexFunc(g.waits[v], waiting)]
	}
	way = slices.DeleteFunc(way[slices.Index(way, v):], func(v int) bool { return v >= len(g.calls) })
	first := slices.Index(way, slices.Min(way))
	var names []string
	for _, v := range slices.Concat(way[first:], way[:first], way[first:first+1]) {
		names = append(names, g.calls[v].String())
	}
	return strings.Join(names, " reads from ")
}
