package transcript

import (
	"os/exec"
	"strings"

	"acpshim/translate/terminals"
)

// Echo stands in place of the machine where commands are run: there is one program, "echo", which
// writes its arguments and ends at once.
func Echo(c terminals.Command, e terminals.Events) {
	if c.Name != "echo" {
		e.Started(nil, &exec.Error{Name: c.Name, Err: exec.ErrNotFound})
		return
	}
	e.Started(echoed(strings.Join(c.Args, " ")+"\n"), nil)
	e.Ended(terminals.Exit{})
}

// echoed is what echo wrote.
type echoed string

// Output implements terminals.Process.
func (p echoed) Output(n int) (text string, truncated bool) {
	return string(p[max(0, len(p)-n):]), n < len(p)
}

// End implements terminals.Process.
func (echoed) End() {}
