package wrap

import "strings"

// Help describes [Machine.Wrap] for people.
func Help() string {
	return `Have acpshim run the agent NAME of an editor, by changing its entry in the editor's
settings in place. All else stays as it is, and "acpshim unwrap" undoes it. With a COMMAND
an entry is added. Paths become absolute, as editors often have another PATH than a shell.
Wrapping again brings them up to date. For an editor that is configured in code, the code is
printed. "acpshim wrap --list" lists what there is. Editors:
  ` + strings.Join(Editors()[:8], ", ") + ",\n  " + strings.Join(Editors()[8:], ", ")
}

// UnwrapHelp describes [Machine.Unwrap] for people.
const UnwrapHelp = `Undo what "acpshim wrap" did to the entry NAME of an editor. It is what it was before, or if
it has changed since, acpshim is taken out of its command. An entry that was added is removed,
unless it has changed since.`
