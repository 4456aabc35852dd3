package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"acpshim/internal/run/relay"
	"acpshim/internal/run/transcript"
	"acpshim/internal/setup/config"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the outputs of testdata as they come now")

// TestTranscripts plays testdata/transcripts/*.txtar and testdata/rules/*.txtar through the chain
// that the
// command assembles.
func TestTranscripts(t *testing.T) {
	paths, _ := filepath.Glob("../../testdata/transcripts/*.txtar")
	rules, _ := filepath.Glob("../../testdata/rules/*.txtar")
	if len(paths) == 0 || len(rules) == 0 {
		t.Fatal("no transcripts")
	}
	for _, path := range append(paths, rules...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			went := playTranscript(t, path, a)
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

// playTranscript plays a transcript through the chain that the command assembles.
func playTranscript(t *testing.T, path string, a *txtar.Archive) *txtar.Archive {
	t.Helper()
	went, err := transcript.Play(a, chainOf(t, path, a))
	if err != nil {
		t.Fatal(err)
	}
	return went
}

// chainOf is the chain that a transcript wants.
func chainOf(t *testing.T, path string, a *txtar.Archive) *relay.Offline {
	t.Helper()
	c, err := transcriptConfig(config.Default(), path, a)
	if err != nil {
		t.Fatal(err)
	}
	return transcriptChain(c, zerolog.New(zerolog.NewTestWriter(t)), nil)
}
