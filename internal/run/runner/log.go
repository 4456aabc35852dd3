package runner

import (
	"acpshim/internal/adapters/terminals"
	"acpshim/internal/run/recording"
	"acpshim/internal/setup/config"

	"github.com/rs/zerolog"
)

// ForRun returns the Runner of a run. It logs commands without secrets and without their
// environment.
func ForRun(c config.Config, log zerolog.Logger) *Runner {
	return New(Options{Grace: c.Shutdown.TermGrace, Drain: c.Shutdown.Drain, Began: func(asked terminals.Command, err error) {
		line, what := []string{"(not shown)"}, "running a command for the agent"
		if r, failure := recording.NewRedactor(c, false); failure == nil {
			line = r.Args(append([]string{asked.Name}, asked.Args...))
		}
		if err != nil {
			what = "a command of the agent could not be started"
		}
		log.Info().Err(err).Strs("command", line).Str("session", asked.Session).Str("folder", asked.Dir).Msg(what)
	}})
}
