package document

import (
	"iter"
	"slices"
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
	groups  map[string]int   // the vertices of the groups, by path
	waits   [][]int          // the vertices that a vertex waits for
	left    []int            // how many of them have not been sorted
}

func newGraph(calls []call) *graph {
	g := &graph{calls, map[string][]int{}, map[string]int{}, make([][]int, len(calls)), nil}
	for i := range calls {
		path := calls[i].writes
		for around := range around(path) {
			group, known := g.groups[around]
			if !known {
				group = len(g.waits)
				g.groups[around], g.waits = group, append(g.waits, nil)
			}
			g.waits[group] = append(g.waits[group], i)
		}
		g.writers[path] = append(g.writers[path], i)
	}
	return g
}

// around are the paths that a path is a part of: x and x.y of x.y.z.
func around(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range len(path) {
			if path[i] == '.' && !yield(path[:i]) {
				return
			}
		}
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
	for around := range around(path) {
		self = g.linkNearest(i, g.writers[around]) || self
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

// followers counts what each vertex waits for, and returns those that wait for it.
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

// cycle returns calls that wait for each other, as a text.
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
