package release

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A component is one of a bill of materials, as CycloneDX 1.6 has it.
type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

// module is a component that is a Go module of a version.
func module(kind, path, version string) component {
	purl := "pkg:golang/" + strings.ReplaceAll(path, "!", "%21") + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Type: kind, Ref: purl, Name: path, Version: version, PURL: purl}
}

// SBOM lists what the binary was built from, Go's standard library among it, as CycloneDX has it.
func (b Build) SBOM() (File, error) {
	type dependency struct {
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn"`
	}
	type metadata struct {
		Time      string    `json:"timestamp"`
		Component component `json:"component"`
	}
	program := module("application", b.Module, "v"+b.Version)
	all := []component{module("library", "std", strings.TrimPrefix(b.Go, "go"))}
	for _, d := range b.Deps {
		all = append(all, module("library", d.Path, d.Version))
	}
	on := dependency{Ref: program.Ref}
	for _, c := range all {
		on.On = append(on.On, c.Ref)
	}
	text, err := json.MarshalIndent(struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}{
		"CycloneDX", "1.6", 1, metadata{b.Time.Format("2006-01-02T15:04:05Z"), program}, all, []dependency{on},
	}, "", "  ")
	name := fmt.Sprintf("acpshim_%s_%s_%s.cdx.json", b.Version, b.OS, b.Arch)
	return File{Name: name, Data: append(text, '\n')}, err
}
