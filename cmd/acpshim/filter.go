package main

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/commands"
	"acpshim/internal/history/query"
	validation "acpshim/internal/history/validate"
	"acpshim/internal/store"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// takeFilter makes c a command of the form [RECORD] [FILTER...], in any order, with
// the flags of f. A negated term looks like flags, so cobra does not parse them.
func takeFilter(c *cobra.Command, f *finder, run func(record string, q query.Query) error) {
	c.Args = cobra.ArbitraryArgs
	c.DisableFlagParsing = true
	f.addLayers(c)
	c.ValidArgsFunction = f.completeFilter
	c.RunE = func(c *cobra.Command, args []string) error {
		rest, err := commands.ReadFlags(c.Flags(), args)
		if err != nil {
			return c.FlagErrorFunc()(c, err)
		}
		if help, _ := c.Flags().GetBool("help"); help {
			return c.Help()
		}
		if f.numbers != nil {
			rest = f.numbers.Take(rest)
		}
		var record string
		if i := slices.IndexFunc(rest, func(arg string) bool { return store.IsName(arg, c.Name() == "grep") }); i >= 0 {
			record = rest[i]
			rest = slices.Delete(rest, i, i+1)
		}
		if i := slices.IndexFunc(rest, func(arg string) bool { return store.IsName(arg, true) }); i >= 0 && record != "" {
			return wrongArguments(c, "want one RECORD, not %q and %q", record, rest[i])
		}
		q, err := query.Parse(query.Join(rest))
		if err != nil {
			return &exit{exitUsage, fmt.Errorf("filter: %w", err), `"acpshim help filters" shows how they are written`}
		}
		return run(record, q)
	}
}

// completeFilter completes what may be typed for one of [RECORD] [FILTER...]: flags and
// their values, records unless one was named, terms, and behind a name its values.
func (f *finder) completeFilter(c *cobra.Command, args []string, typed string) (found []string, does cobra.ShellCompDirective) {
	rest, _ := commands.ReadFlags(c.Flags(), args) // where records are; the last one may have no value yet
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
		for _, value := range slices.Concat(query.Values[name], validation.Values(name)) {
			found = append(found, minus+name+":"+value)
		}
		return found, noFiles
	}
	if !negated && !slices.ContainsFunc(rest, func(arg string) bool { return store.IsName(arg, true) }) {
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
