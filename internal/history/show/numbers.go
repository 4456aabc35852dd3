package show

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Numbers are those of entries of a record, as commands print them.
type Numbers []Range

// A Range is the numbers from one to another.
type Range struct{ From, To uint64 }

// maxDigits is how long a number is; what is longer is the name of a record, or a text.
const maxDigits = 7

// Take takes the arguments that are numbers, such as 17, #17 and 17..20, and returns the others.
func (n *Numbers) Take(args []string) (rest []string) {
	for _, arg := range args {
		if r, ok := parseRange(arg); ok {
			*n = append(*n, r)
		} else {
			rest = append(rest, arg)
		}
	}
	return rest
}

func parseRange(text string) (r Range, ok bool) {
	from, to, isRange := strings.Cut(text, "..")
	if r.From, ok = parseNumber(from); !isRange || !ok {
		return Range{r.From, r.From}, ok
	}
	r.To, ok = parseNumber(to)
	return r, ok && r.From <= r.To
}

func parseNumber(text string) (n uint64, ok bool) {
	text = strings.TrimPrefix(text, "#")
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil && len(text) <= maxDigits
}

// Has reports whether a number is among them, or all are meant as there are none.
func (n Numbers) Has(seq uint64) bool {
	return n == nil || slices.ContainsFunc(n, func(r Range) bool { return r.From <= seq && seq <= r.To })
}

// String is what was asked for.
func (n Numbers) String() string {
	var parts []string
	for _, r := range n {
		part := fmt.Sprint(r.From)
		if r.To != r.From {
			part += fmt.Sprintf("..%d", r.To)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}
