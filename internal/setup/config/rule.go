package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"acpshim/filters/rule"
	"acpshim/filters/rule/lint"
	"acpshim/internal/text/spelling"

	"github.com/go-json-experiment/json/jsontext"
)

// maxRules bounds the rules that are not shipped, because each is compared with all before it.
const maxRules = 1000

// A Rule is a [[rule]].
type Rule struct {
	rule.Rule

	at     Place
	row    int             // its index in its source
	faulty map[string]bool // its keys that are wrong
}

func (r *Rule) keys() []key {
	const pointers = "JSON Pointers"
	return []key{
		{path: "name", setting: text(&r.Name)},
		{path: "off", setting: boolean(&r.Off)},
		{path: "from", setting: oneOf((*string)(&r.From), "agent", "client", "both")},
		{path: "method", setting: text(&r.Method)},
		{path: "update", setting: text(&r.Update)},
		{path: "response_to", setting: text(&r.ResponseTo)},
		{path: "session", setting: text(&r.Session)},
		{path: "client", setting: text(&r.Client)},
		{path: "agent", setting: text(&r.Agent)},
		{path: "client_has", setting: texts(&r.ClientHas, pointers)},
		{path: "client_lacks", setting: texts(&r.ClientLacks, pointers)},
		{path: "agent_has", setting: texts(&r.AgentHas, pointers)},
		{path: "agent_lacks", setting: texts(&r.AgentLacks, pointers)},
		{path: "protocol", setting: number(&r.Protocol, 1, 65535)},
		{path: "when.has", setting: texts(&r.When.Has, pointers)},
		{path: "when.absent", setting: texts(&r.When.Absent, pointers)},
		{path: "when.equals", setting: jsonTable(&r.When.Equals)},
		{path: "when.glob", setting: textTable(&r.When.Glob)},
		{path: "when.regexp", setting: textTable(&r.When.Regexp)},
		{path: "when.client", setting: text(&r.When.Client)},
		{path: "when.agent", setting: text(&r.When.Agent)},
		{path: "rename", setting: renamings(&r.Rename)},
		{path: "set", setting: places(&r.Set)},
		{path: "append", setting: places(&r.Append)},
		{path: "delete", setting: texts(&r.Delete, pointers)},
		{path: "jq", setting: text(&r.JQ)},
		{path: "log", setting: boolean(&r.Log)},
		{path: "hold", setting: oneOf(&r.Hold, "response")},
		{path: "action", setting: text(&r.Action)},
		{path: "reply.result", setting: reply(&r.Reply, func(reply *rule.Reply) *jsontext.Value { return &reply.Result })},
		{path: "reply.error", setting: reply(&r.Reply, func(reply *rule.Reply) *jsontext.Value { return &reply.Error })},
	}
}

// rules reads the rows of one source into to. A row replaces the rule of the same name. With only
// the keys name and off it switches that rule. From receives the place where a rule was written or
// switched last.
func rules(to *[]Rule, from map[string]Place) func(Place) row {
	read, rows := nameSet{}, 0
	below := len(*to) // those of the sources below
	shipped := 0
	for _, r := range *to {
		if r.at.layer == 1 {
			shipped++
		}
	}
	return func(at Place) row {
		r := &Rule{at: at, row: rows}
		rows++
		return row{
			keys: r.keys(),
			add: func(s *section) (errs, warnings []error) {
				r.faulty = s.faulty
				_, switches := s.set["off"]
				first := !read[r.Name]
				errs = read.again(r.Name, r.Name)
				if len(*to)-shipped >= maxRules {
					return append(errs, fmt.Errorf("want at most %d rules", maxRules)), nil
				}
				old := slices.IndexFunc((*to)[:below], func(other Rule) bool { return other.Name == r.Name })
				only := switches && r.Name != "" && len(s.faulty) == 0 && reflect.DeepEqual(r.Rule, rule.Rule{Name: r.Name, Off: r.Off})
				if !only || old >= 0 {
					from["rule."+r.Name] = at
				}
				before := func() []string { return namesOf((*to)[:below], func(r Rule) string { return r.Name }) }
				switch {
				case only && old >= 0:
					(*to)[old].Off = r.Off
				case only && r.Off:
					warnings = append(warnings, nothing("off", r.Name, before()))
				case only:
					errs = append(errs, nothing("on", r.Name, before()))
				case old >= 0 && first:
					(*to)[old] = *r
				case first || r.Name == "":
					*to = append(*to, *r)
				}
				return errs, warnings
			},
		}
	}
}

