package wrap

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"acpshim/internal/setup/editor"
)

// A program is the program of an agent's command, as an editor can find it.
type program struct {
	path   string // absolute, or as it was if it was not found
	search string // PATH for the env of the entry, or ""
	notes  []string
}

// resolve looks for a program in an entry's PATH, which may be "", and then in this process's PATH.
// Editors that start from a desktop have a shorter one. It is an error if a program from the
// command line is not found. A program from settings stays as it is, because the editor may find
// it.
func resolve(e editor.Editor, name, path string, typed bool) (program, error) {
	found, err := lookUp(name, path, typed)
	switch {
	case err != nil && typed:
		return program{}, &NotFound{Name: name}
	case err != nil:
		return program{path: name, notes: []string{fmt.Sprintf("%q is not in PATH and stays as it is", name)}}, nil
	}
	p := program{path: found}
	needs, dir := interpreter(found, path)
	if needs == "" || e.Path == editor.FromParent {
		return p, nil
	}
	base := filepath.Base(found)
	switch {
	case path != "":
		p.notes = append(p.notes, fmt.Sprintf("%s needs %s, which is in %s: add this folder to the PATH in the entry's env", base, needs, dir))
	case e.Path == editor.FromEntry:
		p.search = absolutePath(os.Getenv("PATH"))
		p.notes = append(p.notes, fmt.Sprintf("%s needs %s, which is in %s: the entry's env gets your PATH; "+
			"wrap again when your PATH changes", base, needs, dir))
	default:
		p.notes = append(p.notes, fmt.Sprintf("%s needs %s, which is in %s: %s takes PATH from your login shell, "+
			"so your login shell's PATH needs this folder", base, needs, dir, e.Title))
	}
	return p, nil
}

// resolve calls the function resolve for a typed name and adds to its error how that agent can be
// started.
func (o Options) resolve(e editor.Editor, name, path string) (program, error) {
	p, err := resolve(e, name, path, true)
	if missing := (*NotFound)(nil); errors.As(err, &missing) {
		missing.Editor, missing.Entry = o.Editor, o.Entry
		if o.Lookup == nil {
			return p, err
		}
		if command, ok := o.Lookup(name); ok && command[0] != name {
			missing.Registered = command
		}
	}
	return p, err
}

// AbsoluteFiles makes relative paths of existing files absolute in the arguments of a command,
// because an editor starts agents in another folder.
func AbsoluteFiles(command []string) (absolute, notes []string) {
	absolute = slices.Clone(command)
	for i, word := range absolute {
		isFile := strings.ContainsRune(word, filepath.Separator) || filepath.Ext(word) != ""
		if i == 0 || !isFile || filepath.IsAbs(word) || strings.HasPrefix(word, "-") {
			continue
		}
		path, err := filepath.Abs(word)
		if info, statErr := os.Stat(word); err == nil && statErr == nil && info.Mode().IsRegular() {
			absolute[i] = path
			notes = append(notes, fmt.Sprintf("%q is a file here and becomes %s", word, path))
		}
	}
	return absolute, notes
}

// Relative returns the words of an entry that are relative paths of programs and scripts. A script
// is recognized by its suffix.
func Relative(command []string) (words []string) {
	for i, word := range command {
		isPath := strings.HasPrefix(filepath.ToSlash(word), "./") || strings.HasPrefix(filepath.ToSlash(word), "../")
		isScript := slices.Contains([]string{".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".sh", ".jar"}, filepath.Ext(word))
		isProgram := i == 0 && filepath.Base(word) != word
		if !filepath.IsAbs(word) && (isPath || isProgram || isScript && !strings.HasPrefix(word, "-")) && !strings.ContainsAny(word, ":$~ @") {
			words = append(words, word)
		}
	}
	return words
}

// lookUp returns the absolute path of a program in path or in this process's PATH.
func lookUp(name, path string, typed bool) (string, error) {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			name = filepath.Join(home, rest) // some editors do that, but acpshim does not
		}
	}
	if !typed && !filepath.IsAbs(name) && filepath.Base(name) != name {
		return "", errors.New("the path is relative to the editor's folder")
	}
	found, err := lookPath(name, path)
	if err != nil && !(typed && errors.Is(err, exec.ErrDot)) {
		return "", err
	}
	return filepath.Abs(found)
}

// Interpreter returns the program that the first line of a script gives to env, or "".
func Interpreter(script string) string {
	f, err := os.Open(script)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, 256)).ReadString('\n')
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if !strings.HasPrefix(line, "#!") || len(words) < 2 || filepath.Base(words[0]) != "env" {
		return ""
	}
	for _, word := range words[1:] {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return word
		}
	}
	return ""
}

// lookPath is [exec.LookPath] that looks in the absolute folders of path first.
func lookPath(name, path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) || filepath.Base(name) != name {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return exec.LookPath(name)
}

// isWhole reports whether this machine has a program and its interpreter.
func isWhole(program, path string) bool {
	name := Interpreter(program)
	_, err := lookPath(name, path)
	return filepath.IsAbs(program) && (name == "" || err == nil)
}

// interpreter returns the interpreter of a script and its folder, unless path or every PATH has
// that folder.
func interpreter(script, path string) (name, dir string) {
	if runtime.GOOS == "windows" {
		return "", "" // PATH is the same for all there
	}
	name = Interpreter(script)
	found, err := lookPath(name, path)
	if err != nil {
		return "", ""
	}
	dir = filepath.Dir(found)
	usual := []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"}
	if path != "" {
		usual = nil
	}
	if slices.Contains(append(usual, filepath.SplitList(path)...), dir) {
		return "", ""
	}
	return name, dir
}

// absolutePath returns a PATH without relative and repeated folders.
func absolutePath(path string) string {
	var dirs []string
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}
