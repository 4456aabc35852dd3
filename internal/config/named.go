package config

import (
	"fmt"
	"slices"

	"acpshim/internal/spelling"
)

// named are the rows of a list of which no two are of one name.
type named[T any] interface {
	*T
	keys() []key
	// id returns what the place of the row is kept by, its name, and whether it is switched off.
	// Rows of one path are of one name.
	id() (path, name string, off bool)
	// check returns what is wrong with the row besides its keys, of which some are faulty, and what
	// is of no use.
	check(faulty map[string]bool) (errs, warnings []error)
}

// namedRows reads the rows of one source. A row takes the place of one in to that has its name.
// From gets the place of each.
func namedRows[T any, P named[T]](to *[]T, from map[string]Place) func(Place) row {
	read := names{}
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

// nothing returns a warning for a row that switches on or off what is not before it.
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

// names are those of the rows of one source, as paths.
type names map[string]bool

// again adds a name. The error is that an earlier row has it.
func (n names) again(path, name string) (errs []error) {
	if name != "" && n[path] {
		errs = append(errs, at("name", fmt.Errorf("the name %q is already used in this file; names must be different", name)))
	}
	n[path] = true
	return errs
}
