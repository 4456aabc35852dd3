package planfile

import (
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"
)

// Path returns the absolute path of a file URI. On Windows it accepts all spellings that agents
// use: two to five slashes, with / or \, escaped or not.
func Path(uri string) (string, error) {
	if runtime.GOOS == "windows" {
		return windowsPath(uri)
	}
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return "", fmt.Errorf("%q is not a URI: want file:///path/to/plan.md", uri)
	case u.Scheme != "file":
		return "", fmt.Errorf("%q is not a file URI: want file:///path/to/plan.md", uri)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", notEscaped(uri)
	case u.Host != "" && u.Host != "localhost":
		return "", fmt.Errorf("%q is on another machine: want file:///path/to/plan.md", uri)
	}
	if !filepath.IsAbs(u.Path) || strings.ContainsRune(u.Path, 0) {
		return "", fmt.Errorf("%q does not have an absolute path: want file:///path/to/plan.md", uri)
	}
	return filepath.Clean(u.Path), nil
}

func notEscaped(uri string) error {
	return fmt.Errorf("%q has a ? or # that is not escaped: want %%3F or %%23", uri)
}

// windowsPath is [Path] for Windows, on any machine. The result begins with a drive in upper case
// or with a server and a share. It has no . or .., no devices, and no names that Windows would
// change.
func windowsPath(uri string) (string, error) {
	const want = "want file:///C:/path/to/plan.md"
	scheme, rest, _ := strings.Cut(uri, ":")
	if !strings.EqualFold(scheme, "file") {
		return "", fmt.Errorf("%q is not a file URI: %s", uri, want)
	}
	if strings.ContainsAny(rest, "?#") {
		return "", notEscaped(uri)
	}
	path, err := url.PathUnescape(rest)
	if err != nil {
		return "", fmt.Errorf("%q is not a URI: %s", uri, want)
	}
	path = strings.ReplaceAll(path, "/", `\`)
	names := strings.TrimLeft(path, `\`)
	slashes := len(path) - len(names)
	if host, after, ok := strings.Cut(names, `\`); ok && slashes == 2 && strings.EqualFold(host, "localhost") {
		names = strings.TrimLeft(after, `\`)
	}
	volume, names, rooted := strings.Cut(names, `\`)
	switch {
	case len(volume) == 2 && volume[1] == ':' && 'a' <= volume[0]|0x20 && volume[0]|0x20 <= 'z':
		volume = strings.ToUpper(volume)
	case slashes == 2 || slashes == 4 || slashes == 5: // file://server/share, file:////server/share
		var share string
		share, names, rooted = strings.Cut(names, `\`)
		if !ordinary(volume) || !ordinary(share) {
			return "", fmt.Errorf("%q does not have a share: want file://server/share/plan.md", uri)
		}
		volume = `\\` + volume + `\` + share
	default:
		rooted = false
	}
	if !rooted {
		return "", fmt.Errorf("%q does not have an absolute path: %s", uri, want)
	}
	var clean []string
	for name := range strings.SplitSeq(names, `\`) {
		switch {
		case name == "" || name == ".":
		case name == "..":
			clean = clean[:max(0, len(clean)-1)]
		case !ordinary(name):
			return "", fmt.Errorf("%q is not a file: %q is a device, a stream or an invalid name", uri, name)
		default:
			clean = append(clean, name)
		}
	}
	return volume + `\` + strings.Join(clean, `\`), nil
}

// ordinary reports whether Windows uses a name as it is: it is not a device, with or without an
// extension, not a stream of a file, and has no end that Windows removes. See "Naming Files, Paths,
// and Namespaces" in the documentation of Windows.
func ordinary(name string) bool {
	if name == "" || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") ||
		strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || strings.ContainsRune(`<>:"/\|?*`, r) }) {
		return false
	}
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return false
	}
	number, port := strings.CutPrefix(base, "COM")
	if !port {
		number, port = strings.CutPrefix(base, "LPT")
	}
	return !port || utf8.RuneCountInString(number) != 1 || !strings.Contains("123456789¹²³", number)
}
