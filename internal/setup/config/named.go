package config

import (
	"fmt"
	"slices"

	"acpshim/internal/text/spelling"
)

// A namedRow is a row of a list in which no two rows have the same name.
type namedRow[T any] interface {
	*T
	keys() []key
	// id returns the path under which the place of the row is stored, its name, and whether it is
	// off. Rows with the same path have the same name.
	id() (path, name string, off bool)
	// check returns what is wrong with the row as a whole, and warnings. The faulty keys have been
	// reported already.
	check(faulty map[string]bool) (errs, warnings []error)
}

// namedRows reads the rows of one source into to. A row replaces an earlier one of the same name.
// From receives the place of each.
func namedRows[T any, P namedRow[T]](to *[]T, from map[string]Place) func(Place) row {
	read := nameSet{}
	below := len(*to) // those of the sources below
	return func(where Place) row {
		r := P(new(T))
		return row{keys: r.keys(), add: func(s *section) (errs, warnings []error) {
			errs, warnings = r.check(s.faulty)
			path, name, off := r.id()
			errs = append(errs, read.again(path, name)...)
			from[path] = where
			i := slices.IndexFunc(*to, func(other T) bool { is, _, _ := P(&other).id(); return is == path })
			if i >= 0 {
				(*to)[i] = *r
				return errs, warnings
			}
			if off {
				nameOf := func(row T) string { _, name, _ := P(&row).id(); return name }
				warnings = append(warnings, nothing("off", name, namesOf((*to)[:below], nameOf)))
			}
			*to = append(*to, *r)
			return errs, warnings
		}}
	}
}

// nothing returns a warning for a row that switches a name on or off that no earlier row has.
func nothing(onOrOff, name string, before []string) error {
	hint := spelling.DidYouMean(name, before)
	if hint != "" {
		hint = " (" + hint + ")"
	}
	return at("name", fmt.Errorf("cannot switch %q %s: there is no earlier one of this name%s", name, onOrOff, hint))
}

func namesOf[T any](rows []T, nameOf func(T) string) (names []string) {
	for _, row := range rows {
		names = append(names, nameOf(row))
	}
	return names
}

// A nameSet holds the names of the rows of one source, as paths.
type nameSet map[string]bool

// again adds a name. It returns an error if an earlier row has the same one.
func (n nameSet) again(path, name string) (errs []error) {
	if name != "" && n[path] {
		errs = append(errs, at("name", fmt.Errorf("the name %q is already used in this file; names must be different", name)))
	}
	n[path] = true
	return errs
}
