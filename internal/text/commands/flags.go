package commands

import (
	"cmp"
	"fmt"
	"strings"

	"acpshim/internal/text/spelling"

	"github.com/spf13/pflag"
)

// ReadFlags sets the known flags, and returns the other arguments: those before --, and those after
// it.
func ReadFlags(flags *pflag.FlagSet, args []string) (rest, after []string, err error) {
	var given []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		var flag *pflag.Flag
		switch {
		case arg == "--":
			return rest, args[i+1:], flags.Parse(given)
		case strings.HasPrefix(arg, "--"):
			name, _, _ := strings.Cut(arg[2:], "=")
			flag = flags.Lookup(name)
		case isShort(arg):
			flag = flags.ShorthandLookup(arg[1:2])
			if flag == nil || strings.Trim(arg[2:], "0123456789") != "" {
				near := NearFlag(flags, arg[1:]) + " write -- before a text that begins with -"
				return rest, nil, fmt.Errorf("unknown flag: %s (%s)", arg, strings.TrimSpace(near))
			}
		default:
			rest = append(rest, arg)
			continue
		}
		given = append(given, arg)
		isAlone := len(arg) == 2 || arg[1] == '-' && !strings.Contains(arg, "=") // its value is not in it
		if flag != nil && flag.NoOptDefVal == "" && isAlone && i+1 < len(args) {
			i++
			given = append(given, args[i])
		}
	}
	return rest, nil, flags.Parse(given)
}

// isShort reports whether an argument is a dash and a word, like a short flag. A term of a filter
// has other characters.
func isShort(arg string) bool {
	word, ok := strings.CutPrefix(arg, "-")
	return ok && word != "" && strings.Trim(strings.ToLower(word), "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// NearFlag returns a question with the flag that a word begins or misspells, or "".
func NearFlag(flags *pflag.FlagSet, word string) string {
	var names []string
	begun := ""
	flags.VisitAll(func(f *pflag.Flag) {
		names = append(names, f.Name)
		if begun == "" && len(word) > 1 && strings.HasPrefix(f.Name, word) {
			begun = f.Name
		}
	})
	if near := cmp.Or(begun, spelling.Nearest(word, names)); near != "" {
		return fmt.Sprintf("did you mean --%s?", near)
	}
	return ""
}
