package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"acpshim/internal/history/query"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// takeFilter makes c a command of the form [RECORD] [FILTER...], in any order, with
// the flags of f. A negated term looks like flags, so cobra does not parse them.
func takeFilter(c *cobra.Command, f *finder, run func(record string, q query.Query) error) {
	c.Args = cobra.ArbitraryArgs
	c.DisableFlagsInUseLine = true
	c.DisableFlagParsing = true
	addHelp(c)
	f.addLayers(c)
	c.ValidArgsFunction = f.completeFilter
	c.RunE = func(c *cobra.Command, args []string) error {
		rest, err := readFlags(c.Flags(), args)
		if err != nil {
			return c.FlagErrorFunc()(c, err)
		}
		if help, _ := c.Flags().GetBool("help"); help {
			return c.Help()
		}
		var record string
		if i := slices.IndexFunc(rest, func(arg string) bool { return namesRecord(arg, c.Name() == "grep") }); i >= 0 {
			record = rest[i]
			rest = slices.Delete(rest, i, i+1)
		}
		if i := slices.IndexFunc(rest, func(arg string) bool { return namesRecord(arg, true) }); i >= 0 && record != "" {
			return wrongArguments(c, "want one RECORD, not %q and %q", record, rest[i])
		}
		q, err := query.Parse(query.Join(rest))
		if err != nil {
			return wrongUsage(c, fmt.Errorf("filter: %w", err))
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
// beginning of a name, which is a date, or a path. Where texts are looked for, a
// path or a date with dashes has to be that of a file.
func namesRecord(arg string, texts bool) bool {
	if strings.HasSuffix(arg, ".jsonl") || dated.MatchString(arg) {
		return true
	}
	isPath := filepath.IsAbs(arg) || strings.HasPrefix(arg, ".") || strings.ContainsRune(arg, filepath.Separator) && isFolder(filepath.Dir(arg))
	if info, err := os.Stat(arg); err == nil && !info.IsDir() {
		return isPath
	}
	return !texts && (dashed.MatchString(arg) || strings.Contains(arg, ".jsonl") || isPath && strings.ContainsRune(arg, filepath.Separator))
}
