package redact

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"acpshim/internal/text/glob"
)

//go:embed names.txt
var nameTable string

// A nameSet is the table of names, by its sections.
type nameSet struct {
	names, lastWords                 map[string]class
	roles                            map[string]role
	hints, suffixes, infixes         []string
	qualifiers, placeholders         map[string]bool
	harmlessNames, harmlessLastWords glob.Glob
}

var names = sync.OnceValue(func() *nameSet {
	rowsOf, section := make(map[string][]string), ""
	for _, row := range rows(nameTable) {
		if row[0] == '[' {
			section = row
		} else {
			rowsOf[section] = append(rowsOf[section], row)
		}
	}
	words := func(section string) []string { return strings.Fields(strings.Join(rowsOf[section], " ")) }
	set := func(section string) map[string]bool {
		all := make(map[string]bool)
		for _, word := range words(section) {
			all[word] = true
		}
		return all
	}
	anyOf := func(section string) string { return "{" + strings.Join(words(section), ",") + "}" }
	return &nameSet{
		names:             meanings[class](rowsOf["[names]"], classNames),
		lastWords:         meanings[class](rowsOf["[last words]"], classNames),
		roles:             meanings[role](rowsOf["[members]"], roleNames),
		hints:             words("[hints]"),
		suffixes:          words("[suffixes]"),
		infixes:           words("[infixes]"),
		qualifiers:        set("[qualifiers]"),
		placeholders:      set("[placeholders]"),
		harmlessNames:     mustGlob(anyOf("[harmless names]")),
		harmlessLastWords: mustGlob("*_" + anyOf("[harmless last words]")),
	}
})

// meanings reads rows with a class or a role and the names that have it: each beginning with each
// end.
func meanings[M class | role](rows, known []string) map[string]M {
	all := make(map[string]M)
	for _, row := range rows {
		first, ends, _ := strings.Cut(row, "|")
		words := strings.Fields(first)
		meaning := slices.Index(known, words[0])
		if meaning < 0 {
			panic(fmt.Sprintf("names.txt: %q: want one of %q first", row, known)) // a test reads the table
		}
		beginnings := words[1:]
		if len(beginnings) == 0 {
			beginnings = []string{""}
		}
		for _, beginning := range beginnings {
			for end := range strings.FieldsSeq(ends) {
				all[beginning+end] = M(meaning)
			}
		}
	}
	return all
}
