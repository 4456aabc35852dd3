package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// built is a build of a platform that was never compiled.
func built(os, arch string) Build {
	return Build{
		Binary: []byte("binary"), OS: os, Arch: arch, Version: "1.2.0-rc.1", Module: "example.org/me/acpshim",
		Commit: "c0ffee", Time: time.Date(2026, 3, 4, 5, 6, 8, 0, time.UTC), Go: "go1.26.0",
		Deps: []*debug.Module{{Path: "example.org/toml", Version: "v1.0.0+incompatible"}},
	}
}

// A test's program is no binary of a release, and a text is none at all.
func TestReadRefusesWhatIsNoRelease(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read(own); err == nil || !strings.Contains(err.Error(), "want") {
		t.Errorf("a test's program: %v", err)
	}
	if _, err := Read([]byte("#!/bin/sh\n")); err == nil {
		t.Error("a script is taken for a binary")
	}
}

func TestArchiveHoldsTheBinaryAndTheFiles(t *testing.T) {
	for _, test := range []struct{ os, name, program string }{
		{"linux", "acpshim_1.2.0-rc.1_linux_amd64.tar.gz", "acpshim"},
		{"windows", "acpshim_1.2.0-rc.1_windows_amd64.zip", "acpshim.exe"},
	} {
		b := built(test.os, "amd64")
		f, err := b.Archive(File{Name: "man/a.1", Data: []byte("page")})
		if err != nil || f.Name != test.name {
			t.Fatalf("%q, %v", f.Name, err)
		}
		folder := "acpshim_1.2.0-rc.1_" + test.os + "_amd64/"
		want := []string{
			folder + test.program + " -rwxr-xr-x 2026-03-04 05:06:08 binary",
			folder + "man/a.1 -rw-r--r-- 2026-03-04 05:06:08 page",
		}
		if got := listed(t, f); !slices.Equal(got, want) {
			t.Errorf("%s has %q", f.Name, got)
		}
	}
}

