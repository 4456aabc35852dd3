package paths

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A folder is one side of a Prefix. Its spelling says whether the side is on Windows.
type folder struct {
	text    string // absolute, without a separator at the end: "" is /, and "C:" is C:\
	windows bool   // both \ and / are separators, and case does not matter
}

// parseFolder reads a folder of the configuration.
func parseFolder(text string) (folder, error) {
	f := folder{text: text, windows: hasDrive(text) || strings.HasPrefix(text, `\\`)}
	if f.windows {
		f.text = strings.ReplaceAll(text, "/", `\`)
	}
	names := strings.Split(f.text, f.separator())
	fixed := f.fixed(names)
	switch {
	case !f.windows && !strings.HasPrefix(text, "/"), len(text) == len("C:") && f.windows:
		return folder{}, fmt.Errorf(`%q is relative: want an absolute folder such as "C:\\src" or "/home/me/src"`, text)
	case len(names) < fixed || f.isShare() && (strings.Trim(names[2], "?.") == "" || names[3] == ""):
		return folder{}, fmt.Errorf(`%q is not a share: want "\\\\server\\share"`, text)
	case strings.ContainsRune(text, utf8.RuneError):
		return folder{}, fmt.Errorf("%q is not valid Unicode", text)
	}
	below := names[fixed:]
	if len(below) == 1 && below[0] == "" && !f.isShare() { // the root
		f.text = strings.Join(names[:fixed], f.separator())
		return f, nil
	}
	switch {
	case len(below) > 0 && below[len(below)-1] == "":
		return folder{}, fmt.Errorf("%q: want no %s at its end", text, f.separator())
	case slices.ContainsFunc(below, func(name string) bool { return name == "" || name == "." || name == ".." }):
		return folder{}, fmt.Errorf("%q: want no names that are empty, \".\" or \"..\"", text)
	}
	return f, nil
}

// hasDrive reports whether a text begins with C:\ or C:/, or is C:.
func hasDrive(text string) bool {
	return len(text) >= 2 && text[1] == ':' && 'a' <= text[0]|0x20 && text[0]|0x20 <= 'z' && (len(text) == 2 || text[2] == '\\' || text[2] == '/')
}

func (f folder) separator() string {
	if f.windows {
		return `\`
	}
	return "/"
}

// isShare reports whether the folder is a share or below one: \\server\share.
func (f folder) isShare() bool { return f.windows && strings.HasPrefix(f.text, `\\`) }

func (f folder) isRoot() bool { return f.text == "" || f.windows && len(f.text) == len("C:") }

// fixed returns how many names of a split path are its root, which .. cannot leave.
func (f folder) fixed(names []string) int {
	if f.windows && len(names) > 1 && names[0] == "" && names[1] == "" {
		return 4 // "", "", server and share
	}
	return 1
}

// cut returns the part of a path after the folder. It returns false for a path that is neither the
// folder nor below it.
func (f folder) cut(path string) (rest string, ok bool) {
	switch {
	case f.windows:
		rest, ok = cutFold(f.resolve(path), f.text)
	case !strings.HasPrefix(path, "//"): // POSIX does not define such paths
		rest, ok = strings.CutPrefix(f.resolve(path), f.text)
	}
	if rest == "" {
		return "", ok && !f.isRoot()
	}
	return rest, ok && (rest[0] == '/' || f.windows && rest[0] == '\\')
}

// cutFold is strings.CutPrefix with the case folding of Windows.
func cutFold(path, prefix string) (rest string, ok bool) {
	for _, want := range prefix {
		got, size := utf8.DecodeRuneInString(path)
		if size == 0 || fold(got) != fold(want) {
			return "", false
		}
		path = path[size:]
	}
	return path, true
}

func fold(r rune) rune {
	if r == '/' {
		return '\\'
	}
	return unicode.ToUpper(r)
}

// resolve removes each .. from a path, with the name before it. A path without .. stays as it is.
func (f folder) resolve(path string) string {
	if !strings.Contains(path, "..") {
		return path
	}
	separated := path
	if f.windows {
		separated = strings.ReplaceAll(path, "/", `\`)
	}
	names := strings.Split(separated, f.separator())
	if !slices.Contains(names, "..") {
		return path
	}
	fixed := min(f.fixed(names), len(names))
	kept := slices.Clone(names[:fixed])
	for _, name := range names[fixed:] {
		switch {
		case name == "" || name == ".":
		case name == "..":
			kept = kept[:max(fixed, len(kept)-1)]
		default:
			kept = append(kept, name)
		}
	}
	if len(kept) == 1 {
		kept = append(kept, "") // the root
	}
	return strings.Join(kept, f.separator())
}

// uri returns the prefix of file URIs in the folder.
func (f folder) uri() string {
	slashed := f.text
	if f.windows {
		slashed = strings.ReplaceAll(slashed, `\`, "/")
	}
	switch {
	case f.isShare():
		return "file:" + escape(slashed)
	case f.windows:
		return "file:///" + escape(slashed)
	}
	return "file://" + escape(slashed)
}

func escape(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// holds reports whether other is the folder or below it.
func (f folder) holds(other folder) bool {
	if f.windows != other.windows {
		return false
	}
	_, ok := f.cut(other.text + map[bool]string{true: other.separator()}[other.isRoot()])
	return ok
}
