package redact

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/base64"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A form is how something looks that is replaced, or kept, wherever it stands.
type form struct {
	begins string     // in any case; several are parted by "|"
	match  expression // at the beginning; the first group is replaced
	kind   Kind       // "" for what is kept
	with   string     // what replaces it, "" for the kind's marker
	vendor string     // of a token
	reach  int        // how much is looked at, 0 for the usual
	before int        // how many letters and digits there are before the beginning at least
	at     func(s *scanner, i int) bool
	is     func(last []byte) bool // judges the last group
}

// A formTable has forms by the lowest five bits of the first byte of their beginnings.
type formTable [32][]form

// add adds a form, and how it begins to the grams.
func (t *formTable) add(g *grams, f form) {
	for f.begins = range strings.SplitSeq(f.begins, "|") {
		by := &t[f.begins[0]&31]
		*by = append(slices.Clip(*by), f)
		g.add(lookForm, f.begins)
	}
}

// formed replaces what has one of the forms at i.
func (s *scanner) formed(i int) int {
	for _, f := range s.forms[s.text[i]&31] {
		if !hasFold(s.text[i:], f.begins) || f.at != nil && !f.at(s, i) {
			continue
		}
		start := i
		if f.before > 0 {
			run := s.text[s.back(i, 64, isAlnum):i]
			if len(run) < f.before || !bytes.ContainsAny(run, digits) {
				continue
			}
			start = s.back(i, 64, isWord)
		} else if isAlnum(s.text[i]) && i > s.floor && !starts(s.text, i) {
			continue
		}
		m := f.match().FindSubmatchIndex(s.near(i, cmp.Or(f.reach, sure)))
		if m == nil || f.is != nil && !f.is(s.text[i+m[len(m)-2]:i+m[len(m)-1]]) {
			continue
		}
		end := i + m[3]
		start += m[2]
		for end-i >= sure && end < len(s.text) && (isWord(s.text[end]) || strings.IndexByte("._~+/=$", s.text[end]) >= 0) {
			end++ // behind what was looked at
		}
		if f.vendor == "private key" {
			end = s.through(i, open{Token, -1})
		}
		return s.make(edit{start, end, f.kind, cmp.Or(f.with, marker(f.kind)), f.vendor})
	}
	return i
}

// starts reports whether a word may start at i, which it may behind "\n", "%3D" or a colour, too.
func starts(text []byte, i int) bool {
	return i == 0 || !isWord(text[i-1]) || wordStarts().Match(text[max(0, i-16):i])
}

// isFirst reports whether the colon at i is the first of its line, behind one word.
func isFirst(s *scanner, i int) bool {
	if next := s.text[i+1]; !isAlnum(next) && strings.IndexByte("./*", next) < 0 {
		return false
	}
	start := s.back(i, 64, func(c byte) bool { return inName(c) || c == '@' || c == '*' })
	last := s.text[max(0, start-1)]
	return start < i && (start == s.floor || last == '\n' || isQuote(last) || last == '\\' && s.text[start] == 'n')
}

// isPair reports whether what Basic is followed by may be a user and a password.
func isPair(v []byte) bool {
	plain, err := base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(v[:len(v)&^3|len(v)%4], "=")))
	return len(v) >= sure/2 || err == nil && bytes.IndexByte(plain, ':') >= 0
}

// isTelling reports whether the end of a token has more in it than small letters.
func isTelling(v []byte) bool {
	return len(v) == 0 || bytes.IndexFunc(v, func(c rune) bool { return c <= 'Z' }) >= 0
}

// lines yields the lines of a table without comments. What is indented stays so.
func lines(table string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.SplitSeq(table, "\n") {
			if line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

// rows yields the rows of a table, of which the indented lines go on with the one before.
func rows(table string) iter.Seq[string] {
	return lines(strings.ReplaceAll(table, "\n  ", " "))
}

//go:embed shapes.txt
var shapeTable string

// tables returns the forms of all tables, and the grams of all that is always looked for. They
// are made when they are first needed: most runs redact nothing, and start at once.
var tables = sync.OnceValues(func() (forms *formTable, g *grams) {
	forms, g = new(formTable), new(grams)
	for _, f := range textForms() {
		forms.add(g, f)
	}
	for row := range rows(shapeTable) {
		fields := strings.Fields(row)
		for _, field := range fields[1:] {
			forms.add(g, newShape(strings.ReplaceAll(fields[0], "_", " "), field))
		}
	}
	g.add(lookName, names().parts[stem]...)
	g.add(lookJSON, `{"`, "{ ", "{\n", "{\r", "{\t")
	for name := range commands() {
		g.add(lookCommand, name)
	}
	return forms, g
})

// alphabets are those of the table of vendors, as classes of an expression.
var alphabets = map[string]string{"h": "0-9A-Fa-f", "n": "0-9A-Za-z", "u": "0-9A-Z", "w": `\w-`, "d": `\w.-`, "b": `\w+/=.%:-`}

// shapeRows match a token in the table of vendors.
var shapeRows = lazily(`^(?:(\d+)~)?(.+)~([a-z])(\d+)$`)

// newShape returns the form of a vendor's token as the table has it.
func newShape(vendor, row string) form {
	m := shapeRows().FindStringSubmatch(row)
	before, _ := strconv.Atoi(m[1])
	match := lazily(`\A(` + regexp.QuoteMeta(m[2]) + "([" + alphabets[m[3]] + "]{" + m[4] + `,})[\w-]*)`)
	return form{begins: m[2], match: match, kind: Token, vendor: vendor, before: before, is: isTelling}
}
