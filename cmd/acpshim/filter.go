package main

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/history/query"
	validation "acpshim/internal/history/validate"
	"acpshim/internal/store"

	"github.com/spf13/cobra"
)

// term is before a negated term among the arguments of "acpshim log", as that looks like flags.
const term = "\x00"

// withTerms returns arguments of commands that [takeFilter] made with term where one belongs: before
// a dash and what is more than a word, or anything if that is being completed. Negated texts stand
// behind --.
func withTerms(args []string) []string {
	first := 0
	completes := len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
	if completes {
		first = 1
	}
	if len(args) < first+2 || args[first] != "log" || !strings.Contains(" export grep show stats tail validate ", " "+args[first+1]+" ") {
		return args
	}
	args = slices.Clone(args)
	for i, arg := range args {
		word, dashed := strings.CutPrefix(arg, "-")
		isWord := strings.Trim(strings.ToLower(word), "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
		switch {
		case arg == "--":
			return args
		case dashed && !strings.HasPrefix(word, "-") && (!isWord || completes && i == len(args)-1):
			args[i] = term + arg
		}
	}
	return args
}

// takeFilter makes c a command of the form [RECORD] [FILTER...], in any order, with
// the flags of f.
func takeFilter(c *cobra.Command, f *finder, run func(record string, q query.Query) error) {
	c.Args = cobra.ArbitraryArgs
	c.Annotations = map[string]string{"hint": `a text to leave out stands behind --; "acpshim help filters" shows how filters are written`}
	f.addLayers(c)
	c.ValidArgsFunction = f.completeFilter
	c.RunE = func(c *cobra.Command, rest []string) error {
		for i, arg := range rest {
			rest[i] = strings.TrimPrefix(arg, term)
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

// completeFilter completes what may be typed for one of [RECORD] [FILTER...]: records unless one
// was named, terms, and behind a name its values.
func (f *finder) completeFilter(_ *cobra.Command, args []string, typed string) (found []string, does cobra.ShellCompDirective) {
	word, negated := strings.CutPrefix(strings.TrimPrefix(typed, term), "-")
	minus := ""
	if negated {
		minus = "-"
	}
	if name, _, ok := strings.Cut(word, ":"); ok {
		for _, value := range slices.Concat(query.Values[name], validation.Values(name)) {
			found = append(found, minus+name+":"+value)
		}
		return found, noFiles
	}
	if !negated && !slices.ContainsFunc(args, func(arg string) bool { return store.IsName(arg, true) }) {
		if found, does = f.recordNames(typed); len(found) > 0 && typed != "" {
			return found, does // no term begins like one
		}
	}
	for _, name := range query.Names {
		if strings.HasPrefix(name, word) {
			found = append(found, minus+name+":")
		}
	}
	return found, noFiles | cobra.ShellCompDirectiveNoSpace
}
