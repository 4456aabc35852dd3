package logging

import (
	"errors"

	"acpshim/internal/adapters/files"
	"acpshim/internal/text/terminal"

	"github.com/rs/zerolog"
)

// longest is the number of columns of a path that are logged, and of another text that are searched
// for secrets. Most systems allow no longer path.
const longest = 4096

// Files returns a function that logs what acpshim does with files for an agent. It logs writes as
// info, files outside of the session's folders as warnings, and the rest as debug messages.
func Files(log zerolog.Logger) func(r files.Request, err error) {
	var without hider
	return func(r files.Request, err error) {
		what, e := "acpshim read a file for the agent", log.Debug()
		switch {
		case errors.Is(err, files.ErrOutside):
			what, e = "the agent asked for a file outside of the session's folders", log.Warn()
		case err != nil && r.IsWrite:
			what, e = "acpshim could not write a file for the agent", log.Info()
		case err != nil:
			what = "acpshim could not read a file for the agent"
		case r.IsWrite:
			what, e = "acpshim wrote a file for the agent", log.Info().Int("bytes", len(r.Text))
		}
		e.Str("session", terminal.Plain(r.Session, 200)).Str("path", without.text(terminal.Cut(r.Path, longest))).Err(without.err(err)).Msg(what)
	}
}
