package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/run/folder"
	"acpshim/internal/run/relay"
	"acpshim/internal/run/transcript"
	"acpshim/internal/setup/config"

	"github.com/rs/zerolog"
	"golang.org/x/tools/txtar"
)

// transcriptConfig returns base with the keys that a transcript overrides. Name is the name of its
// file, for messages.
func transcriptConfig(base config.Config, name string, a *txtar.Archive) (config.Config, error) {
	lines := bytes.Count(a.Comment, []byte("\n"))
	for _, f := range a.Files {
		lines++
		if f.Name == transcript.Config {
			// Empty lines before it make the lines of mistakes those of the file.
			return config.Parse(base, name, strings.Repeat("\n", lines)+string(f.Data))
		}
		lines += bytes.Count(f.Data, []byte("\n"))
	}
	return base, nil
}

// loadFor returns the configuration of a conversation: the defaults, the flags, and its own
// section. Without a section it returns the configuration of a run.
func (f flags) loadFor(name string, a *txtar.Archive) (config.Config, error) {
	if !slices.ContainsFunc(a.Files, func(f txtar.File) bool { return f.Name == transcript.Config }) {
		return f.load()
	}
	base, err := f.loadLayers(true)
	if err != nil {
		return base, err
	}
	return transcriptConfig(base, name, a)
}

// transcriptChain returns the chain of a run with the files of a transcript instead of the
// machine's, and without processes. Events may set events, or be nil.
func transcriptChain(c config.Config, log zerolog.Logger, events func(*relay.Events)) *relay.Offline {
	texts, images := folder.Files{}, 0
	o := relayOptions(peers{}, log)
	if events != nil {
		events(&o.Events)
	}
	o.Disk = texts
	o.OwnID = "acpshim-"
	o.WriteImage = func(extension string, _ []byte) (string, error) {
		images++
		return fmt.Sprintf("/tmp/acpshim/image-%d%s", images, extension), nil
	}
	o.StartCommand = transcript.Echo
	chain := relay.NewOffline(c, o, texts)
	chain.Limit = 1 << 20
	return chain
}
