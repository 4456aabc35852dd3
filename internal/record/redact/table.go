package redact

import (
	"slices"
	"strings"
	"sync"
)

// lines are those of a table without comments. What is indented stays so.
func lines(table string) []string {
	return slices.DeleteFunc(strings.Split(table, "\n"), func(line string) bool { return line == "" || line[0] == '#' })
}

// rows are those of a table. Indented lines go on with the one before.
func rows(table string) []string { return lines(strings.ReplaceAll(table, "\n  ", " ")) }

// tables returns the forms of all tables, and the grams of all that is always looked for. They
// are made when they are first needed: most runs redact nothing, and start at once.
var tables = sync.OnceValues(func() (forms *formTable, g *grams) {
	forms, g = new(formTable), new(grams)
	for _, f := range append(textForms(), homeForms()...) {
		forms.add(g, f)
	}
	for _, s := range shapes() {
		forms.add(g, form{begins: s.prefix, find: s.token, kind: Token, vendor: s.vendor, before: s.before})
	}
	g.add(nameBit, names().hints...)
	g.add(jsonBit, `{"`, "{ ", "{\n", "{\r", "{\t")
	for name := range commands() {
		g.add(commandBit, name)
	}
	return forms, g
})
