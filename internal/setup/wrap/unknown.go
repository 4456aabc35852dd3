package wrap

import (
	"fmt"
	"strings"

	"acpshim/internal/setup/editor"
	"acpshim/internal/text/spelling"
)

// An Unknown is the error for an unknown name.
type Unknown struct {
	What  string // editor or entry
	Name  string
	Where string   // the file; "" for an editor
	Names []string // the known ones
	Add   string   // the command line that adds an entry of that name, or ""
}

func (u *Unknown) Error() string {
	if u.Where != "" {
		return fmt.Sprintf("%s: no %s %q", u.Where, u.What, u.Name)
	}
	return fmt.Sprintf("no %s %q", u.What, u.Name)
}

// Hint returns the nearest name, all names, and how to add the name.
func (u *Unknown) Hint() string {
	hint := spelling.DidYouMean(u.Name, u.Names)
	if len(u.Names) > 0 {
		hint += " the names are " + strings.Join(u.Names, ", ")
	}
	if u.Add != "" {
		hint += fmt.Sprintf("; to add it, run %q", u.Add)
	}
	return strings.TrimLeft(hint, "; ")
}

// Status returns the exit status. An unknown editor is wrong usage.
func (u *Unknown) Status() int {
	if u.What == "editor" {
		return 2
	}
	return 1
}

// find returns the editor of that name.
func find(name string) (editor.Editor, error) {
	for _, e := range editor.All() {
		if e.Name == name {
			return e, nil
		}
	}
	return editor.Editor{}, &Unknown{What: "editor", Name: name, Names: Editors()}
}

// Editors returns the names of the known editors.
func Editors() (names []string) {
	for _, e := range editor.All() {
		names = append(names, e.Name)
	}
	return names
}