func TestWheel(t *testing.T) {
	f, err := built("linux", "arm64").Wheel([]byte("# read me"), []byte("licence"), []byte("notices"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "acpshim-1.2.0rc1-py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64.whl"; f.Name != want {
		t.Errorf("the wheel is %s", f.Name)
	}
	files := listed(t, f)
	if want := "acpshim-1.2.0rc1.data/scripts/acpshim -rwxr-xr-x 2026-03-04 05:06:08 binary"; files[0] != want {
		t.Errorf("the script is %q", files[0])
	}
	sum := sha256.Sum256([]byte("binary"))
	for i, want := range []string{
		"acpshim-1.2.0rc1.data/scripts/acpshim,sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]) + ",6\n",
		"Name: acpshim\nVersion: 1.2.0rc1\n",
		"Tag: py3-none-manylinux_2_17_aarch64\nTag: py3-none-manylinux2014_aarch64\nTag: py3-none-musllinux_1_1_aarch64\n",
		"\nacpshim-1.2.0rc1.dist-info/RECORD,,\n",
	} {
		if !strings.Contains(strings.Join(files, "\n"), want) {
			t.Errorf("%d: nothing in the wheel has %q", i, want)
		}
	}
	if _, err := built("plan9", "amd64").Wheel(nil, nil, nil); err == nil {
		t.Error("a wheel for plan9")
	}
}

func TestPythonVersion(t *testing.T) {
	for version, want := range map[string]string{
		"0.1.0":                                   "0.1.0",
		"1.2.0-rc.1":                              "1.2.0rc1",
		"1.2.0-beta2":                             "1.2.0b2",
		"1.2.0-alpha.10":                          "1.2.0a10",
		"0.0.0-20261122103849-5cdfd9a97456":       "0.0.0.dev20261122103849",
		"0.1.1-0.20261122103849-5cdfd9a97456":     "0.1.1.dev20261122103849",
		"0.2.0-rc.1.0.20261122103849-5cdfd9a9745": "",
		"1.2.0-pre.1":                             "",
		"1.2":                                     "",
	} {
		if got, err := pythonVersion(version); got != want || (err == nil) != (want != "") {
			t.Errorf("%s is %q, %v; want %q", version, got, err, want)
		}
	}
}

func TestNPM(t *testing.T) {
	windows, linux := built("windows", "amd64"), built("linux", "arm64")
	f, err := windows.NPM()
	if err != nil || f.Name != "acpshim-win32-x64-1.2.0-rc.1.tgz" {
		t.Fatalf("%q, %v", f.Name, err)
	}
	files := listed(t, f)
	if len(files) != 2 || !strings.HasPrefix(files[1], "package/bin/acpshim.exe -rwxr-xr-x ") {
		t.Errorf("the package has %q", files)
	}
	for _, want := range []string{`"name": "@acpshim/win32-x64"`, `"win32"`, `"x64"`, `"homepage": "https://example.org/me/acpshim"`} {
		if !strings.Contains(files[0], want) {
			t.Errorf("the manifest lacks %s: %s", want, files[0])
		}
	}
	f, err = NPMLauncher([]Build{windows, linux})
	if err != nil || f.Name != "acpshim-1.2.0-rc.1.tgz" {
		t.Fatalf("%q, %v", f.Name, err)
	}
	var m manifest
	_, text, _ := strings.Cut(listed(t, f)[0], "{")
	if err := json.Unmarshal([]byte("{"+text), &m); err != nil {
		t.Fatal(err)
	}
	if m.Optional["@acpshim/win32-x64"] != "1.2.0-rc.1" || m.Optional["@acpshim/linux-arm64"] != "1.2.0-rc.1" || len(m.Optional) != 2 {
		t.Errorf("optional dependencies are %v", m.Optional)
	}
	linux.Version = "1.3.0"
	if _, err := NPMLauncher([]Build{windows, linux}); err == nil {
		t.Error("two versions make one package")
	}
}

func TestSBOMNamesEachModule(t *testing.T) {
	f, err := built("linux", "amd64").SBOM()
	if err != nil || f.Name != "acpshim_1.2.0-rc.1_linux_amd64.cdx.json" {
		t.Fatalf("%q, %v", f.Name, err)
	}
	for _, want := range []string{
		`"timestamp": "2026-03-04T05:06:08Z"`, `"pkg:golang/example.org/me/acpshim@v1.2.0-rc.1"`,
		`"pkg:golang/std@1.26.0"`, `"pkg:golang/example.org/toml@v1.0.0%2Bincompatible"`,
	} {
		if !strings.Contains(string(f.Data), want) {
			t.Errorf("it lacks %s:\n%s", want, f.Data)
		}
	}
}

func TestDated(t *testing.T) {
	pages, err := filepath.Glob("../../../docs/man/*.1")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d manual pages, %v", len(pages), err)
	}
	b := built("linux", "amd64")
	for _, name := range pages {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		page, err := b.Dated(File{Name: name, Data: text})
		if want := ` "1" "2026-03-04" "acpshim 1.2.0-rc.1" ""`; err != nil || !strings.Contains(string(page.Data), want) {
			t.Errorf("%s: %v; want %s in %.100q", name, err, want, page.Data)
		}
		if _, err := b.Dated(page); err == nil {
			t.Errorf("%s was dated twice", name)
		}
	}
}

func TestHomepage(t *testing.T) {
	for module, want := range map[string]string{"acpshim": "", "a/b": "", "github.com/me/acpshim": "https://github.com/me/acpshim"} {
		if got := (Build{Module: module}).Homepage(); got != want {
			t.Errorf("that of %s is %q", module, got)
		}
	}
}

// listed lists the files of an archive: name, mode, time and text of each.
func listed(t *testing.T, f File) (files []string) {
	row := func(name string, mode fmt.Stringer, at time.Time, r io.Reader) {
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, fmt.Sprintf("%s %s %s %s", name, mode, at.UTC().Format(time.DateTime), text))
	}
	if !strings.HasSuffix(f.Name, "gz") {
		z, err := zip.NewReader(bytes.NewReader(f.Data), int64(len(f.Data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range z.File {
			r, err := part.Open()
			if err != nil {
				t.Fatal(err)
			}
			row(part.Name, part.Mode(), part.Modified, r)
		}
		return files
	}
	r, err := gzip.NewReader(bytes.NewReader(f.Data))
	if err != nil {
		t.Fatal(err)
	}
	for in := tar.NewReader(r); ; {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		row(head.Name, head.FileInfo().Mode(), head.ModTime, in)
	}
}
