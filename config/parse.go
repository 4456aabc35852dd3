package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/agnivade/levenshtein"
)

// MaxSize is the largest configuration that is read, in bytes.
const MaxSize = 1 << 20

// A Problem is something wrong with a configuration file.
type Problem struct {
	File         string
	Line, Column int    // from 1; 0 if the place is not known
	Source       string // the text of the line
	Message      string // what is wrong
	Hint         string // what would be right; may be empty
}

// Problems is everything wrong with a file, in the order of its lines.
type Problems []Problem

// Error lists the problems, each with its place, its line and a caret.
func (ps Problems) Error() string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
		}
		b.WriteString(": " + p.Message)
		if p.Hint != "" {
			b.WriteString(" (" + p.Hint + ")")
		}
		if p.Line > 0 {
			margin := fmt.Sprintf("%5d | ", p.Line)
			before := []rune(p.Source)[:min(p.Column-1, len([]rune(p.Source)))]
			for i, c := range before {
				if c != '\t' {
					before[i] = ' '
				}
			}
			fmt.Fprintf(&b, "\n%s%s\n%s%s^", margin, p.Source, strings.Repeat(" ", len(margin)-2)+"| ", string(before))
		}
	}
	return b.String()
}

// Default returns the configuration that source, the shipped config.toml,
// gives. It panics if that is wrong or leaves a key out: a test reads it.
func Default(source string) Config {
	var c Config
	tree := map[string]any{}
	if _, err := toml.Decode(source, &tree); err != nil {
		panic("config: the default: " + err.Error())
	}
	for _, k := range c.keys() {
		v, ok := lookup(tree, k.path)
		if !ok {
			panic("config: the default has no key " + k.path)
		}
		if err := k.set(v); err != nil {
			panic("config: the default: " + k.path + ": " + err.Error())
		}
	}
	return c
}

// Parse returns base with the keys of source set. File is the name of the
// source for messages. The error is a Problems with everything that is wrong.
func Parse(base Config, file, source string) (Config, error) {
	f := configFile{name: file, source: strings.TrimPrefix(source, "\ufeff")}
	if len(source) > MaxSize {
		f.report(nil, fmt.Sprintf("is larger than %d KiB", MaxSize>>10), "is this the right file?")
		return base, f.problems
	}
	tree := map[string]any{}
	if _, err := toml.Decode(f.source, &tree); err != nil {
		f.reportSyntax(err)
		return base, f.problems
	}
	f.keys = base.keys()
	f.walk(tree, nil)
	if len(f.problems) > 0 {
		slices.SortStableFunc(f.problems, func(a, b Problem) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		return base, f.problems
	}
	return base, nil
}

type configFile struct {
	name, source string
	keys         []key
	problems     Problems
}

// walk sets the keys that a table of the file has.
func (f *configFile) walk(table map[string]any, path []string) {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		at := append(slices.Clone(path), name)
		full, value := strings.Join(at, "."), table[name]
		known := slices.IndexFunc(f.keys, func(k key) bool { return k.path == full })
		isTable := slices.ContainsFunc(f.keys, func(k key) bool { return strings.HasPrefix(k.path, full+".") })
		inner, hasTable := value.(map[string]any)
		switch {
		case strings.Contains(name, "."):
			f.report(at, fmt.Sprintf("unknown key %q", full), "dots between tables are not quoted")
		case known >= 0:
			if err := f.keys[known].set(value); err != nil {
				f.report(at, fmt.Sprintf("%s: %v", full, err), "")
			}
		case isTable && hasTable:
			f.walk(inner, at)
		case isTable:
			f.report(at, fmt.Sprintf("%s: want a table, [%s], not %s", full, full, describe(value)), "")
		default:
			f.report(at, fmt.Sprintf("unknown key %q", full), f.suggest(full))
		}
	}
}

// suggest names the known key or table that comes nearest to what was written.
func (f *configFile) suggest(wrong string) string {
	best, distance := "", 1+min(3, (len(wrong)+2)/3)
	try := func(name string) {
		d := levenshtein.ComputeDistance(strings.ToLower(wrong), name)
		if wrong == last(name) {
			d = 0 // the right key outside its table
		}
		if d < distance {
			best, distance = name, d
		}
	}
	for _, k := range f.keys {
		try(k.path)
		for table, _, ok := strings.Cut(k.path, "."); ok; ok = false {
			try(table)
		}
	}
	if best == "" {
		return "config.toml of acpshim lists all keys"
	}
	return fmt.Sprintf("did you mean %q?", best)
}

func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func lookup(tree map[string]any, path string) (any, bool) {
	name, rest, deeper := strings.Cut(path, ".")
	v, ok := tree[name]
	if !deeper || !ok {
		return v, ok
	}
	inner, _ := v.(map[string]any)
	return lookup(inner, rest)
}

// report adds a problem at the place of a key, or with the file as a whole.
func (f *configFile) report(path []string, message, hint string) {
	p := Problem{File: f.name, Message: message, Hint: hint}
	if path != nil {
		p.Line, p.Column = locate(f.source, path)
		p.Source = sourceLine(f.source, p.Line)
	}
	f.problems = append(f.problems, p)
}

func (f *configFile) reportSyntax(err error) {
	p := Problem{File: f.name, Message: err.Error()}
	var at toml.ParseError
	if errors.As(err, &at) {
		p.Message = at.Message
		p.Line, p.Column = at.Position.Line, at.Position.Col
		p.Source = sourceLine(f.source, p.Line)
	}
	if _, value, ok := strings.Cut(p.Source, "="); ok && bareWord.MatchString(value) {
		p.Hint = "a string needs quotes"
	}
	if strings.ContainsRune(f.source, 0) {
		p.Hint = "the file has NUL bytes: is it UTF-16? UTF-8 is wanted"
	}
	f.problems = append(f.problems, p)
}

// bareWord is a value that somebody may have meant as a string.
var bareWord = regexp.MustCompile(`^\s*[\w.~/-]*[A-Za-z~/][\w.~/-]*\s*(#.*)?$`)

func sourceLine(source string, line int) string {
	lines := strings.Split(source, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[line-1], "\r")
}

// locate finds the line and column where a key of source is set. The parser
// tells neither, but it tells whether a beginning of the file has the key: the
// place is where that changes. It is 0, 0 if the name is spelled with escapes.
func locate(source string, path []string) (line, column int) {
	lines := strings.SplitAfter(source, "\n")
	name := path[len(path)-1]
	tries := 0
	for i, text := range lines {
		at := strings.Index(text, name)
		if at < 0 || strings.HasPrefix(strings.TrimSpace(text), "#") {
			continue
		}
		if tries++; tries > 100 {
			break // each is a look at half the file
		}
		for n := i + 1; n <= len(lines); n++ {
			meta, err := toml.Decode(strings.Join(lines[:n], ""), &map[string]any{})
			if err != nil {
				continue // in the middle of a value
			}
			if meta.IsDefined(path...) {
				return i + 1, len([]rune(text[:at])) + 1
			}
			break
		}
	}
	return 0, 0
}
