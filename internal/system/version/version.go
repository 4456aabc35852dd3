// Package version says from what a program was built. It reads what the go command writes into each
// program, so that no flag of the linker is needed.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// An Info says from what a program was built. Unknown fields are empty.
type Info struct {
	Version  string `json:"version"`            // of the module: a tag, pseudo-version, "(devel)"
	Commit   string `json:"commit,omitempty"`   // the whole hash
	Date     string `json:"date,omitempty"`     // of the commit, in RFC 3339
	Modified bool   `json:"modified,omitempty"` // files had changed since the commit
	Go       string `json:"go"`
	Platform string `json:"platform"` // GOOS/GOARCH
}

// Read returns the Info of the running program.
func Read() Info { return running() }

var running = sync.OnceValue(func() Info {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		b = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	i := From(b)
	i.Platform = runtime.GOOS + "/" + runtime.GOARCH
	return i
})

// From returns the Info of build information, without a platform.
func From(b *debug.BuildInfo) Info {
	i := Info{Version: b.Main.Version, Go: b.GoVersion}
	if i.Version == "" {
		i.Version = "unknown"
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Commit = s.Value
		case "vcs.time":
			i.Date = s.Value
		case "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
	return i
}

// Short returns the version in one word, or the commit if there is no version.
func (i Info) Short() string {
	if i.Version == "(devel)" && i.Commit != "" {
		return "commit " + i.Commit[:min(12, len(i.Commit))]
	}
	return i.Version
}

// Text returns all fields for people, one per line.
func (i Info) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "version   %s\n", i.Version)
	if i.Commit != "" {
		fmt.Fprintf(&b, "commit    %s", i.Commit)
		if i.Modified {
			b.WriteString(", with changes")
		}
		b.WriteString("\n")
	}
	if i.Date != "" {
		fmt.Fprintf(&b, "date      %s\n", i.Date)
	}
	fmt.Fprintf(&b, "go        %s\nplatform  %s\n", strings.TrimPrefix(i.Go, "go"), i.Platform)
	return b.String()
}
