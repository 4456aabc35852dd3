package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"acpshim"
	"acpshim/config"
	"acpshim/filters"
	"acpshim/internal/transcript"
	"acpshim/planfile"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the outputs of testdata as they come now")

// TestTranscripts plays testdata/transcripts/*.txtar through the chain that the
// command assembles.
func TestTranscripts(t *testing.T) {
	paths, _ := filepath.Glob("../../testdata/transcripts/*.txtar")
	if len(paths) == 0 {
		t.Fatal("no transcripts")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			went, err := transcript.Play(a, chainOf(t, a))
			if err != nil {
				t.Fatal(err)
			}
			got := txtar.Format(went)
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(txtar.Format(a)), string(got)); diff != "" && !*update {
				t.Errorf("the conversation went otherwise (-file +now); \"go test ./cmd/acpshim -update\" takes it over:\n%s", diff)
			}
		})
	}
}

// chainOf assembles the chain as a transcript wants it, with its files in
// place of the machine's.
func chainOf(t *testing.T, a *txtar.Archive) transcript.Chain {
	t.Helper()
	c := config.Default(acpshim.DefaultConfig)
	for _, f := range a.Files {
		if f.Name == transcript.Config {
			var err error
			if c, err = config.Parse(c, f.Name, string(f.Data)); err != nil {
				t.Fatal(err)
			}
		}
	}
	log := zerolog.New(zerolog.NewTestWriter(t))
	files := map[string]string{}
	assembly := assemble(c, "", log)
	options := assembly.filterOptions()
	options.ReadFile = func(uri string, _ []string) (string, error) {
		path, err := planfile.Path(uri)
		if err != nil {
			return "", err
		}
		if text, ok := files[path]; ok {
			return text, nil
		}
		return "", fmt.Errorf("%q: %w", path, os.ErrNotExist)
	}
	conversation := filters.New(options)
	write := func(path, text string) (lines []byte) {
		files[path] = text
		for _, f := range conversation.Files() {
			if of, err := planfile.Path(f.URI); err == nil && of == path {
				lines = conversation.FileRead(lines, f, text, nil)
			}
		}
		return lines
	}
	return transcript.Chain{FromClient: assembly.rules.FromClient(conversation.FromClient()), FromAgent: assembly.rules.FromAgent(conversation.FromAgent()), Write: write}
}
