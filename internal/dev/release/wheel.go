package release

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
)

// wheelTag is the platform tag of a wheel. The Linux binaries need no library, so they run on glibc
// and musl; the Darwin ones need macOS 12, as Go 1.26 does.
func (b Build) wheelTag() (string, error) {
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[b.Arch]
	switch b.OS + "/" + b.Arch {
	case "linux/amd64", "linux/arm64":
		return fmt.Sprintf("manylinux_2_17_%[1]s.manylinux2014_%[1]s.musllinux_1_1_%[1]s", machine), nil
	case "darwin/amd64":
		return "macosx_12_0_x86_64", nil
	case "darwin/arm64":
		return "macosx_12_0_arm64", nil
	case "windows/amd64", "windows/arm64":
		return "win_" + b.Arch, nil
	}
	return "", fmt.Errorf("no wheel is known for %s/%s", b.OS, b.Arch)
}

// Wheel is a Python package that has the binary as a script, for pip and uv.
func (b Build) Wheel(readme, license, notices []byte) (File, error) {
	version, err := pythonVersion(b.Version)
	if err != nil {
		return File{}, err
	}
	platform, err := b.wheelTag()
	if err != nil {
		return File{}, err
	}
	name := "acpshim-" + version
	info := name + ".dist-info/"
	var tags strings.Builder
	for tag := range strings.SplitSeq(platform, ".") {
		fmt.Fprintf(&tags, "Tag: py3-none-%s\n", tag)
	}
	files := []File{
		b.program(name + ".data/scripts/"),
		{Name: info + "METADATA", Data: b.metadata(version, readme)},
		{Name: info + "WHEEL", Data: []byte("Wheel-Version: 1.0\nGenerator: acpshim\nRoot-Is-Purelib: false\n" + tags.String())},
		{Name: info + "licenses/LICENSE", Data: license},
		{Name: info + "licenses/" + NoticesName, Data: notices},
	}
	data, err := zipped(b.Time, append(files, wheelRecord(info+"RECORD", files)))
	return File{Name: fmt.Sprintf("%s-py3-none-%s.whl", name, platform), Data: data}, err
}

func (b Build) metadata(version string, readme []byte) []byte {
	homepage := ""
	if url := b.Homepage(); url != "" {
		homepage = "Project-URL: Homepage, " + url + "\n"
	}
	return fmt.Appendf(nil, `Metadata-Version: 2.4
Name: acpshim
Version: %s
Summary: %s
Author: The acpshim authors
License-Expression: Apache-2.0
License-File: LICENSE
License-File: %s
%sRequires-Python: >=3.8
Description-Content-Type: text/markdown

%s`, version, summary, NoticesName, homepage, readme)
}

// wheelRecord lists the files of a wheel, with the hash and the size of each but the list itself.
func wheelRecord(name string, files []File) File {
	var rows strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.Data)
		fmt.Fprintf(&rows, "%s,sha256=%s,%d\n", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.Data))
	}
	return File{Name: name, Data: []byte(rows.String() + name + ",,\n")}
}

// pythonVersion respells a version of Go (semver, or that of a commit) as PEP 440 has it:
// 1.2.0-rc.1 is 1.2.0rc1, and that of a commit is a development release with the time of the
// commit.
func pythonVersion(version string) (string, error) {
	m := regexp.MustCompile(`^(\d+\.\d+\.\d+)(?:-(?:(alpha|beta|rc)\.?(\d+)|(?:[\w.]*\.)?(\d{14})-[0-9a-f]{12}))?$`).FindStringSubmatch(version)
	switch {
	case m == nil:
		return "", fmt.Errorf("version %q: want 1.2.3 or 1.2.3-rc.1 (or alpha, beta), as Python knows no others", version)
	case m[4] != "":
		return m[1] + ".dev" + m[4], nil
	case m[2] != "":
		return m[1] + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[m[2]] + m[3], nil
	}
	return m[1], nil
}
