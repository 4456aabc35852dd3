package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"acpshim/internal/text/runes"
	"acpshim/internal/text/spelling"

	"github.com/BurntSushi/toml"
)

// MaxSize is the largest configuration that is read, in bytes.
const MaxSize = 1 << 20

// Parse returns base with the keys that source, a text in TOML, overrides. It does not change base.
// Rows of source come after those of base, or replace a row of the same name. File is the name of
// the source, for messages. The error is a [Problems] with all mistakes and warnings. Without an
// error the warnings are in [Config.Warnings].
func Parse(base Config, file, source string) (Config, error) {
	f := configFile{name: file, source: strings.TrimPrefix(source, "\ufeff")}
	if len(source) > MaxSize {
		f.report(position{}, fmt.Sprintf("is larger than %d KiB", MaxSize>>10), "is this the right file?")
		return base, f.problems
	}
	tree, root, ok := f.decode()
	if !ok {
		return base, f.sorted(f.problems)
	}
	return f.over(base, tree, root)
}

// over returns base with the keys of the tree, and their places from the nodes below root.
func (f *configFile) over(base Config, tree map[string]any, root *node) (Config, error) {
	got := base.clone()
	got.layers++
	f.layer, f.keys = got.layers, got.keys()
	s := newSection("", f.keys)
	f.walk(s, tree, root, "")
	maps.Copy(got.from, s.set)
	if tree["rule"] != nil {
		f.compileRules(&got, root)
	}
	f.checkProfiles(&got, root)
	if len(f.problems) == 0 {
		got.warnings = append(got.warnings, f.sorted(f.warnings)...)
		return got, nil
	}
	if len(f.problems) < maxProblems {
		f.problems = append(f.problems, f.warnings...)
	}
	return base, f.sorted(f.problems)
}

// decode reads the source. If it is not TOML, decode reports the first mistake, and ok is false.
func (f *configFile) decode() (tree map[string]any, root *node, ok bool) {
	root, wrong := scan(f.source, -1)
	source := f.source
	if wrong != nil {
		source = source[:wrong.until]
	}
	tree = map[string]any{}
	_, err := toml.Decode(source, &tree)
	var syntax toml.ParseError
	if errors.As(err, &syntax) && strings.Contains(syntax.Message, "already") {
		if _, again := scan(f.source, syntax.Position.Start); again != nil && again.until == 0 {
			wrong, err = again, nil
		}
	}
	switch {
	case err != nil:
		f.reportSyntax(err)
	case wrong != nil:
		f.report(wrong.at, wrong.message, "")
	}
	return tree, root, len(f.problems) == 0
}

// clone returns a copy that can be changed.
func (c Config) clone() Config {
	c.Plan.Tool = slices.Clone(c.Plan.Tool)
	c.Paths = slices.Clone(c.Paths)
	c.Permissions = slices.Clone(c.Permissions)
	c.Commands = slices.Clone(c.Commands)
	c.Profiles = slices.Clone(c.Profiles)
	c.Agents = maps.Clone(c.Agents)
	c.Rules = slices.Clone(c.Rules)
	c.Switches = maps.Clone(c.Switches)
	c.from = maps.Clone(c.from)
	c.warnings = slices.Clip(c.warnings)
	if c.from == nil {
		c.from = map[string]Place{}
	}
	return c
}

type configFile struct {
	name, source string
	isFlag       bool // it is the value of a flag, so it has no lines
	layer        int
	keys         []key
	problems     Problems
	warnings     Problems
}

// A section is a table with a list of keys: the whole file, or a row.
type section struct {
	name   string           // of a row, as in its header
	keys   []key            // their paths begin at the section
	set    map[string]Place // the settings that were read
	faulty map[string]bool  // the keys that are wrong or misspelled
}

func newSection(name string, keys []key) *section {
	return &section{name, keys, map[string]Place{}, map[string]bool{}}
}

// full turns a path that begins at the section into one that begins at the file.
func (s *section) full(path string) string {
	if s.name == "" {
		return path
	}
	return s.name + "." + path
}

// walk sets the keys of a table, and reports those that are wrong. Path leads from the section to
// the table, and n is the table's node.
func (f *configFile) walk(s *section, table map[string]any, n *node, path string) {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		at, value, below := n.member(name), table[name], name
		if path != "" {
			below = path + "." + name
		}
		full := s.full(below)
		known := slices.IndexFunc(s.keys, func(k key) bool { return k.path == below })
		isTable := slices.ContainsFunc(s.keys, func(k key) bool { return strings.HasPrefix(k.path, below+".") })
		inner, hasTable := value.(map[string]any)
		switch {
		case strings.Contains(name, "."):
			f.report(at.key, fmt.Sprintf("unknown key %q", full), "dots between tables are not quoted")
		case known >= 0 && s.keys[known].row != nil:
			f.rows(s.keys[known].row, full, value, at)
		case known >= 0 && s.keys[known].named != nil && hasTable:
			for _, name := range slices.Sorted(maps.Keys(inner)) {
				f.row(s.keys[known].named(name), full+"."+quoteKey(name), inner[name], at.member(name))
			}
		case known >= 0 && s.keys[known].named != nil:
			f.report(at.value, fmt.Sprintf("%s: want a table for each, such as [%s.NAME], not %s", full, full, describe(value)), "")
		case known >= 0:
			if err := s.keys[known].set(value, at); err != nil {
				f.reportValue(at, full, err, s.rowsLike(below, value))
				s.faulty[below] = true
			} else {
				s.set[below] = f.place(at.key)
			}
		case isTable && hasTable:
			f.walk(s, inner, at, below)
		case isTable:
			f.report(at.value, fmt.Sprintf("%s: want a table, [%s], not %s", full, full, describe(value)), s.rowsLike(below, value))
		default:
			s.faulty[below] = true
			hint := `"acpshim config show" lists all keys`
			if whole := f.ofFile(name, value); whole != "" && full != name {
				hint = fmt.Sprintf("%s is a key of the whole file: write it above the first table", whole)
			} else if best := f.suggest(s, path, name); best != "" {
				hint = fmt.Sprintf("did you mean %q?", best)
				s.faulty[strings.TrimPrefix(best, s.name+".")] = true
			}
			f.report(at.key, fmt.Sprintf("unknown key %q", full), hint)
		}
	}
}

