package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"acpshim/filters/permission"
	"acpshim/internal/text/glob"
)

// A Permission is a [[permission]].
type Permission struct {
	permission.Rule      // no two of one Name
	Off             bool // it is ignored
}

func (p *Permission) keys() []key {
	return []key{
		{path: "name", need: `a name, such as name = "reads are allowed"`, setting: text(&p.Name)},
		{path: "off", setting: boolean(&p.Off)},
		{path: "kind", setting: oneGlob(&p.Kind)},
		{path: "title", setting: oneGlob(&p.Title)},
		{path: "location", setting: oneGlob(&p.Location)},
		{path: "command", setting: globs(&p.Command, `"git status"`)},
		{path: "tool", setting: globs(&p.Tool, `"Bash"`)},
		{path: "client", setting: peerPattern(&p.Client)},
		{path: "agent", setting: peerPattern(&p.Agent)},
		{path: "answer", setting: oneOf(&p.Answer, "allow_once", "allow_always", "reject_once", "reject_always", permission.Ask)},
	}
}

func (p *Permission) id() (path, name string, off bool) {
	return "permission." + p.Name, p.Name, p.Off
}

// toolKinds lists the kinds of tools of the protocol.
var toolKinds = []string{"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}

func (p *Permission) check(faulty map[string]bool) (errs, warnings []error) {
	if p.Answer == "" && !p.Off && !faulty["answer"] {
		errs = append(errs, errors.New(`want answer, such as answer = "allow_once"`))
	}
	warnings = uselessPeers(p.Client, p.Agent)
	kinds, _ := glob.Compile(p.Kind)
	for _, kind := range kinds.Texts() {
		if !slices.Contains(toolKinds, kind) && kind != "" {
			warnings = append(warnings, at("kind", fmt.Errorf("the protocol has no kind %q: want one of %s", kind, strings.Join(toolKinds, ", "))))
		}
	}
	if p.Kind+p.Title+p.Location == "" && len(p.Command)+len(p.Tool) == 0 && p.Allows() && !p.Off {
		warnings = append(warnings, errors.New(`approves everything: want kind, title, location, command or tool, such as kind = "read"`))
	}
	if p.Allows() && !p.Off && slices.Contains(p.Command, "*") {
		warnings = append(warnings, at("command", errors.New(`approves every command that acpshim can read: want a command, such as command = "git status"`)))
	}
	for _, command := range p.Command {
		if p.Allows() && !p.Off && strings.ContainsAny(command, "&|;<>$`\"'\n") {
			warnings = append(warnings, at("command", fmt.Errorf("%q allows nothing: write a glob for each part of a line, without & | ; < > $ and quotes", command)))
		}
	}
	return errs, warnings
}

// PermissionRules returns the rules that are not off.
func (c Config) PermissionRules() (rules []permission.Rule) {
	for _, p := range c.Permissions {
		if !p.Off {
			rules = append(rules, p.Rule)
		}
	}
	return rules
}
