package version

import (
	"runtime/debug"
	"strings"
	"testing"
)

func built(version string, settings ...string) *debug.BuildInfo {
	b := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: version}}
	for i := 0; i < len(settings); i += 2 {
		b.Settings = append(b.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
	}
	return b
}

func TestFrom(t *testing.T) {
	const commit = "5cdfd9a0123456789abcdef0123456789abcdef0"
	vcs := []string{"vcs", "git", "vcs.revision", commit, "vcs.time", "2026-11-22T12:00:00Z", "vcs.modified"}
	for _, test := range []struct {
		name  string
		info  *debug.BuildInfo
		short string
		text  string // its lines, without those on Go and the platform
	}{
		{"a tag", built("v0.1.0", append(vcs, "false")...), "v0.1.0",
			"version   v0.1.0|commit    " + commit + "|date      2026-11-22T12:00:00Z"},
		{"a module that was fetched", built("v0.1.0"), "v0.1.0", "version   v0.1.0"},
		{"changed files", built("v0.1.0+dirty", append(vcs, "true")...), "v0.1.0+dirty",
			"version   v0.1.0+dirty|commit    " + commit + ", with changes|date      2026-11-22T12:00:00Z"},
		{"no version", built("(devel)", append(vcs, "false")...), "commit 5cdfd9a01234",
			"version   (devel)|commit    " + commit + "|date      2026-11-22T12:00:00Z"},
		{"a short revision", built("(devel)", "vcs.revision", "12ab"), "commit 12ab", "version   (devel)|commit    12ab"},
		{"nothing known", built("(devel)"), "(devel)", "version   (devel)"},
		{"not even a version", built(""), "unknown", "version   unknown"},
	} {
		i := From(test.info)
		i.Platform = "plan9/mips"
		if got := i.Short(); got != test.short {
			t.Errorf("%s: short %q, want %q", test.name, got, test.short)
		}
		want := strings.ReplaceAll(test.text, "|", "\n") + "\ngo        1.26.8\nplatform  plan9/mips\n"
		if got := i.Text(); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, want)
		}
	}
}

// The program that runs knows at least its Go and its platform.
func TestRead(t *testing.T) {
	if i := Read(); i.Version == "" || !strings.HasPrefix(i.Go, "go") || !strings.Contains(i.Platform, "/") {
		t.Errorf("%+v", i)
	}
}
