package main

import (
	"os"
	"strings"
	"time"

	"acpshim/internal/run/recording"
	"acpshim/internal/setup/config"
	"acpshim/internal/system/process"
	"acpshim/internal/text/terminal"
	"acpshim/proxy"

	"github.com/rs/zerolog"
)

// An agentStderr is the standard error of the agent, of which acpshim knows the end, because it
// often says why the agent ended.
type agentStderr struct {
	pipe *process.Stderr // nil if acpshim does not see what the agent writes
}

// teeStderr sets the agent's standard error in options: a pipe to this process's standard error and
// to the record. Without a record, a terminal stays what it is, because the agent may draw on it.
// The error is that of a required record.
func teeStderr(options *proxy.Options, recorded *recording.Recording, log zerolog.Logger) (*agentStderr, error) {
	options.Stderr = os.Stderr
	if recorded == nil && terminal.IsTerminal(os.Stderr) {
		return &agentStderr{}, nil
	}
	pipe, err := process.NewStderr(recorded.Stderr(), os.Stderr)
	if err != nil {
		log.Debug().Err(err).Msg("acpshim does not see the agent's standard error")
		return &agentStderr{}, recorded.LostStderr(err)
	}
	options.Stderr = pipe.File
	return &agentStderr{pipe}, nil
}

// giveWay closes the pipe if the agent could not be started because too many files are open, and
// reports whether it did.
func (s *agentStderr) giveWay(options *proxy.Options, recorded *recording.Recording, err error) bool {
	if s.pipe == nil || !recording.TooManyFiles(err) || recorded.LostStderr(err) != nil {
		return false
	}
	s.drain(0)
	options.Stderr, s.pipe = os.Stderr, nil
	return true
}

// drain waits for the rest, when the agent has ended.
func (s *agentStderr) drain(within time.Duration) {
	if s.pipe != nil {
		s.pipe.Drain(within)
	}
}

// lastLines returns the last lines that the agent wrote, for people.
func (s *agentStderr) lastLines() []string {
	if s.pipe == nil {
		return nil
	}
	return terminal.LastLines(s.pipe.Tail(), 5, 200)
}

// restWait is how long an error waits for what an agent that has ended wrote to its standard error.
const restWait = 200 * time.Millisecond

// end returns the end of what the agent wrote, without secrets: whole lines of at most maxStderr
// bytes, or the end of the last line. If the agent has ended, it waits for the rest.
func (s *agentStderr) end(c config.Config, hasEnded bool) string {
	if s == nil || s.pipe == nil {
		return ""
	}
	if hasEnded {
		s.pipe.Await(restWait)
	}
	text := strings.TrimSpace(s.pipe.Tail())
	if text == "" {
		return ""
	}
	redactor, err := recording.NewRedactor(c, false)
	if err != nil {
		return ""
	}
	return endOf(strings.ToValidUTF8(string(redactor.Redact(nil, []byte(text))), "\ufffd"))
}

// endOf returns the last lines of a text, or the end of its last line if that is too long.
func endOf(text string) string {
	if len(text) <= maxStderr {
		return text
	}
	end := text[len(text)-maxStderr:]
	if _, lines, isWhole := strings.Cut(end, "\n"); isWhole {
		return lines
	}
	return strings.ToValidUTF8(end, "")
}

// maxStderr is the longest end of standard error in an error, in bytes.
const maxStderr = 4 << 10
