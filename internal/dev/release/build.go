// Package release makes archives and packages of the binaries of a release. The same binaries make
// the same bytes: times are that of the commit, orders are fixed. It opens no files.
package release

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
)

// A Build is a binary, and what it says of itself.
type Build struct {
	Binary   []byte
	OS, Arch string
	Version  string    // as in the tag, without the v
	Module   string    // the path of the main module
	Commit   string    // the whole hash
	Time     time.Time // of the commit, in UTC
	Go       string    // the version of Go
	Deps     []*debug.Module
}

// Read reads a binary. It is an error if the binary cannot be released: it was made outside of a
// clean commit, has paths of its machine, or is linked to libraries of the system.
func Read(binary []byte) (Build, error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return Build{}, err
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	for key, want := range map[string]string{"vcs.modified": "false", "-trimpath": "true", "CGO_ENABLED": "0"} {
		if set[key] != want {
			return Build{}, fmt.Errorf("built with %s=%q, want %q", key, set[key], want)
		}
	}
	at, err := time.Parse(time.RFC3339, set["vcs.time"])
	if err != nil {
		return Build{}, fmt.Errorf("time of the commit: %w", err)
	}
	version, ok := strings.CutPrefix(info.Main.Version, "v")
	if !ok {
		return Build{}, fmt.Errorf("version %q: want one that begins with v", info.Main.Version)
	}
	if len(info.Deps) == 0 {
		return Build{}, errors.New("names no modules that it was built from")
	}
	for i, d := range info.Deps {
		if d.Replace != nil {
			info.Deps[i] = d.Replace
		}
	}
	return Build{
		Binary: binary, OS: set["GOOS"], Arch: set["GOARCH"],
		Version: version, Module: info.Main.Path, Commit: set["vcs.revision"], Time: at.UTC(),
		Go: info.GoVersion, Deps: info.Deps,
	}, nil
}

// Homepage is where the module lives, "" if its path names no host.
func (b Build) Homepage() string {
	if host, _, ok := strings.Cut(b.Module, "/"); ok && strings.Contains(host, ".") {
		return "https://" + b.Module
	}
	return ""
}

// program is the binary as a file in a folder, which is "" or ends with a slash.
func (b Build) program(folder string) File {
	name := folder + "acpshim"
	if b.OS == "windows" {
		name += ".exe"
	}
	return File{Name: name, Data: b.Binary, Executable: true}
}

// summary is what packages say that acpshim is.
const summary = "Relay between an ACP client and an ACP agent that shows the agent's plans in any editor"