// rowsLike returns a hint if the value is a list of tables and a list with nearly the same path
// exists.
func (s *section) rowsLike(path string, value any) string {
	_, rows := value.([]map[string]any)
	for _, k := range s.keys {
		if rows && k.row != nil && spelling.Distance(k.path, path) == 1 {
			return fmt.Sprintf("did you mean [[%s]]?", s.full(k.path))
		}
	}
	return ""
}

// rows adds the tables of a list of tables.
func (f *configFile) rows(begin func(Place) row, full string, value any, n *node) {
	tables, ok := value.([]map[string]any)
	list, isList := value.([]any)
	for _, v := range list {
		if table, isTable := v.(map[string]any); isTable {
			tables = append(tables, table)
		}
	}
	if !ok && (!isList || len(tables) < len(list)) {
		f.report(n.value, fmt.Sprintf("%s: want a list of tables, [[%s]] before each, not %s", full, full, describe(value)), "")
		return
	}
	for i, table := range tables {
		f.row(begin(f.place(n.element(i).key)), full, table, n.element(i))
	}
}

// row adds a table of a list, or of a table of tables.
func (f *configFile) row(r row, full string, value any, n *node) {
	table, ok := value.(map[string]any)
	if !ok {
		f.report(n.value, fmt.Sprintf("%s: want a table, [%s], not %s", full, full, describe(value)), "")
		return
	}
	s := newSection(full, r.keys)
	before := len(f.problems)
	f.walk(s, table, n, "")
	errs, warnings := r.add(s)
	for _, err := range append(s.missing(), errs...) {
		f.reportValue(n, full, err, "")
	}
	if len(f.problems) > before {
		return // the warnings may only follow from these problems
	}
	for _, err := range warnings {
		f.warn(n, full, err)
	}
}

// missing returns an error for each required key that a row lacks, except for faulty ones.
func (s *section) missing() (errs []error) {
	for _, k := range s.keys {
		if k.need != "" && !s.faulty[k.path] && reflect.ValueOf(k.value()).IsZero() {
			errs = append(errs, errors.New("want "+k.need))
		}
	}
	return errs
}

// An unnamedWarning is a warning that does not hold if the command line names the agent.
type unnamedWarning struct{ error }

// warn is reportValue for a warning.
func (f *configFile) warn(n *node, full string, err error) {
	before := len(f.problems)
	f.reportValue(n, full, err, "")
	for _, p := range f.problems[before:] {
		p.Warning, p.Unnamed = true, errors.As(err, new(unnamedWarning))
		f.warnings = append(f.warnings, p)
	}
	f.problems = f.problems[:before]
}

func (f *configFile) place(at position) Place {
	if f.isFlag {
		at.line = 0
	}
	return Place{File: f.name, Line: at.line, layer: f.layer}
}

// report adds a problem at a place, or with the whole file.
func (f *configFile) report(at position, message, hint string) {
	f.problems = append(f.problems, Problem{File: f.name, Line: at.line, Column: at.column, Message: message, Hint: hint})
}

// reportValue adds a problem with the value of n, or with each part of it that err names as a
// partErrors.
func (f *configFile) reportValue(n *node, full string, err error, hint string) {
	var parts partErrors
	if !errors.As(err, &parts) {
		f.report(n.value, fmt.Sprintf("%s: %v", full, err), hint)
	}
	for _, p := range parts {
		at := p.in(n)
		if at.value == (position{}) {
			at = n // the part is missing
		}
		f.reportValue(at, full, p.err, hint)
	}
}

func (f *configFile) reportSyntax(err error) {
	var at position
	message, hint, line := err.Error(), "", ""
	var syntax toml.ParseError
	if errors.As(err, &syntax) {
		message = syntax.Message
		// For the end of the file, the parser gives the last byte.
		start := runes.Before(f.source, max(0, syntax.Position.Start))
		at = position{1, 1}.after(f.source[:start])
		line = sourceLine(strings.Split(f.source, "\n"), at.line)
	}
	if _, value, ok := strings.Cut(line, "="); ok && regexp.MustCompile(bareWord).MatchString(value) && !strings.Contains(message, "out of range") {
		hint = "a string needs quotes"
	}
	if strings.ContainsRune(f.source, 0) {
		message, hint = "has NUL bytes", "is it UTF-16? want UTF-8"
	}
	f.report(at, message, hint)
}

// bareWord matches a value that is probably a string without its quotes.
const bareWord = `^\s*[\w.~/-]*[A-Za-z~/][\w.~/-]*\s*(#.*)?$`
