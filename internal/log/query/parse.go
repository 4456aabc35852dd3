package query

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/text/spelling"
	"acpshim/internal/text/terminal"
)

// An Error describes what is wrong with a query.
type Error struct {
	Text    string // the query
	At      int    // the byte at which it is wrong
	Problem string // what is wrong, and what would be right
}

// Error returns three lines: the problem, the query, and a caret under the wrong place.
func (e *Error) Error() string {
	visible := func(s string) string {
		return terminal.Line(strings.Map(func(r rune) rune {
			if isSpace(r) {
				return ' '
			}
			return r
		}, s))
	}
	const most = 60 // columns on each side
	before, after := terminal.CutFront(visible(e.Text[:e.At]), most), terminal.Cut(visible(e.Text[e.At:]), most)
	return fmt.Sprintf("%s\n  %s%s\n  %s^", terminal.Line(e.Problem), before, after, terminal.Blank(before))
}

// Parse reads a query. The error is an [*Error].
func Parse(text string) (Query, error) {
	q := Query{text: text}
	for at := 0; at < len(text); {
		if rest := strings.TrimLeftFunc(text[at:], isSpace); len(rest) < len(text)-at {
			at = len(text) - len(rest)
			continue
		}
		t, next, err := readTerm(text, at)
		if err != nil {
			return Query{}, err
		}
		q.terms = append(q.terms, t)
		at = next
	}
	return q, nil
}

// readTerm reads the term at a place, and returns the place after it.
func readTerm(text string, at int) (t term, next int, err error) {
	wrong := func(at int, format string, args ...any) (term, int, error) {
		return t, 0, &Error{Text: text, At: at, Problem: fmt.Sprintf(format, args...)}
	}
	begin := at
	if t.not = text[at] == '-'; t.not {
		at++
	}
	if hint := misspelled(text[at:]); hint != "" {
		return wrong(at, "%s", hint)
	}
	if name, rest, ok := strings.Cut(text[at:], ":"); ok && !strings.ContainsFunc(name, func(r rune) bool { return isSpace(r) || r == '"' }) {
		if hint := unknownName(name, rest); hint != "" {
			return wrong(at, "%s", hint)
		}
		t.name = name
		at += len(name) + 1
	}
	value, next, ok := readValue(text, at)
	switch {
	case !ok:
		return wrong(at, `want a " at the end of the text`)
	case next < len(text) && !isSpace(rune(text[next])) && text[at] == '"':
		return wrong(next, `want a space after a text in quotes`)
	case value == "" && t.name == "" && next == at:
		return wrong(begin, "want a term after -")
	case value == "":
		return wrong(at, "want %s", wants(t.name))
	case value[0] == '!' && (t.name == "method" || t.name == "update" || t.name == "rule"):
		return wrong(at, "a minus before the term negates it: -%s:%s", t.name, value[1:])
	}
	t.value = value
	if t.holds, err = condition(t.name, value); err != nil {
		return wrong(at, "%s: %v", t.name, err)
	}
	if t.name == "" {
		t.text = newText(value)
	}
	return t, next, nil
}

// unknownName returns a hint if no term has the name, else "". Rest is the text after the name.
func unknownName(name, rest string) string {
	if slices.Contains(Names, name) {
		return ""
	}
	if near := spelling.Nearest(name, Names); near != "" {
		return fmt.Sprintf("unknown term %q, did you mean %q?", name, near)
	}
	word := strings.FieldsFunc(name+":"+rest, isSpace)[0]
	return fmt.Sprintf("unknown term %q: want one of %s, or %q for a text", name, strings.Join(Names, ", "), word)
}

// misspelled returns a hint if a term begins with "!" or has "=" in place of ":", else "".
func misspelled(text string) string {
	if strings.HasPrefix(text, `"`) {
		return ""
	}
	word, _, _ := readValue(text, 0)
	negated, isNegated := strings.CutPrefix(word, "!")
	if name, _, ok := strings.Cut(negated, ":"); ok && isNegated && slices.Contains(Names, name) {
		return fmt.Sprintf("a minus before the term negates it: -%s", negated)
	}
	if name, value, ok := strings.Cut(word, "="); ok && slices.Contains(Names, name) {
		return fmt.Sprintf("want %s:%s, or %q for a text", name, value, word)
	}
	return ""
}

// readValue reads a word, or a text in quotes. In quotes, \" is a quote and \\ a backslash.
func readValue(text string, at int) (value string, next int, ok bool) {
	if at == len(text) || text[at] != '"' {
		rest := text[at:]
		end := strings.IndexFunc(rest, isSpace)
		if end < 0 {
			end = len(rest)
		}
		return rest[:end], at + end, true
	}
	var b strings.Builder
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return b.String(), i + 1, true
		case text[i] == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
		}
		b.WriteByte(text[i])
	}
	return "", 0, false
}

// isSpace reports whether a character separates terms. Other spaces of Unicode do not, so that
// people can search for them.
func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// Join makes a query of the arguments of a command line, from which a shell removed the quotes. An
// argument with spaces is one term, unless it has quotes itself, or a term with a name after its
// first word.
func Join(args []string) string {
	terms := slices.Clone(args)
	for i, arg := range args {
		if one, ok := requoted(arg); ok {
			terms[i] = one
		}
	}
	return strings.Join(terms, " ")
}

// Texts returns arguments that are after -- on a command line, for [Join]: one that begins with "-"
// is a text in quotes, unless it negates a term with a name.
func Texts(args []string) (terms []string) {
	for _, arg := range args {
		word, isDash := strings.CutPrefix(arg, "-")
		if name, _, ok := strings.Cut(word, ":"); isDash && !(ok && slices.Contains(Names, name)) {
			arg = quote(arg)
		}
		terms = append(terms, arg)
	}
	return terms
}

// requoted puts an argument with spaces in quotes, if it is one term.
func requoted(arg string) (string, bool) {
	fields := strings.FieldsFunc(arg, isSpace)
	if len(fields) < 2 || strings.Contains(arg, `"`) {
		return "", false
	}
	named := func(field string) (name string, ok bool) {
		name, _, ok = strings.Cut(strings.TrimPrefix(field, "-"), ":")
		return name, ok && slices.Contains(Names, name)
	}
	for _, field := range fields[1:] {
		if _, ok := named(field); ok {
			return "", false
		}
	}
	rest, minus := strings.CutPrefix(strings.TrimLeftFunc(arg, isSpace), "-")
	term := ""
	if minus {
		term = "-"
	}
	if name, ok := named(fields[0]); ok {
		term += name + ":"
		rest = rest[len(name)+1:]
	}
	return term + quote(rest), true
}
