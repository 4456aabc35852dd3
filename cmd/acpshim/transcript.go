package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"acpshim/internal/record"
	"acpshim/internal/run/folder"
	"acpshim/internal/run/planfile"
	"acpshim/internal/run/relay"
	"acpshim/internal/run/transcript"
	"acpshim/internal/setup/config"
	"acpshim/translate/plans"

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
func transcriptChain(c config.Config, log zerolog.Logger, events func(*relay.Events)) transcript.Chain {
	files, isBusy := map[string]string{}, map[string]bool{}
	o := relayOptions(peers{}, log)
	if events != nil {
		events(&o.Events)
	}
	o.ReadFile = func(uri string, _ []string) (string, error) {
		path, err := planfile.Path(uri)
		if err != nil {
			return "", err
		}
		text, ok := files[path]
		switch {
		case isBusy[path]:
			return "", plans.ErrBusy
		case ok:
			return text, nil
		}
		return "", fmt.Errorf("%q: %w", path, os.ErrNotExist)
	}
	o.Disk = folder.Files(files)
	o.OwnID = "acpshim-"
	images := 0
	o.WriteImage = func(extension string, _ []byte) (string, error) {
		images++
		return fmt.Sprintf("/tmp/acpshim/image-%d%s", images, extension), nil
	}
	o.StartCommand = transcript.Echo
	o.Aside = func([]byte) {}
	chain := relay.New(c, o)
	options := chain.Options()
	return transcript.Chain{
		FromClient: options.FromClient,
		FromAgent:  options.FromAgent,
		Write: func(f record.File) []byte {
			if isBusy[f.Path] = f.Busy; f.Busy {
				return nil
			}
			if files[f.Path] = f.Text; !f.Noticed {
				return nil
			}
			return chain.FileRead(f.Path, f.Text)
		},
		End: func(failure []byte) { chain.End(relay.EndingOf(failure)) },
	}
}
