package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"acpshim/filters/rule"
	"acpshim/filters/rule/lint"
)

// A Profile is a [[profile]]: settings for some clients and agents.
type Profile struct {
	Name   string // no two are the same; may be empty
	Off    bool
	Client string // a rule.PeerPattern; "" is any client
	Agent  string // likewise

	// The names of rules to switch on and off. No name is in both.
	RulesOn, RulesOff []string

	settings []profileSetting
	at       Place
	row      int // its index in its source
}

// A profileSetting is a setting of a profile.
type profileSetting struct {
	path  string
	value any
	at    Place
}

// For returns c with the profiles that match a client and an agent. Later profiles override earlier
// ones. A profile does not override a key that a later source has set, because what a user wrote
// counts more than a shipped profile. An empty name means that a peer sends no name, or that the
// agent has not sent it yet. No pattern for agents matches it.
func (c Config) For(client, agent rule.Peer) Config {
	applied := c.Applied(client, agent)
	if applied == nil {
		return c
	}
	got := c.clone()
	keys := got.keys()
	for _, p := range applied {
		for _, s := range p.settings {
			if got.overrides(s) {
				continue
			}
			i := slices.IndexFunc(keys, func(k key) bool { return k.path == s.path })
			keys[i].set(s.value, nil) // it was accepted before
			got.from[s.path] = Place{File: s.at.File, Line: s.at.Line, Profile: p.describe(), layer: s.at.layer}
		}
		got.switchRules(p.RulesOn, true, p.at)
		got.switchRules(p.RulesOff, false, p.at)
	}
	return got
}

// SetBy returns the name of the profile that has set a key, in a Config of [Config.For], or "".
func (c Config) SetBy(path string) string { return c.From(path).Profile }

// Applied returns the profiles that match a client and an agent, in the order they apply. Some of
// their settings may be overridden, see [Config.For].
func (c Config) Applied(client, agent rule.Peer) (applied []Profile) {
	for _, p := range c.Profiles {
		if !p.Off && client.Matches(p.Client) && (p.Agent == "" || agent.Name != "") && agent.Matches(p.Agent) {
			applied = append(applied, p)
		}
	}
	return applied
}

// Changes returns the settings of a profile as lines of a file, except those that a later source
// overrides.
func (c Config) Changes(p Profile) (lines []string) {
	for _, s := range p.settings {
		if !c.overrides(s) {
			lines = append(lines, s.path+" = "+literal(s.value))
		}
	}
	for _, names := range []struct {
		key   string
		names []string
	}{{"rules_on", p.RulesOn}, {"rules_off", p.RulesOff}} {
		if len(names.names) > 0 {
			lines = append(lines, names.key+" = "+literal(names.names))
		}
	}
	return lines
}

// switchRules switches rules by name for a profile, except rules that a later source wrote or
// switched.
func (c *Config) switchRules(names []string, on bool, at Place) {
	for _, name := range names {
		if c.From("rule."+name).layer <= at.layer {
			put(&c.Switches, name, on)
		}
	}
}

// overrides reports whether a source after that of a profile's setting has set the key.
func (c Config) overrides(s profileSetting) bool { return c.From(s.path).layer > s.at.layer }

// describe returns the name of a profile for places.
func (p *Profile) describe() string {
	if p.Name == "" {
		return "profile"
	}
	return "profile " + quote(p.Name)
}

// ownKeys returns the keys that only profiles have.
func (p *Profile) ownKeys() []key {
	return []key{
		{path: "name", setting: text(&p.Name)},
		{path: "off", setting: boolean(&p.Off)},
		{path: "client", setting: peerPattern(&p.Client)},
		{path: "agent", setting: peerPattern(&p.Agent)},
		{path: "rules_on", setting: list(&p.RulesOn, "names", checkName)},
		{path: "rules_off", setting: list(&p.RulesOff, "names", checkName)},
	}
}

func (p *Profile) keys() []key {
	keys := p.ownKeys()
	var scratch Config
	for _, k := range scratch.keys() {
		table, _, _ := strings.Cut(k.path, ".")
		switch {
		case k.outside != "":
			k.set = refuse("does not belong in a profile: " + k.outside)
		case k.path == "junk" || strings.Contains(", "+differing+", ", ", "+table+", "):
			set := k.set
			k.set = func(v any, n *node) error {
				p.settings = append(p.settings, profileSetting{path: k.path, value: v})
				return set(v, n)
			}
		default:
			k.set, k.value = refuse(sameForAll), nil
		}
		k.row, k.named = nil, nil
		keys = append(keys, k)
	}
	return keys
}

