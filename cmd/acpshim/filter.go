package main

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/log/query"
	validation "acpshim/internal/log/validate"
	"acpshim/internal/text/commands"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// takeFilter gives c the arguments [FILTER...] and the flags of f. Cobra does not parse the flags,
// because a negated term looks like one.
func takeFilter(c *cobra.Command, f *finder, run func(q query.Query) error) {
	c.Args = cobra.ArbitraryArgs
	c.DisableFlagParsing = true
	f.addRun(c)
	c.ValidArgsFunction = f.completeFilter
	c.RunE = func(c *cobra.Command, args []string) error {
		rest, texts, err := commands.ReadFlags(c.Flags(), args)
		if err != nil {
			return c.FlagErrorFunc()(c, err)
		}
		if help, _ := c.Flags().GetBool("help"); help {
			return c.Help()
		}
		if f.numbers != nil {
			rest = f.numbers.Take(rest)
		}
		q, err := query.Parse(query.Join(append(rest, query.Texts(texts)...)))
		if err != nil {
			return &exit{exitUsage, fmt.Errorf("filter: %w", err), `"acpshim help filters" explains filters`}
		}
		return run(q)
	}
}

// completeFilter completes flags and their values, terms, and the values of terms.
func (f *finder) completeFilter(c *cobra.Command, args []string, typed string) (found []string, does cobra.ShellCompDirective) {
	rest, _, _ := commands.ReadFlags(c.Flags(), args) // sets the folder of records; the last flag may lack its value
	if flag, value := valued(c.Flags(), args, typed); flag != nil {
		if complete, ok := c.GetFlagCompletionFunc(flag.Name); ok {
			return complete(c, rest, value)
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	if strings.HasPrefix(typed, "--") {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				found = append(found, "--"+f.Name+"\t"+f.Usage)
			}
		})
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
	for _, name := range query.Names {
		if strings.HasPrefix(name, term) {
			found = append(found, minus+name+":")
		}
	}
	return found, noFiles | cobra.ShellCompDirectiveNoSpace
}

// valued returns the flag whose value is being typed, and the typed part of the value. The flag is
// nil if no value is being typed.
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
