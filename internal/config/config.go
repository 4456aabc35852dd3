// Package config reads acpshim's configuration. It takes text and returns
// values or a list of everything that is wrong with the text; it opens no
// file.
package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"acpshim/filters/rule"
)

// A Config is a whole configuration, checked. config.toml says what the keys
// mean.
type Config struct {
	Junk string // pass, stderr, drop
	Plan struct {
		Advertise bool
		Bridge    bool
		Policy    string // checklists, all, latest
		ShowAs    string // plan, message, thought, none
		Prose     string // message, drop
		Tools     bool
		Tool      []Tool // no two of one name
		File      struct {
			Read  string // disk, client
			Roots []string
		}
	}
	Gate     struct{ Notices, Compaction, Subagents, BooleanOptions string } // pass, drop
	Limits   struct{ InspectBytes, StateBytes int }
	Shutdown struct{ InputGrace, TermGrace, Drain time.Duration }
	Record   struct {
		Enabled, Required, Redact bool
		Folder                    string // "" is that of the user's state
		MaxLine, KeepBytes        int    // bytes
		KeepDays                  int    // 0 is for ever
	}
	Redact struct{ Keys, Patterns []string }
	Log    struct {
		Level string // debug, info, warn, error, off
		File  string // "" is standard error
	}
	Agents   map[string]Agent // by the names that a user gives them
	Profiles []Profile        // no two of one name; in the order they apply

	Rules      []Rule          // no two of one name; in the order they apply
	RulesPlace string          // client, agent
	Switches   map[string]bool // the rules that [Config.For] switched on and off, by name

	layers   int              // how many sources were read
	set      *rule.Set        // of Rules; nil until they are compiled
	from     map[string]Place // of each setting, [[plan.tool]] and [[rule]], by its path
	warnings Problems
}

// A key is a setting, a list of tables with keys of their own, or a table of
// such tables.
type key struct {
	path    string // as in the file, dots between tables
	setting        // if it is neither of the others
	row     func(at Place) row
	named   func(name string) row
}

// A setting is a value of a kind.
type setting struct {
	set    func(value any) error          // takes what stands in a file
	setAt  func(value any, n *node) error // in place of set, where order and spelling count
	value  func() any                     // what set takes, or setAt
	values []string                       // all that there are, if they are few, as in a file
}

// A row is a table of a list, or of a table of tables. Its keys are set first, and placed is called
// for each; then add is called. Faulty are the keys that are there and wrong: they are not missing.
// The errors of add are what is wrong with the row as a whole, the warnings what is of no use.
type row struct {
	keys   []key
	placed func(path string, at Place) // may be nil
	add    func(faulty map[string]bool) (errs, warnings []error)
}

// keys is the one list of all keys.
func (c *Config) keys() []key {
	return []key{
		{path: "junk", setting: oneOf(&c.Junk, "pass", "stderr", "drop")},
		{path: "plan.advertise", setting: boolean(&c.Plan.Advertise)},
		{path: "plan.bridge", setting: boolean(&c.Plan.Bridge)},
		{path: "plan.policy", setting: oneOf(&c.Plan.Policy, "checklists", "all", "latest")},
		{path: "plan.show_as", setting: oneOf(&c.Plan.ShowAs, "plan", "message", "thought", "none")},
		{path: "plan.prose", setting: oneOf(&c.Plan.Prose, "message", "drop")},
		{path: "plan.tools", setting: boolean(&c.Plan.Tools)},
		{path: "plan.tool", row: tools(&c.Plan.Tool, c.from)},
		{path: "plan.file.read", setting: oneOf(&c.Plan.File.Read, "disk", "client")},
		{path: "plan.file.roots", setting: folders(&c.Plan.File.Roots)},
		{path: "gate.notices", setting: oneOf(&c.Gate.Notices, "pass", "drop")},
		{path: "gate.compaction", setting: oneOf(&c.Gate.Compaction, "pass", "drop")},
		{path: "gate.subagents", setting: oneOf(&c.Gate.Subagents, "pass", "drop")},
		{path: "gate.boolean_options", setting: oneOf(&c.Gate.BooleanOptions, "pass", "drop")},
		{path: "limits.inspect_bytes", setting: number(&c.Limits.InspectBytes, 4<<10, 1<<30)},
		{path: "limits.state_bytes", setting: number(&c.Limits.StateBytes, 8<<20, 1<<34)},
		{path: "shutdown.input_grace", setting: duration(&c.Shutdown.InputGrace)},
		{path: "shutdown.term_grace", setting: duration(&c.Shutdown.TermGrace)},
		{path: "shutdown.drain", setting: duration(&c.Shutdown.Drain)},
		{path: "record.enabled", setting: boolean(&c.Record.Enabled)},
		{path: "record.required", setting: boolean(&c.Record.Required)},
		{path: "record.redact", setting: boolean(&c.Record.Redact)},
		{path: "record.folder", setting: absolutePath(&c.Record.Folder, "your own folder")},
		{path: "record.max_line", setting: number(&c.Record.MaxLine, 4<<10, 1<<28)},
		{path: "record.keep_bytes", setting: number(&c.Record.KeepBytes, 1<<20, 1<<50)},
		{path: "record.keep_days", setting: number(&c.Record.KeepDays, 0, 10_000)},
		{path: "redact.keys", setting: list(&c.Redact.Keys, "names", checkName)},
		{path: "redact.patterns", setting: list(&c.Redact.Patterns, "regular expressions", checkPattern)},
		{path: "log.level", setting: oneOf(&c.Log.Level, "debug", "info", "warn", "error", "off")},
		{path: "log.file", setting: absolutePath(&c.Log.File, "standard error")},
		{path: "agents", named: agents(&c.Agents, c.from)},
		{path: "profile", row: profiles(&c.Profiles)},
		{path: "rules.place", setting: oneOf(&c.RulesPlace, "client", "agent")},
		{path: "rule", row: rules(&c.Rules, c.from)},
	}
}

