package config

import (
	"slices"

	"acpshim/internal/adapters/paths"
)

func prefixKeys(p *paths.Prefix) []key {
	const both = `, such as client = "C:\\src", agent = "/mnt/c/src"`
	return []key{
		{path: "client", need: "client" + both, setting: prefix(&p.Client)},
		{path: "agent", need: "agent" + both, setting: prefix(&p.Agent)},
	}
}

// prefix reads the folder of one side, in the spelling of any system.
func prefix(to *string) setting { return textOf(to, "a folder in quotes", nil, paths.CheckFolder) }

// prefixes reads the rows of one source into to. A row replaces one of an earlier source with the
// same client. From receives the place of each.
func prefixes(to *[]paths.Prefix, from map[string]Place) func(Place) row {
	below := slices.Clone(*to) // those of the sources below
	return func(where Place) row {
		var p paths.Prefix
		return row{keys: prefixKeys(&p), add: func(*section) (errs, warnings []error) {
			isLower := func(other paths.Prefix) bool { return p.SameClient(other) && slices.Contains(below, other) }
			*to = slices.DeleteFunc(*to, isLower)
			for _, other := range *to {
				if err := p.Conflict(other); err != nil {
					errs = append(errs, err)
				}
			}
			from["path."+p.Client] = where
			*to = append(*to, p)
			return errs, warnings
		}}
	}
}
