package rule

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"acpshim/wire"
)

// A line can match a rule only if the strings that the rule asks for stand in
// it. One of them, the literal, is searched for before a line is parsed. JSON
// has several spellings of a string, so a literal has only characters that are
// spelled as they are, or as \u00XX, for which the search looks, too.

// minLiteral is the shortest literal, in bytes: most lines have shorter ones.
const minLiteral = 3

// literal returns what stands in every line that the rule matches, or "".
func literal(r *Rule) string {
	var values, names []string
	for _, pointer := range slices.Sorted(maps.Keys(r.When.Equals)) {
		names = append(names, pointer)
		if v, err := canonicalize(r.When.Equals[pointer]); err == nil && isString(v) {
			text, _ := wire.Text(v)
			values = append(values, `"`+text+`"`)
		}
	}
	for _, pointer := range slices.Sorted(maps.Keys(r.When.Glob)) {
		names = append(names, pointer)
		if g := r.When.Glob[pointer]; !strings.HasPrefix(g, "!") && !strings.ContainsAny(g, "{}") {
			values = append(values, longest(g, func(c byte) bool { return plain(c) && c != '*' && c != '?' }))
		}
	}
	for _, pointer := range slices.Sorted(maps.Keys(r.When.Regexp)) {
		names = append(names, pointer)
		if re, err := regexp.Compile(r.When.Regexp[pointer]); err == nil {
			prefix, _ := re.LiteralPrefix()
			values = append(values, longest(prefix, plain))
		}
	}
	names = append(names, r.When.Has...)
	for i, pointer := range names {
		// The last step is the rarest. An index of an array is no name.
		names[i] = ""
		if last := pointer[strings.LastIndexByte(pointer, '/')+1:]; strings.Trim(last, "0123456789-") != "" && !strings.Contains(last, "~") {
			names[i] = `"` + last + `"`
		}
	}
	best := ""
	for _, texts := range [][]string{values, names} {
		for _, text := range texts {
			if text = spelled(text); len(text) > len(best) {
				best = text
			}
		}
		if len(best) >= minLiteral {
			return best
		}
	}
	return ""
}

// spelled returns the longest part of a string that stands in a line as it is.
// The quotes around a string are kept if all of it does.
func spelled(text string) string {
	if inner := strings.TrimSuffix(strings.TrimPrefix(text, `"`), `"`); len(inner)+2 == len(text) && longest(inner, plain) == inner {
		return text
	}
	return longest(text, plain)
}

// plain reports whether a character has no short escape.
func plain(c byte) bool {
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '/'
}

func longest(text string, keep func(byte) bool) string {
	best, start := "", 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && keep(text[i]) {
			continue
		}
		if i-start > len(best) {
			best = text[start:i]
		}
		start = i + 1
	}
	return best
}