// settingOf is a setting of to.
func settingOf[T any](to *T, set func(any) error) setting {
	return setting{set: set, value: func() any { return *to }}
}

// typed reads a value of a type. Want says what is wanted, and check, which may be nil, whether a
// value is; its error is nil if want says enough.
func typed[T any](to *T, want string, check func(T) (ok bool, err error)) setting {
	return settingOf(to, func(v any) error {
		value, ok := v.(T)
		var err error
		if ok && check != nil {
			ok, err = check(value)
		}
		if err == nil && !ok {
			err = fmt.Errorf("want %s, not %s", want, describe(v))
		}
		if err == nil {
			*to = value
		}
		return err
	})
}

func boolean(to *bool) setting {
	s := typed(to, "true or false", nil)
	s.values = []string{"true", "false"}
	return s
}

func number(to *int, least, most int64) setting {
	return settingOf(to, func(v any) error {
		n, ok := v.(int64)
		if !ok || n < least || n > most {
			return fmt.Errorf("want a whole number from %d to %d, not %s", least, most, describe(v))
		}
		*to = int(n)
		return nil
	})
}

// absolutePath reads a path; otherwise is what none stands for.
func absolutePath(to *string, otherwise string) setting {
	return typed(to, `an absolute path, or "" for `+otherwise, func(path string) (bool, error) { return path == "" || filepath.IsAbs(path), nil })
}

func oneOf(to *string, words ...string) setting {
	s := settingOf(to, func(v any) error {
		for _, w := range words {
			if v == w {
				*to = w
				return nil
			}
		}
		return fmt.Errorf(`want "%s", not %s`, strings.Join(words, `" or "`), describe(v))
	})
	s.values = words
	return s
}

func duration(to *time.Duration) setting {
	set := func(v any) error {
		s, _ := v.(string)
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 || d > 24*time.Hour {
			return fmt.Errorf(`want a time such as "5s" or "500ms", at most a day, not %s`, describe(v))
		}
		*to = d
		return nil
	}
	return setting{set: set, value: func() any { return to.String() }}
}

func folders(to *[]string) setting {
	return list(to, "absolute folders", func(path string) error {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("want absolute folders in quotes, not %s", describe(path))
		}
		return nil
	})
}

// list reads a list of texts that check takes.
func list(to *[]string, what string, check func(string) error) setting {
	return settingOf(to, func(v any) error {
		elements, ok := v.([]any)
		if !ok {
			return fmt.Errorf("want a list of %s in quotes, not %s", what, describe(v))
		}
		var texts []string
		var wrong inside
		for i, v := range elements {
			text, ok := v.(string)
			err := fmt.Errorf("want %s in quotes, not %s", what, describe(v))
			if ok {
				err = check(text)
			}
			if err != nil {
				wrong = append(wrong, part{i, err})
			}
			texts = append(texts, text)
		}
		if wrong != nil {
			return wrong
		}
		*to = texts
		return nil
	})
}

// inside is what is wrong with parts of a value.
type inside []part

type part struct {
	step any // the name of a member, or the index of an element
	err  error
}

func (ps inside) Error() string { return ps[0].err.Error() }

func (ps inside) Unwrap() error { return ps[0].err }

// in returns the node of the part in that of the value.
func (p part) in(value *node) *node {
	if name, ok := p.step.(string); ok {
		return value.member(name)
	}
	return value.element(p.step.(int))
}

// describe says what somebody wrote, in words of the file format.
func describe(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%.60q", v)
	case bool, int64, float64:
		return fmt.Sprint(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "a list of tables"
	}
	return "a date"
}

func checkPattern(pattern string) error {
	_, err := regexp.Compile(pattern)
	return err
}
