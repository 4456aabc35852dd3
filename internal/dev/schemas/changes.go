package schemas

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/log/validate/schema"
)

// Changes says what differs between two results of [Make], one line each: "+" is new, "-" is gone
// and "~" has another rule. A place is a definition with members, such as PlanMarkdown.path, or
// with values, such as SessionUpdate "plan_update". What the stable schemas say, the unstable ones
// do not say again.
func Changes(old, made []byte) ([]string, error) {
	before, err := schema.Parse(old)
	if err != nil {
		return nil, err
	}
	after, err := schema.Parse(made)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, version := range slices.Sorted(maps.Keys(after)) {
		a, b := before[version], after[version]
		if a == nil {
			a = &schema.Version{Stable: &schema.Schema{}, Unstable: &schema.Schema{}}
		}
		if a.Release != b.Release {
			all = append(all, fmt.Sprintf("version %s: release %s, was %q", version, b.Release, a.Release))
		}
		stable := schemaChanges(a.Stable, b.Stable)
		for _, line := range stable {
			all = append(all, "version "+version+", stable: "+line)
		}
		for _, line := range schemaChanges(a.Unstable, b.Unstable) {
			if !slices.Contains(stable, line) {
				all = append(all, "version "+version+", unstable: "+line)
			}
		}
	}
	return all, nil
}

func schemaChanges(before, after *schema.Schema) []string {
	var c changes
	methods := func(s *schema.Schema) []string { return slices.Sorted(maps.Keys(s.Methods)) }
	c.addNames("method ", methods(before), methods(after))
	c.addRules("", before.Rules, after.Rules)
	return c
}

type changes []string

// add adds a line, once.
func (c *changes) add(sign, place string) {
	if line := sign + " " + place; !slices.Contains(*c, line) {
		*c = append(*c, line)
	}
}

// addNames adds the names that are in one of two lists.
func (c *changes) addNames(place string, before, after []string) {
	for _, name := range without(before, after) {
		c.add("-", place+name)
	}
	for _, name := range without(after, before) {
		c.add("+", place+name)
	}
}

// addRules adds how rules at the same places differ.
func (c *changes) addRules(place string, before, after map[string]*schema.Rule) {
	all := maps.Clone(before)
	if all == nil {
		all = map[string]*schema.Rule{}
	}
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		at := place + strings.ReplaceAll(name, "#/$defs/", "")
		switch a, b := before[name], after[name]; {
		case strings.HasPrefix(name, "|") && (a == nil || b == nil): // the union has other alternatives
			c.add("~", place)
		case a == nil:
			c.add("+", at)
		case b == nil:
			c.add("-", at)
		default:
			c.addRule(at, a, b)
		}
	}
}

// addRule adds how two rules at a place differ.
func (c *changes) addRule(place string, before, after *schema.Rule) {
	listed := func(r *schema.Rule) (names []string) {
		for _, value := range r.Enum {
			names = append(names, strconv.Quote(fmt.Sprint(value)))
		}
		return names
	}
	c.addNames(place+" ", listed(before), listed(after))
	a, b := children(before), children(after)
	delete(a, "."+before.Tag) // the tags say the same
	delete(b, "."+after.Tag)
	c.addRules(place, a, b)
	if !reflect.DeepEqual(own(before), own(after)) {
		c.add("~", place)
	}
}

// own returns what a rule says besides the rules in it, its values, and who knows its names.
func own(r *schema.Rule) schema.Rule {
	o := *r
	o.Required = slices.Sorted(slices.Values(r.Required))
	o.Properties, o.Of, o.Any, o.One, o.Items, o.Values, o.Others, o.Enum = nil, nil, nil, nil, nil, nil, nil, nil
	o.Draft, o.New, o.Gone = nil, nil, nil
	return o
}
