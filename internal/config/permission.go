package config

import (
	"errors"
	"fmt"
	"slices"

	"acpshim/filters/permission"
)

// A Permission is a [[permission]].
type Permission struct {
	permission.Rule      // no two of one Name
	Off             bool // it is not used
}

func (p *Permission) keys() []key {
	return []key{
		{path: "name", setting: text(&p.Name)},
		{path: "off", setting: boolean(&p.Off)},
		{path: "kind", setting: oneGlob(&p.Kind)},
		{path: "title", setting: oneGlob(&p.Title)},
		{path: "location", setting: oneGlob(&p.Location)},
		{path: "client", setting: peerPattern(&p.Client)},
		{path: "agent", setting: peerPattern(&p.Agent)},
		{path: "answer", setting: oneOf(&p.Answer, "allow_once", "allow_always", "reject_once", "reject_always", permission.Ask)},
	}
}

// permissions reads the rows of one source. A row takes the place of one in to that has its name.
// From gets the place of each.
func permissions(to *[]Permission, from map[string]Place) func(Place) row {
	read := names{}
	below := len(*to) // those of the sources below
	return func(where Place) row {
		var p Permission
		return row{keys: p.keys(), add: func(s *section) (errs, warnings []error) {
			errs = append(p.missing(s.faulty), read.again(p.Name)...)
			from[permissionPath(p.Name)] = where
			if p.Kind+p.Title+p.Location == "" && p.Allows() && !p.Off {
				warnings = append(warnings, fmt.Errorf("approves everything: want kind, title or location, such as kind = \"read\""))
			}
			if i := slices.IndexFunc(*to, func(other Permission) bool { return other.Name == p.Name }); i >= 0 {
				(*to)[i] = p
				return errs, warnings
			}
			if p.Off {
				warnings = append(warnings, nothing("off", p.Name, namesOf((*to)[:below], func(p Permission) string { return p.Name })))
			}
			*to = append(*to, p)
			return errs, warnings
		}}
	}
}

// permissionPath is what the place of a row is kept by.
func permissionPath(name string) string { return "permission." + name }

// missing returns an error for each key that a row lacks, but for faulty ones.
func (p *Permission) missing(faulty map[string]bool) (errs []error) {
	if p.Name == "" && !faulty["name"] {
		errs = append(errs, errors.New(`want a name, such as name = "reads are allowed"`))
	}
	if p.Answer == "" && !p.Off && !faulty["answer"] {
		errs = append(errs, errors.New(`want answer, such as answer = "allow_once"`))
	}
	return errs
}

// PermissionRules are the rules that are used.
func (c Config) PermissionRules() (rules []permission.Rule) {
	for _, p := range c.Permissions {
		if !p.Off {
			rules = append(rules, p.Rule)
		}
	}
	return rules
}
