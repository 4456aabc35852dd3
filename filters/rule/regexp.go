package rule

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// maxRegexp bounds a regular expression, in bytes with all repetitions written out: the time that
// it takes for a text grows with that.
const maxRegexp = 10_000

// newRegexp compiles a regular expression in the syntax of RE2. One over maxRegexp is an error.
func newRegexp(text string) (*regexp.Regexp, error) {
	size := len(text)
	if size <= maxRegexp && strings.Contains(text, "{") {
		re, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			return nil, err
		}
		size = max(size, writtenOut(re))
	}
	if size > maxRegexp {
		return nil, fmt.Errorf("too big: it is %d long with what it repeats, want at most %d", size, maxRegexp)
	}
	return regexp.Compile(text)
}

// writtenOut returns about how long an expression is with all repetitions written out.
func writtenOut(re *syntax.Regexp) int {
	parts := 1
	for _, sub := range re.Sub {
		parts += writtenOut(sub)
	}
	if re.Op == syntax.OpLiteral {
		parts = len(re.Rune)
	}
	if re.Op == syntax.OpRepeat {
		parts *= max(re.Min, re.Max, 1)
	}
	return parts
}
