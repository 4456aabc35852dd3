package commands

import (
	"cmp"
	"fmt"
	"strings"

	"acpshim/internal/config"

	"github.com/spf13/pflag"
)

// NearFlag asks for the flag that a word begins or misspells; "" if there is none.
func NearFlag(flags *pflag.FlagSet, word string) string {
	var names []string
	begun := ""
	flags.VisitAll(func(f *pflag.Flag) {
		names = append(names, f.Name)
		if begun == "" && len(word) > 1 && strings.HasPrefix(f.Name, word) {
			begun = f.Name
		}
	})
	if near := cmp.Or(begun, config.Nearest(word, names)); near != "" {
		return fmt.Sprintf("did you mean --%s?", near)
	}
	return ""
}
