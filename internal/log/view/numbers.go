package view

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Numbers are those of entries of a record, as commands print them. Nil stands for all numbers.
type Numbers []span

// A span is the numbers from one to another.
type span struct{ from, to uint64 }

// Take takes the arguments that are numbers, such as 17, #17 and 17..20, and returns the others. A
// number has at most seven digits: a longer one is the name of a record, or a text.
func (n *Numbers) Take(args []string) (rest []string) {
	form := regexp.MustCompile(`^#?(\d{1,7})(\.\.#?(\d{1,7}))?$`)
	for _, arg := range args {
		match := form.FindStringSubmatch(arg)
		if match == nil {
			rest = append(rest, arg)
			continue
		}
		from, _ := strconv.ParseUint(match[1], 10, 64)
		to := from
		if match[2] != "" {
			to, _ = strconv.ParseUint(match[3], 10, 64)
		}
		if from > to {
			rest = append(rest, arg)
			continue
		}
		*n = append(*n, span{from, to})
	}
	return rest
}

// Has reports whether a number is among them.
func (n Numbers) Has(seq uint64) bool {
	return n == nil || slices.ContainsFunc(n, func(s span) bool { return s.from <= seq && seq <= s.to })
}

// String lists the numbers.
func (n Numbers) String() string {
	var parts []string
	for _, s := range n {
		part := fmt.Sprint(s.from)
		if s.to != s.from {
			part += fmt.Sprintf("..%d", s.to)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}