const sameForAll = "is the same for all clients and agents: a profile may have keys of " + differing + " and junk"

// differing lists the tables that a profile may set. It may also set the key junk.
const differing = "plan, choices, version, questions, repair, prompt, opening, output, login, turns, deadline, images, services, gate"

// refuse returns a set function that accepts no value.
func refuse(why string) func(any, *node) error {
	return func(any, *node) error { return errors.New(why) }
}

// profiles reads the rows of one source into to. A row replaces an earlier one of the same name,
// and comes last, because profiles apply in the order in which they are written.
func profiles(to *[]Profile) func(Place) row {
	below := len(*to) // those of the sources below
	read, lines, rows := nameSet{}, map[[3]string]int{}, 0
	return func(at Place) row {
		p := &Profile{at: at, row: rows}
		rows++
		return row{
			keys: p.keys(),
			add: func(s *section) (errs, warnings []error) {
				for i := range p.settings {
					p.settings[i].at = s.set[p.settings[i].path]
				}
				errs = append(p.missing(s.faulty), read.again(p.Name, p.Name)...)
				old := slices.IndexFunc((*to)[:below], func(other Profile) bool { return p.Name != "" && other.Name == p.Name })
				switch {
				case !p.Off:
					warnings = p.useless(lines)
				case old < 0:
					warnings = append(warnings, nothing("off", p.Name, namesOf((*to)[:below], func(p Profile) string { return p.Name })))
				}
				if old >= 0 {
					*to = slices.Delete(*to, old, old+1)
					below--
				}
				*to = append(*to, *p)
				return errs, warnings
			},
		}
	}
}

// missing returns an error for each required key that a profile lacks, except for faulty ones, and
// for each rule that it switches both on and off.
func (p *Profile) missing(faulty map[string]bool) (errs []error) {
	if p.Off {
		if p.Name == "" && !faulty["name"] {
			errs = append(errs, errors.New("want the name of the profile that is switched off"))
		}
		return errs
	}
	if p.Client == "" && p.Agent == "" && !faulty["client"] && !faulty["agent"] {
		errs = append(errs, errors.New(`want client or agent, such as client = "Zed*"; settings for everybody belong outside of profiles`))
	}
	for i, name := range p.RulesOff {
		if slices.Contains(p.RulesOn, name) {
			errs = append(errs, at("rules_off", partErrors{{i, fmt.Errorf("%q is also in rules_on", name)}}))
		}
	}
	return errs
}

// useless returns a warning for each part of a profile that has no effect. Lines holds the lines of
// earlier settings in the same source, by client, agent and path.
func (p *Profile) useless(lines map[[3]string]int) (warnings []error) {
	warnings = uselessPeers(p.Client, p.Agent)
	if len(p.settings)+len(p.RulesOn)+len(p.RulesOff) == 0 {
		warnings = append(warnings, errors.New("changes nothing: want keys of "+differing+" or junk, rules_on or rules_off"))
	}
	for _, s := range p.settings {
		if p.Agent != "" && (s.path == "plan.advertise" || s.path == "plan.bridge") {
			warnings = append(warnings, at(s.path, unnamedWarning{fmt.Errorf("%s applies before the agent has sent its name; a profile with agent needs --agent for it", s.path)}))
		}
		same := [3]string{p.Client, p.Agent, s.path}
		if line := lines[same]; line > 0 {
			warnings = append(warnings, at(s.path, fmt.Errorf("%s is also set for the same client and agent in line %d; this later one counts", s.path, line)))
		}
		lines[same] = s.at.Line
	}
	return warnings
}

// uselessPeers returns a warning for each pattern that matches no client or no agent.
func uselessPeers(client, agent string) (warnings []error) {
	for _, of := range []struct{ key, pattern string }{{"client", client}, {"agent", agent}} {
		if rest, negated := strings.CutPrefix(of.pattern, "!"); negated && strings.Trim(rest, "*") == "" {
			warnings = append(warnings, at(of.key, fmt.Errorf("%q can never match a name", of.pattern)))
		} else if err := lint.Unmatched(of.pattern); err != nil {
			warnings = append(warnings, at(of.key, fmt.Errorf("never matches: %w", err)))
		} else if err := lint.Misnamed(of.key, of.pattern); err != nil {
			warnings = append(warnings, at(of.key, err))
		}
	}
	return warnings
}

// peerPattern reads a [rule.PeerPattern].
func peerPattern(to *string) setting {
	return textOf(to, `a glob in quotes, such as "Zed*" or "!Zed*"`, notEmpty, parsed(rule.NewPeerPattern))
}
