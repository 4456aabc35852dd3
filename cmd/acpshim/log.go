package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"

	"acpshim/filters"
	"acpshim/filters/rule"
	"acpshim/internal/config"
	"acpshim/internal/conversation"
	"acpshim/internal/wire"
	"acpshim/translate/plans"

	"github.com/rs/zerolog"
)

// openLog opens the file that the log goes to; nil if it goes to standard error. The
// error is an exit.
func openLog(c config.Config) (*os.File, error) {
	if c.Log.File == "" {
		return nil, nil
	}
	f, err := os.OpenFile(c.Log.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o600) // a FIFO must not hold us
	if err != nil {
		return nil, &exit{exitConfig, fmt.Errorf("the log cannot be written, the agent was not started: %w", err),
			"log.file and --log-file name a file in a folder that is there"}
	}
	return f, nil
}

// logEvents puts what happens to plans into words.
func logEvents(log zerolog.Logger) plans.Events {
	return plans.Events{
		Negotiated: func(n plans.Negotiation) { logNegotiation(log, n) },
		Unreadable: func(session string, err error) {
			log.Warn().Str("session", session).Err(err).Msg("a plan file was not read: its last text is shown, or its name")
		},
		Flawed: func(session string, err error) {
			log.Warn().Str("session", session).Err(err).Msg("a plan in JSON is not as its format has it, and is shown as far as it can be")
		},
		Dropped: func(session string, err error) {
			log.Warn().Str("session", session).Err(err).Msg("a plan update that no client understands was not forwarded")
		},
	}
}

// logEvicted says that more is to be kept than may be.
func logEvicted(log zerolog.Logger) func(what string) {
	return func(what string) {
		log.Warn().Str("first", what).Msg("more is to be kept than limits.state_bytes, or than the number given here: what was used longest ago is evicted")
	}
}

// logUnread says once for each reason that a line cannot be read.
func logUnread(log zerolog.Logger) func(err error) {
	var ambiguous, trailing, broken sync.Once
	return func(err error) {
		once := &broken
		switch {
		case errors.Is(err, wire.ErrAmbiguous):
			once = &ambiguous
		case errors.Is(err, wire.ErrTrailing):
			once = &trailing
		}
		once.Do(func() {
			log.Warn().Err(err).Msg("a line that cannot be read for certain passes as it is; others like it will, too")
		})
	}
}

// logNegotiation says in one line what was agreed and what follows from it.
func logNegotiation(log zerolog.Logger, n plans.Negotiation) {
	var does string
	switch {
	case n.Version != 1:
		does = "nothing is translated: only protocol version 1 is"
	case n.Bridged:
		does = "the client knows plan updates, and they get both spellings of capability and id"
	case !n.Old:
		does = "nothing is translated: the client knows plan updates"
	case n.Advertised:
		does = "plan updates become the legacy plan, and plan support was announced to the agent"
	default:
		does = "plan updates become the legacy plan"
	}
	log.Info().
		Str("client", describe(n.Client)).Str("agent", describe(n.Agent)).Int("protocol", n.Version).
		Msg("negotiated; " + does)
}

func describe(i conversation.Implementation) string {
	switch {
	case i.Name == "":
		return "unnamed"
	case i.Version == "":
		return i.Name
	}
	return i.Name + " " + i.Version
}

// logJunk logs the first line that is no message.
func logJunk(log zerolog.Logger, policy filters.JunkPolicy, line []byte, n int) {
	if n > 1 {
		return
	}
	does := map[filters.JunkPolicy]string{filters.JunkPass: "passes as it is", filters.JunkStderr: "is moved to standard error", filters.JunkDrop: "is left out"}[policy]
	event := log.Warn().Str("line", strings.ToValidUTF8(string(bytes.TrimSpace(line[:min(len(line), 80)])), "?"))
	if hint := filters.JunkHint(line); hint != "" {
		event = event.Str("hint", hint)
	}
	event.Msg("a line on the agent's standard output is no message; it " + does + ", like others to come")
}

// maxLogged is how much of a message a rule logs, in bytes.
const maxLogged = 4 << 10

// logRules puts what rules did into words.
func logRules(log zerolog.Logger) rule.Events {
	var unread sync.Once
	return rule.Events{
		Logged: func(name string, from rule.Side, message []byte) {
			event := log.Info().Str("rule", name).Str("from", string(from))
			if line := bytes.TrimSpace(message); len(line) <= maxLogged {
				event = event.RawJSON("line", line)
			} else {
				event = event.Str("line", fmt.Sprintf("%s ... (%d bytes)", strings.ToValidUTF8(string(line[:maxLogged]), ""), len(line)))
			}
			event.Msg("a rule logs a message")
		},
		Failed: func(name string, err error) {
			log.Warn().Str("rule", name).Err(err).Msg("a rule could not be carried out, the message passed as it was; others like it will, too")
		},
		OtherVersion: func(name string, version int) {
			log.Info().Str("rule", name).Int("protocol", version).Msg("a rule is for another version of the protocol")
		},
		ReleasedEarly: func(messages int) {
			log.Warn().Int("messages", messages).Msg("too many messages were held back for the response that opens their session: these go before it")
		},
		Unread: func(err error) {
			unread.Do(func() {
				log.Warn().Err(err).Msg("a line that cannot be read for certain meets no rule; others like it will not, either")
			})
		},
	}
}