// RuleSet returns the rules, compiled. Which of them profiles switch is in Switches, if c is
// what [Config.For] returned.
func (c Config) RuleSet() *rule.Set {
	if c.set == nil {
		c.set, _ = rule.Compile(c.written()) // no source above the default has rules
	}
	return c.set
}

// written returns the rules as package rule has them.
func (c *Config) written() []rule.Rule {
	all := make([]rule.Rule, len(c.Rules))
	for i, r := range c.Rules {
		all[i] = r.Rule
	}
	return all
}

// RulePlace returns whether the rules apply next to the client or next to the agent.
func (c Config) RulePlace() rule.Place {
	if c.RulesPlace == "agent" {
		return rule.BesideAgent
	}
	return rule.BesideClient
}

// compileRules compiles the rules of all sources so far, and reports mistakes in those of
// this one.
func (f *configFile) compileRules(c *Config, root *node) {
	all := c.written()
	set, problems := rule.Compile(all)
	c.set = set
	for _, p := range append(problems, lint.Check(all, c.RulePlace(), problems)...) {
		r := &c.Rules[p.Rule]
		missing := p.Key == "action" && r.Action == "" && !p.Warning
		if r.at.layer != f.layer || r.faulty[p.Key] || missing && r.mayAct() || p.Warning && len(r.faulty) > 0 {
			continue
		}
		n, full, err := root.member("rule").element(r.row), "rule."+p.Key, r.errorOf(p)
		if p.Warning {
			f.warn(n, full, err)
		} else {
			f.reportValue(n, full, err, "")
		}
	}
}

// mayAct reports whether one of the keys that are wrong says what the rule does.
func (r *Rule) mayAct() bool {
	for _, key := range []string{"rename", "set", "append", "delete", "jq", "log", "hold", "action", "reply", "reply.result", "reply.error"} {
		if r.faulty[key] {
			return true
		}
	}
	return false
}

// checkProfiles reports unknown names of rules in the profiles of the source.
func (f *configFile) checkProfiles(c *Config, root *node) {
	known := namesOf(c.Rules, func(r Rule) string { return r.Name })
	for _, p := range c.Profiles {
		if p.at.layer != f.layer {
			continue
		}
		n := root.member("profile").element(p.row)
		for key, named := range map[string][]string{"rules_on": p.RulesOn, "rules_off": p.RulesOff} {
			for i, name := range named {
				if !slices.Contains(known, name) {
					err := at(key, partErrors{{i, fmt.Errorf("there is no rule %q", name)}})
					f.reportValue(n, "profile."+key, err, spelling.DidYouMean(name, known))
				}
			}
		}
	}
}

// errorOf returns a problem as an error about the part of the row that has it.
func (r *Rule) errorOf(p rule.Problem) error {
	err := errors.New(p.Message)
	if step := r.partOf(p); step != nil {
		err = partErrors{{step, err}}
	}
	return at(p.Key, err)
}

// partOf returns the step to the element or member that a problem is about. It is nil if the
// problem is about the whole value.
func (r *Rule) partOf(p rule.Problem) any {
	if p.Part == "" {
		return nil
	}
	for _, k := range r.keys() {
		if texts, ok := k.value().([]string); ok && k.path == p.Key {
			return slices.Index(texts, p.Part)
		}
	}
	return p.Part
}
