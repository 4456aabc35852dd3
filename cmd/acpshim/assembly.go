package main

import (
	"acpshim/filters"
	"acpshim/filters/rule"
	"acpshim/internal/config"
	"acpshim/internal/imagefile"
	"acpshim/internal/logging"
	"acpshim/internal/relay"
	"acpshim/internal/terminal"

	"github.com/rs/zerolog"
)

// assemble makes the chain of a configuration, which logs what happens.
func assemble(c config.Config, known names, log zerolog.Logger) *relay.Relay {
	return relay.New(c, relayOptions(known, log))
}

func relayOptions(known names, log zerolog.Logger) relay.Options {
	return relay.Options{ClientName: known.client, AgentName: known.agent, Events: relay.Events{
		Plans:   logEvents(log),
		Rules:   logRules(log),
		Unread:  logUnread(log),
		Evicted: logEvicted(log),
		Junk:    func(policy filters.JunkPolicy, line []byte, n int) { logJunk(log, policy, line, n) },
		Answered: func(rule, option, title string) {
			log.Info().Str("rule", rule).Str("answer", option).Str("title", terminal.Plain(title, 200)).Msg("a permission request was answered by a rule")
		},
		Panicked: func(reason any, stack []byte) {
			log.Error().Interface("reason", reason).Bytes("stack", stack).
				Msg("a mistake in acpshim, please report it: part of the translation is off from now on, messages go on")
		},
		Files: logging.Files(log),
		GaveUp: func() {
			log.Warn().Msg("the client offers to read files and does not answer: plan files are read from the disk from now on")
		},
	}}
}

// logHits logs which rules matched and how often.
func logHits(log zerolog.Logger, hits []rule.Hit) {
	matched, some := zerolog.Dict(), false
	for _, hit := range hits {
		if hit.Count > 0 {
			matched, some = matched.Int64(hit.Rule, hit.Count), true
		}
	}
	if some {
		log.Info().Dict("rules", matched).Msg("rules that matched, and how often")
	}
}

// writeImages writes images of prompts into a folder, and logs what cannot be written.
func writeImages(to *imagefile.Folder, log zerolog.Logger) func(string, []byte) (string, error) {
	return func(extension string, image []byte) (string, error) {
		path, err := to.Write(extension, image)
		if err != nil {
			log.Warn().Err(err).Msg("an image stays in a prompt to an agent that takes none")
		}
		return path, err
	}
}
