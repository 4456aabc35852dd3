package config

import (
	"errors"
	"slices"

	"acpshim/translate/paths"
)

func prefixKeys(p *paths.Prefix) []key {
	return []key{
		{path: "client", setting: prefix(&p.Client)},
		{path: "agent", setting: prefix(&p.Agent)},
	}
}

// prefix reads a folder of either side, in the spelling of any system.
func prefix(to *string) setting { return textOf(to, "a folder in quotes", anyText, paths.CheckFolder) }

// prefixes reads the rows of one source. A row takes the place of one in to of a source below that
// has its client. From gets the place of each.
func prefixes(to *[]paths.Prefix, from map[string]Place) func(Place) row {
	below := slices.Clone(*to) // those of the sources below
	return func(where Place) row {
		var p paths.Prefix
		return row{keys: prefixKeys(&p), add: func(s *section) (errs, warnings []error) {
			for _, k := range prefixKeys(&p) {
				if k.value() == "" && !s.faulty[k.path] {
					errs = append(errs, errors.New("want "+k.path+`, such as client = "C:\\src", agent = "/mnt/c/src"`))
				}
			}
			isLower := func(other paths.Prefix) bool { return p.SameClient(other) && slices.Contains(below, other) }
			*to = slices.DeleteFunc(*to, isLower)
			for _, other := range *to {
				if err := p.Conflict(other); err != nil {
					errs = append(errs, err)
				}
			}
			from[prefixPath(p.Client)] = where
			*to = append(*to, p)
			return errs, warnings
		}}
	}
}

// prefixPath is what the place of a row is kept by.
func prefixPath(client string) string { return "path." + client }
