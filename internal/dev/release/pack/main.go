// Command pack writes the archives and packages of a release from its binaries, for
// scripts/release. It is run in the top folder of the project's source:
//
//	go run ./internal/dev/release/pack BINARIES OUT STAGE
//
// BINARIES has one folder for each platform, with its binary. STAGE gets what goes into Debian
// packages, a folder for each architecture.
package main

import (
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"

	"acpshim/internal/dev/release"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("pack: ")
	if len(os.Args) != 4 {
		log.Fatal("usage: pack BINARIES OUT STAGE")
	}
	if err := packAll(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func packAll(binaries, out, stage string) error {
	paths, err := filepath.Glob(filepath.Join(binaries, "*", "acpshim*"))
	if err != nil {
		return err
	}
	s, err := readSource()
	if err != nil {
		return err
	}
	var builds []release.Build
	for _, path := range paths {
		b, err := pack(path, s, out, stage)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		builds = append(builds, b)
	}
	launcher, err := release.NPMLauncher(builds, s.readme, s.license)
	if err != nil {
		return err
	}
	return write(out, launcher)
}

// pack writes all that is of the platform of a binary.
func pack(path string, s source, out, stage string) (b release.Build, err error) {
	binary, err := os.ReadFile(path)
	if err != nil {
		return b, err
	}
	if b, err = release.Read(binary); err != nil {
		return b, err
	}
	notices, err := thirdParty(b)
	if err != nil {
		return b, err
	}
	s.pages = slices.Clone(s.pages)
	for i, page := range s.pages {
		if s.pages[i], err = b.Dated(page); err != nil {
			return b, err
		}
	}
	files := append([]release.File{s.readme, s.license, notices, s.changes, s.config}, s.pages...)
	makers := []func() (release.File, error){
		func() (release.File, error) { return b.Archive(append(files, s.completions...)...) },
		func() (release.File, error) { return b.Wheel(s.readme.Data, s.license.Data, notices.Data) },
		func() (release.File, error) { return b.NPM(s.license, notices) },
		b.SBOM,
	}
	for _, make := range makers {
		f, err := make()
		if err == nil {
			err = write(out, f)
		}
		if err != nil {
			return b, err
		}
	}
	if b.OS != "linux" {
		return b, nil
	}
	return b, stageDebian(filepath.Join(stage, b.Arch), b, s, notices)
}

// stageDebian writes the files of a Debian package, compressed where Debian wants it.
func stageDebian(folder string, b release.Build, s source, notices release.File) error {
	files := append([]release.File{s.readme, s.config, notices}, s.completions...)
	files = append(files, release.File{Name: "acpshim", Data: b.Binary, Executable: true})
	for _, f := range append(s.pages, release.File{Name: "changelog", Data: s.changes.Data}) {
		packed, err := release.Gzip(f.Data)
		if err != nil {
			return err
		}
		files = append(files, release.File{Name: f.Name + ".gz", Data: packed})
	}
	copyright := fmt.Sprintf("Copyright %d The acpshim authors. Licensed under the Apache License 2.0,\n"+
		"which is in /usr/share/common-licenses/Apache-2.0. %s has the\nlicences of the libraries in it.\n", b.Time.Year(), release.NoticesName)
	files = append(files,
		release.File{Name: "copyright", Data: []byte(copyright)},
		release.File{Name: "version", Data: []byte(b.Version)},
		release.File{Name: "date", Data: fmt.Append(nil, b.Time.Unix())},
		release.File{Name: "homepage", Data: []byte(b.Homepage())})
	for _, f := range files {
		if err := write(folder, f); err != nil {
			return err
		}
		if err := os.Chtimes(filepath.Join(folder, filepath.FromSlash(f.Name)), b.Time, b.Time); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file below a folder.
func write(folder string, f release.File) error {
	path := filepath.Join(folder, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if f.Executable {
		mode = 0o755
	}
	if err := os.WriteFile(path, f.Data, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode) // whatever the umask
}
