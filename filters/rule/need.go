package rule

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"acpshim/internal/wire"
)

// A need is a value that is in every line that a rule matches, and a text that
// stands in it; both are looked for before a line is read. JSON has several
// spellings of a string, so a text has only characters that are spelled as they
// are, or as \u00XX, for which the search looks, too.
type need struct {
	pointer wire.Pointer // empty if there is no such value
	text    string       // "" if the value may be any
}

// minText is the shortest text that is searched for, in bytes: most strings have
// shorter ones.
const minText = 3

// needOf returns the need that most lines do not meet: the longest text, or the
// deepest value.
func needOf(r *Rule) (best need) {
	add := func(pointer, text string) {
		p, err := wire.ParsePointer(pointer)
		if err != nil || len(p) == 0 {
			return
		}
		if text = spelled(text); len(text) < minText {
			text = ""
		}
		if len(text) > len(best.text) || len(text) == len(best.text) && len(p) > len(best.pointer) {
			best = need{p, text}
		}
	}
	for _, pointer := range slices.Sorted(maps.Keys(r.When.Equals)) {
		text := ""
		if v, err := canonicalize(r.When.Equals[pointer]); err == nil && isString(v) {
			text, _ = wire.Text(v)
			text = `"` + text + `"`
		}
		add(pointer, text)
	}
	for _, pointer := range slices.Sorted(maps.Keys(r.When.Glob)) {
		text := ""
		if p, err := newPattern(r.When.Glob[pointer]); err == nil && p != nil && !p.negated {
			for _, part := range p.glob.Parts() {
				if part = longest(part, plain); len(part) > len(text) {
					text = part
				}
			}
		}
		add(pointer, text)
	}
	for _, pointer := range slices.Sorted(maps.Keys(r.When.Regexp)) {
		text := ""
		if re, err := regexp.Compile(r.When.Regexp[pointer]); err == nil {
			prefix, _ := re.LiteralPrefix()
			text = longest(prefix, plain)
		}
		add(pointer, text)
	}
	for _, pointer := range r.When.Has {
		add(pointer, "")
	}
	return best
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
