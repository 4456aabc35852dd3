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
COMMAND, it adds a new entry. Paths become absolute, because editors often have
another PATH than your shell. If a program moves, run wrap again. For an editor
that is configured in code, it needs COMMAND and prints the code to add. If an
agent never responds and the editor waits without a word, set deadline.start,
deadline.open or deadline.silence in your configuration. Editors:
` + strings.Join(editors, ",\n")
}

// UnwrapHelp describes [Machine.Unwrap] for people.
const UnwrapHelp = `Undo "acpshim wrap" for the entry NAME of an editor. It restores the original
entry, or deletes an entry that wrap had added. If the entry has changed since
then, it only removes acpshim from the command.`
