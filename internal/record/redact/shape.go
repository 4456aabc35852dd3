package redact

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"acpshim/internal/chain/wire"
)

//go:embed shapes.txt
var shapeTable string

// A shape is how tokens of a vendor look.
type shape struct {
	vendor   string
	before   int    // how many letters and digits stand before the prefix at least
	prefix   string // how it begins, apart from these
	alphabet string // the characters that follow
	atLeast  int    // how many of them
}

// shapes are those of the table.
func shapes() (all []shape) {
	for _, row := range rows(shapeTable) {
		fields := strings.Fields(row)
		for _, field := range fields[1:] {
			all = append(all, parseShape(strings.ReplaceAll(fields[0], "_", " "), field))
		}
	}
	return all
}

// alphabets are those of the table.
var alphabets = map[string]string{
	"h": digits + "abcdefABCDEF",
	"u": digits + upper,
	"n": digits + letters,
	"w": digits + letters + "_-",
	"d": digits + letters + "_-.",
	"b": digits + letters + "_-.+/=%:",
}

// parseShape reads a field of the table: "ghp_~n16" is the prefix "ghp_" and at least 16 characters
// of the alphabet n, and "8~:AA~w30" has at least 8 letters and digits before its prefix ":AA".
func parseShape(vendor, field string) shape {
	s := shape{vendor: vendor, prefix: field[:strings.LastIndexByte(field, '~')]}
	end := field[len(s.prefix)+1:]
	s.alphabet = alphabets[end[:1]]
	var err error
	if s.atLeast, err = strconv.Atoi(end[1:]); err != nil || s.alphabet == "" {
		panic(fmt.Sprintf("shapes.txt: %q: want an alphabet and a number after the last ~", field)) // a test reads the table
	}
	if number, prefix, ok := strings.Cut(s.prefix, "~"); ok {
		if n, err := strconv.Atoi(number); err == nil {
			s.before, s.prefix = n, prefix
		}
	}
	return s
}

// token returns the span of the token that text begins with.
func (s shape) token(text []byte) (token wire.Span, ok bool) {
	rest, ok := bytes.CutPrefix(text, []byte(s.prefix))
	after := bytes.TrimLeft(rest, s.alphabet)
	n := len(rest) - len(after)
	if !ok || n < s.atLeast || n > 0 && isLowerWord(rest[:n]) {
		return token, false
	}
	return wire.Span{End: wordEnd(text, len(text)-len(after))}, true
}

// isLowerWord reports whether text has only small letters and underscores: it may be a word of a
// program then.
func isLowerWord(text []byte) bool { return len(bytes.TrimLeft(text, lower+"_")) == 0 }
