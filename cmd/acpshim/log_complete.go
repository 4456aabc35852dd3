package main

import (
	"maps"
	"slices"
	"strings"

	"acpshim/internal/history/query"
	"acpshim/internal/history/validate/schema"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completeFilter tells what may be typed for one of [RECORD] [FILTER...]: flags and
// their values, records unless one was named, terms, and behind a name its values.
func (f *finder) completeFilter(c *cobra.Command, args []string, typed string) (found []string, does cobra.ShellCompDirective) {
	rest, _ := readFlags(c.Flags(), args) // where records are; the last one may have no value yet
	if flag, value := valued(c.Flags(), args, typed); flag != nil {
		if complete, ok := c.GetFlagCompletionFunc(flag.Name); ok {
			return complete(c, rest, value)
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	if strings.HasPrefix(typed, "--") {
		c.Flags().VisitAll(func(f *pflag.Flag) { found = append(found, "--"+f.Name+"\t"+f.Usage) })
		return found, noFiles
	}
	term, negated := strings.CutPrefix(typed, "-")
	minus := ""
	if negated {
		minus = "-"
	}
	if name, _, ok := strings.Cut(term, ":"); ok {
		for _, value := range termValues(name) {
			found = append(found, minus+name+":"+value)
		}
		return found, noFiles
	}
	if !negated && !slices.ContainsFunc(rest, func(arg string) bool { return namesRecord(arg, true) }) {
		if found, does = f.recordNames(typed); len(found) > 0 && typed != "" {
			return found, does // no term begins like one
		}
	}
	for _, name := range query.Names {
		if strings.HasPrefix(name, term) {
			found = append(found, minus+name+":")
		}
	}
	return found, noFiles | cobra.ShellCompDirectiveNoSpace
}

// valued returns the flag whose value is being typed, and what is typed of that; nil
// if there is none.
func valued(flags *pflag.FlagSet, args []string, typed string) (flag *pflag.Flag, value string) {
	name, value, found := strings.Cut(typed, "=")
	if !strings.HasPrefix(name, "--") || !found {
		name, value = slices.Concat([]string{""}, args)[len(args)], typed
	}
	switch {
	case strings.HasPrefix(name, "--"):
		flag = flags.Lookup(name[2:])
	case len(name) == 2 && name[0] == '-':
		flag = flags.ShorthandLookup(name[1:])
	}
	if flag == nil || flag.NoOptDefVal != "" {
		return nil, ""
	}
	return flag, value
}

// termValues are those of a term: of a method and an update, what the protocol has.
func termValues(name string) []string {
	known := map[string]bool{}
	for _, version := range schema.Load() {
		for _, schema := range []*schema.Schema{version.Stable, version.Unstable} {
			switch name {
			case "method":
				for method := range schema.Methods {
					known[method] = true
				}
			case "update":
				addUpdates(known, schema.Rules["SessionUpdate"])
			}
		}
	}
	return slices.Concat(query.Values[name], slices.Sorted(maps.Keys(known)))
}

// addUpdates adds the kinds of update that a rule has.
func addUpdates(known map[string]bool, r *schema.Rule) {
	if r == nil {
		return
	}
	if kind := r.Properties["sessionUpdate"]; kind != nil {
		for _, value := range kind.Enum {
			if text, ok := value.(string); ok {
				known[text] = true
			}
		}
	}
	for _, alternative := range slices.Concat(r.All, r.Any, r.One) {
		addUpdates(known, alternative)
	}
}
