package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/setup/config"

	"golang.org/x/tools/txtar"
)

// The configurations in remote.md are right, and those that the transcripts play begin with.
func TestRemoteConfigurationsArePlayed(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(read(t, "remote.md"), -1)
	paths, _ := filepath.Glob("../testdata/transcripts/paths_*.txtar")
	if len(blocks) != len(paths) {
		t.Errorf("%d configurations and %d transcripts", len(blocks), len(paths))
	}
	var played []string
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(source).Files {
			if f.Name == "config.toml" {
				played = append(played, string(f.Data))
			}
		}
	}
	for _, block := range blocks {
		if _, err := config.Parse(config.Default(), "remote.md", block[1]); err != nil {
			t.Error(err)
		}
		if !slices.ContainsFunc(played, func(p string) bool { return strings.HasPrefix(p, block[1]) }) {
			t.Errorf("no transcript plays\n%s", block[1])
		}
	}
}
