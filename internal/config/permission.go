package config

import (
	"errors"

	"acpshim/filters/permission"
)

// A Permission is a [[permission]].
type Permission struct {
	permission.Rule      // no two of one Name
	Off             bool // it is not used
}

func (p *Permission) keys() []key {
	return []key{
		{path: "name", need: `a name, such as name = "reads are allowed"`, setting: text(&p.Name)},
		{path: "off", setting: boolean(&p.Off)},
		{path: "kind", setting: oneGlob(&p.Kind)},
		{path: "title", setting: oneGlob(&p.Title)},
		{path: "location", setting: oneGlob(&p.Location)},
		{path: "client", setting: peerPattern(&p.Client)},
		{path: "agent", setting: peerPattern(&p.Agent)},
		{path: "answer", setting: oneOf(&p.Answer, "allow_once", "allow_always", "reject_once", "reject_always", permission.Ask)},
	}
}

func (p *Permission) id() (path, name string, off bool) {
	return "permission." + p.Name, p.Name, p.Off
}

func (p *Permission) check(faulty map[string]bool) (errs, warnings []error) {
	if p.Answer == "" && !p.Off && !faulty["answer"] {
		errs = append(errs, errors.New(`want answer, such as answer = "allow_once"`))
	}
	if p.Kind+p.Title+p.Location == "" && p.Allows() && !p.Off {
		warnings = append(warnings, errors.New(`approves everything: want kind, title or location, such as kind = "read"`))
	}
	return errs, warnings
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
