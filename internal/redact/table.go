package redact

import (
	"iter"
	"strings"
	"sync"
)

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

// tables returns the forms of all tables, and the grams of all that is always looked for. They
// are made when they are first needed: most runs redact nothing, and start at once.
var tables = sync.OnceValues(func() (forms *formTable, g *grams) {
	forms, g = new(formTable), new(grams)
	for _, f := range append(textForms(), homeForms()...) {
		forms.add(g, f)
	}
	for s := range shapes() {
		forms.add(g, form{begins: s.prefix, secret: s.token, kind: Token, vendor: s.vendor, before: s.before})
	}
	g.add(nameBit, names().hints...)
	g.add(jsonBit, `{"`, "{ ", "{\n", "{\r", "{\t")
	for name := range commands() {
		g.add(commandBit, name)
	}
	return forms, g
})
