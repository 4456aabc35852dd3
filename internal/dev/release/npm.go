package release

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
)

// launcher is the program of the package "acpshim": it starts the binary of the platform's package.
//
//go:embed acpshim.js
var launcher []byte

// A manifest is a package.json.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Homepage    string            `json:"homepage,omitempty"`
	Repository  string            `json:"repository,omitempty"`
	License     string            `json:"license"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Unplugged   bool              `json:"preferUnplugged,omitempty"` // Yarn: a binary cannot run from a zip
}

// manifest has what all packages share.
func (b Build) manifest(name string) manifest {
	return manifest{
		Name: name, Version: b.Version, Description: summary,
		Homepage: b.Homepage(), Repository: b.Homepage(), License: "Apache-2.0",
	}
}

// npmPlatform is what Node calls the platform of a build.
func (b Build) npmPlatform() (os, cpu string) {
	os, cpu = b.OS, b.Arch
	if os == "windows" {
		os = "win32"
	}
	if cpu == "amd64" {
		cpu = "x64"
	}
	return os, cpu
}

// NPM is the npm package of the platform, @acpshim/OS-CPU: the binary and the files.
func (b Build) NPM(files ...File) (File, error) {
	os, cpu := b.npmPlatform()
	m := b.manifest(fmt.Sprintf("@acpshim/%s-%s", os, cpu))
	m.OS, m.CPU, m.Unplugged = []string{os}, []string{cpu}, true
	name := fmt.Sprintf("acpshim-%s-%s-%s.tgz", os, cpu, b.Version)
	return b.npmPackage(name, m, append([]File{b.program("bin/")}, files...))
}

// NPMLauncher returns the npm package "acpshim". Its optional dependencies are the packages of
// builds, of which npm installs the one for the platform. It is an error if the builds have
// different versions, or if there are no builds.
func NPMLauncher(builds []Build, files ...File) (File, error) {
	if len(builds) == 0 {
		return File{}, errors.New("no binaries")
	}
	b := builds[0]
	m := b.manifest("acpshim")
	m.Bin = map[string]string{"acpshim": "bin/acpshim.js"}
	m.Engines = map[string]string{"node": ">=18"}
	m.Optional = map[string]string{}
	for _, other := range builds {
		if other.Version != b.Version {
			return File{}, fmt.Errorf("binaries of versions %s and %s", b.Version, other.Version)
		}
		os, cpu := other.npmPlatform()
		m.Optional[fmt.Sprintf("@acpshim/%s-%s", os, cpu)] = b.Version
	}
	program := File{Name: "bin/acpshim.js", Data: launcher, Executable: true}
	return b.npmPackage(fmt.Sprintf("acpshim-%s.tgz", b.Version), m, append([]File{program}, files...))
}

func (b Build) npmPackage(name string, m manifest, files []File) (File, error) {
	var text bytes.Buffer
	w := json.NewEncoder(&text)
	w.SetEscapeHTML(false)
	w.SetIndent("", "  ")
	if err := w.Encode(m); err != nil {
		return File{}, err
	}
	all := append([]File{{Name: "package.json", Data: text.Bytes()}}, files...)
	data, err := tarred(b.Time, in("package", all...))
	return File{Name: name, Data: data}, err
}
