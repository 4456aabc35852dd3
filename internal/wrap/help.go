package wrap

import (
	"slices"
	"strings"
)

// Help describes [Machine.Wrap] for people.
func Help() string {
	var editors []string
	for row := range slices.Chunk(Editors(), 7) {
		editors = append(editors, "  "+strings.Join(row, ", "))
	}
	return `Change the entry NAME in an editor's settings so that its agent starts through
acpshim. Everything else stays as it is. "acpshim unwrap" undoes this. With
COMMAND a new entry is added. Paths become absolute, because editors often have
another PATH than your shell. Run it again to update them. For an editor that is
configured in code, the code to add is printed. Editors:
` + strings.Join(editors, ",\n")
}

// UnwrapHelp describes [Machine.Unwrap] for people.
const UnwrapHelp = `Undo "acpshim wrap" for the entry NAME of an editor: restore the original
entry, or if it has changed since, only remove acpshim from its command. An
entry that wrap added is deleted, unless it has changed since.`
