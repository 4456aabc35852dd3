package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"acpshim/history/query"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// takeFilter makes c a command of the form [RECORD] [FILTER...], in any order. A
// negated term looks like flags, so cobra does not parse them.
func takeFilter(c *cobra.Command, run func(record string, q query.Query) error) {
	c.Args = cobra.ArbitraryArgs
	c.DisableFlagsInUseLine = true
	c.DisableFlagParsing = true
	c.Flags().SortFlags = false
	c.Flags().BoolP("help", "h", false, "print this")
	c.ValidArgsFunction = completeFilter
	c.RunE = func(c *cobra.Command, args []string) error {
		hint := fmt.Sprintf("%q shows how it is used", c.CommandPath()+" -h")
		rest, err := readFlags(c.Flags(), args)
		if err != nil {
			return &exit{exitUsage, err, hint}
		}
		if help, _ := c.Flags().GetBool("help"); help {
			return c.Help()
		}
		var record string
		if i := slices.IndexFunc(rest, namesRecord); i >= 0 {
			record = rest[i]
			rest = slices.Delete(rest, i, i+1)
		}
		q, err := query.Parse(query.Join(rest))
		if err != nil {
			return &exit{exitUsage, fmt.Errorf("filter: %w", err), hint}
		}
		return run(record, q)
	}
}

// readFlags sets the flags that there are, and returns the other arguments.
func readFlags(flags *pflag.FlagSet, args []string) (rest []string, err error) {
	var given []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		var flag *pflag.Flag
		switch {
		case arg == "--":
			return append(rest, args[i+1:]...), flags.Parse(given)
		case strings.HasPrefix(arg, "--"):
			name, _, _ := strings.Cut(arg[2:], "=")
			flag = flags.Lookup(name)
		case len(arg) == 2 && arg[0] == '-':
			if flag = flags.ShorthandLookup(arg[1:]); flag == nil {
				rest = append(rest, arg)
				continue
			}
		default:
			rest = append(rest, arg)
			continue
		}
		given = append(given, arg)
		if flag != nil && flag.NoOptDefVal == "" && !strings.Contains(arg, "=") && i+1 < len(args) {
			i++
			given = append(given, args[i])
		}
	}
	return rest, flags.Parse(given)
}

var dated = regexp.MustCompile(`^20\d{2,6}(T\w*)?(\.|$)`)

// namesRecord reports whether an argument is a record and no text of a filter: the
// beginning of a name, which is a date, or a file that cannot be taken for a text.
func namesRecord(arg string) bool {
	if strings.HasSuffix(arg, ".jsonl") || dated.MatchString(arg) {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && info.Mode().IsRegular() && (filepath.IsAbs(arg) || strings.HasPrefix(arg, "."))
}

// completeFilter tells what may be typed for one of [RECORD] [FILTER...]: flags and
// their values, records unless one was named, terms, and behind a name its values.
func completeFilter(c *cobra.Command, args []string, typed string) (found []string, does cobra.ShellCompDirective) {
	if flag := valued(c.Flags(), args, typed); flag != nil {
		if complete, ok := c.GetFlagCompletionFunc(flag.Name); ok {
			return complete(c, args, typed)
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
		for _, value := range query.Values[name] {
			found = append(found, minus+name+":"+value)
		}
		return found, noFiles
	}
	if !negated && !slices.ContainsFunc(args, namesRecord) {
		if found, does = recordNames(typed); len(found) > 0 && typed != "" {
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

// valued returns the flag whose value is being typed, or nil.
func valued(flags *pflag.FlagSet, args []string, typed string) (flag *pflag.Flag) {
	name, _, found := strings.Cut(typed, "=")
	if !found && len(args) > 0 {
		name = args[len(args)-1]
	}
	switch {
	case strings.HasPrefix(name, "--"):
		flag = flags.Lookup(name[2:])
	case len(name) == 2 && name[0] == '-' && !found:
		flag = flags.ShorthandLookup(name[1:])
	}
	if flag != nil && flag.NoOptDefVal != "" {
		return nil
	}
	return flag
}
