package logging

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"acpshim/filters"
	"acpshim/filters/rule"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
	"acpshim/internal/run/relay"
	"acpshim/translate/plans"

	"github.com/rs/zerolog"
)

// Events returns events that log what happens in a relay.
func Events(log zerolog.Logger) relay.Events {
	var without hider
	return relay.Events{
		Plans:  ofPlans(log),
		Rules:  ofRules(log),
		Unread: unread(log),
		Evicted: func(what string) {
			log.Warn().Str("first", what).Msg("a limit of memory is reached (limits.state_bytes, or the number given here): the least recently used is forgotten")
		},
		Junk: func(policy filters.JunkPolicy, line []byte, n int) {
			if n == 1 {
				junk(log, policy, without.text(string(line[:min(len(line), longest)])))
			}
		},
		Answered: func(rule, option, title string) {
			log.Info().Str("rule", rule).Str("answer", option).Str("title", without.beginning(title, 200)).Msg("a permission rule responded to a request")
		},
		Panicked: func(reason any, stack []byte) {
			log.Error().Interface("reason", reason).Bytes("stack", stack).
				Msg("a bug in acpshim, please report it: one adapter is off from now on, messages are still forwarded")
		},
		Files: Files(log),
		Bridged: func(client, agent int) {
			log.Info().Int("client", client).Int("agent", agent).Msg("the client and the agent speak different versions of the protocol, and acpshim translates")
		},
		WithoutMCP: func(refusal string) {
			log.Warn().Str("error", without.beginning(refusal, 200)).Msg("the agent refuses MCP servers, so the session is opened without them (repair.mcp_refused)")
		},
		NoLogin: func() {
			log.Warn().Msg("the agent does not know authenticate, so the client gets a result: if a login is missing, the next session is refused (repair.authenticate)")
		},
		Silent: func(session string, wait time.Duration, isCancelled bool) {
			text := "the agent sends nothing in a turn (deadline.silence)"
			if isCancelled {
				text += ", so the turn is cancelled (deadline.cancel)"
			}
			log.Warn().Str("session", session).Stringer("for", wait).Msg(text)
		},
		GaveUp: func() {
			log.Warn().Msg("the client offers to read files but does not respond: plan files are now read from the disk")
		},
	}
}

func ofPlans(log zerolog.Logger) plans.Events {
	warn := func(text string) func(session string, err error) {
		return func(session string, err error) { log.Warn().Str("session", session).Err(err).Msg(text) }
	}
	return plans.Events{
		Negotiated: func(n plans.Negotiation) {
			log.Info().Str("client", describe(n.Client)).Str("agent", describe(n.Agent)).Int("protocol", n.Version).
				Msg("negotiated; " + follows(n))
		},
		Unreadable: warn("a plan file could not be read, so its last text or its name is shown"),
		Flawed:     warn("a plan in JSON has mistakes, and is shown as far as possible"),
		Dropped:    warn("dropped a plan update that no client can read"),
	}
}

// follows says what acpshim does with plans after a negotiation.
func follows(n plans.Negotiation) string {
	switch {
	case n.Version < 0:
		return "plan updates pass unchanged, because the agent does not say which version of the protocol it speaks"
	case n.Version != 1:
		return fmt.Sprintf("plan updates pass unchanged, because the agent speaks version %d of the protocol", n.Version)
	case n.Bridged:
		return "the client knows plan updates and gets them in both spellings"
	case !n.Old:
		return "plan updates pass unchanged, because the client knows them"
	}
	text := "plan updates become the legacy plan"
	switch n.ShowAs {
	case plans.AsMessage:
		text = "plan updates become messages"
	case plans.AsThought:
		text = "plan updates become thoughts"
	case plans.AsNothing:
		text = "plan updates are dropped"
	}
	if n.Advertised {
		text += ", and plan support was announced to the agent"
	}
	return text
}

func describe(i conversation.Implementation) string {
	if i.Name == "" {
		return "unnamed"
	}
	return strings.TrimSpace(i.Name + " " + i.Version)
}

// unread logs each reason for an unreadable line once.
func unread(log zerolog.Logger) func(err error) {
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
			log.Warn().Err(err).Msg("forwarding a line unchanged that cannot be parsed; others are not logged")
		})
	}
}

// junk logs a line that is not a message. It has no secrets any more.
func junk(log zerolog.Logger, policy filters.JunkPolicy, line string) {
	does := map[filters.JunkPolicy]string{filters.JunkPass: "is forwarded", filters.JunkStderr: "is moved to standard error", filters.JunkDrop: "is dropped"}[policy]
	event := log.Warn().Str("line", strings.ToValidUTF8(strings.TrimSpace(line[:min(len(line), 80)]), "?"))
	if hint := filters.JunkHint([]byte(line)); hint != "" {
		event = event.Str("hint", hint)
	}
	event.Msg("a line on the agent's standard output is not a message; it " + does + ", like later ones")
}

// maxLogged is the number of bytes of a message that a rule logs.
const maxLogged = 4 << 10

func ofRules(log zerolog.Logger) rule.Events {
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
			log.Warn().Str("rule", name).Err(err).Msg("a rule failed, so the message passed unchanged; later failures are not logged")
		},
		OtherVersion: func(name string, version int) {
			log.Info().Str("rule", name).Int("protocol", version).Msg("a rule is for another version of the protocol")
		},
		ReleasedEarly: func(messages int) {
			log.Warn().Int("messages", messages).Msg("too many messages wait for the response that opens their session: these are forwarded before it")
		},
		Unread: func(err error) {
			unread.Do(func() {
				log.Warn().Err(err).Msg("no rule applies to a line that cannot be parsed; others are not logged")
			})
		},
	}
}

// Hits logs which rules matched, and how often.
func Hits(log zerolog.Logger, hits []rule.Hit) {
	matched, some := zerolog.Dict(), false
	for _, hit := range hits {
		if hit.Count > 0 {
			matched, some = matched.Int64(hit.Rule, hit.Count), true
		}
	}
	if some {
		log.Info().Dict("rules", matched).Msg("how often each rule matched")
	}
}
