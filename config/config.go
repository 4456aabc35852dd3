// Package config reads acpshim's configuration. It takes text and returns
// values or a list of everything that is wrong with the text; it opens no
// file.
package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
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
	Limits   struct{ InspectBytes int }
	Shutdown struct{ InputGrace, TermGrace, Drain time.Duration }
	Log      struct {
		Level string // debug, info, warn, error, off
		File  string // "" is standard error
	}
}

// A key is a setting, or a list of tables with keys of their own.
type key struct {
	path string                // as in the file, dots between tables
	set  func(value any) error // of a setting
	row  func() row            // begins a table of the list
}

// A row is a table of a list. Its keys are set first, then it is added. Faulty
// are the keys that are there and wrong: they are not missing. The errors say
// what is wrong with the row as a whole.
type row struct {
	keys []key
	add  func(faulty map[string]bool) []error
}

// keys is the one list of all keys.
func (c *Config) keys() []key {
	return []key{
		{path: "junk", set: oneOf(&c.Junk, "pass", "stderr", "drop")},
		{path: "plan.advertise", set: boolean(&c.Plan.Advertise)},
		{path: "plan.bridge", set: boolean(&c.Plan.Bridge)},
		{path: "plan.policy", set: oneOf(&c.Plan.Policy, "checklists", "all", "latest")},
		{path: "plan.show_as", set: oneOf(&c.Plan.ShowAs, "plan", "message", "thought", "none")},
		{path: "plan.prose", set: oneOf(&c.Plan.Prose, "message", "drop")},
		{path: "plan.tools", set: boolean(&c.Plan.Tools)},
		{path: "plan.tool", row: tools(&c.Plan.Tool)},
		{path: "plan.file.read", set: oneOf(&c.Plan.File.Read, "disk", "client")},
		{path: "plan.file.roots", set: folders(&c.Plan.File.Roots)},
		{path: "gate.notices", set: oneOf(&c.Gate.Notices, "pass", "drop")},
		{path: "gate.compaction", set: oneOf(&c.Gate.Compaction, "pass", "drop")},
		{path: "gate.subagents", set: oneOf(&c.Gate.Subagents, "pass", "drop")},
		{path: "gate.boolean_options", set: oneOf(&c.Gate.BooleanOptions, "pass", "drop")},
		{path: "limits.inspect_bytes", set: number(&c.Limits.InspectBytes, 4<<10, 1<<30)},
		{path: "shutdown.input_grace", set: duration(&c.Shutdown.InputGrace)},
		{path: "shutdown.term_grace", set: duration(&c.Shutdown.TermGrace)},
		{path: "shutdown.drain", set: duration(&c.Shutdown.Drain)},
		{path: "log.level", set: oneOf(&c.Log.Level, "debug", "info", "warn", "error", "off")},
		{path: "log.file", set: logFile(&c.Log.File)},
	}
}

func boolean(to *bool) func(any) error {
	return func(v any) error {
		b, ok := v.(bool)
		if !ok {
			return fmt.Errorf("want true or false, not %s", describe(v))
		}
		*to = b
		return nil
	}
}

func number(to *int, least, most int64) func(any) error {
	return func(v any) error {
		n, ok := v.(int64)
		if !ok || n < least || n > most {
			return fmt.Errorf("want a whole number from %d to %d, not %s", least, most, describe(v))
		}
		*to = int(n)
		return nil
	}
}

func logFile(to *string) func(any) error {
	return func(v any) error {
		path, ok := v.(string)
		if !ok || path != "" && !filepath.IsAbs(path) {
			return fmt.Errorf(`want an absolute path, or "" for standard error, not %s`, describe(v))
		}
		*to = path
		return nil
	}
}

func oneOf(to *string, words ...string) func(any) error {
	return func(v any) error {
		for _, w := range words {
			if v == w {
				*to = w
				return nil
			}
		}
		return fmt.Errorf(`want "%s", not %s`, strings.Join(words, `" or "`), describe(v))
	}
}

func duration(to *time.Duration) func(any) error {
	return func(v any) error {
		s, _ := v.(string)
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 || d > 24*time.Hour {
			return fmt.Errorf(`want a time such as "5s" or "500ms", at most a day, not %s`, describe(v))
		}
		*to = d
		return nil
	}
}

func folders(to *[]string) func(any) error {
	return list(to, "absolute folders", func(path string) error {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("want absolute folders in quotes, not %s", describe(path))
		}
		return nil
	})
}

// list reads a list of texts that check takes.
func list(to *[]string, what string, check func(string) error) func(any) error {
	return func(v any) error {
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
	}
}

// inside is what is wrong with parts of a value.
type inside []part

type part struct {
	step any // the name of a member, or the index of an element
	err  error
}

func (ps inside) Error() string { return ps[0].err.Error() }

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
