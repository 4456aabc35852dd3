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
		File      struct{ Roots []string }
	}
	Gate     struct{ Notices, Compaction, Subagents string } // pass, drop
	Limits   struct{ InspectBytes int }
	Shutdown struct{ InputGrace, TermGrace, Drain time.Duration }
	Log      struct {
		Level string // debug, info, warn, error, off
		File  string // "" is standard error
	}
}

// A key is a setting of the configuration file.
type key struct {
	path string // as in the file, dots between tables
	set  func(value any) error
}

// keys is the one list of all keys.
func (c *Config) keys() []key {
	return []key{
		{"junk", oneOf(&c.Junk, "pass", "stderr", "drop")},
		{"plan.advertise", boolean(&c.Plan.Advertise)},
		{"plan.bridge", boolean(&c.Plan.Bridge)},
		{"plan.policy", oneOf(&c.Plan.Policy, "checklists", "all", "latest")},
		{"plan.show_as", oneOf(&c.Plan.ShowAs, "plan", "message", "thought", "none")},
		{"plan.prose", oneOf(&c.Plan.Prose, "message", "drop")},
		{"plan.file.roots", folders(&c.Plan.File.Roots)},
		{"gate.notices", oneOf(&c.Gate.Notices, "pass", "drop")},
		{"gate.compaction", oneOf(&c.Gate.Compaction, "pass", "drop")},
		{"gate.subagents", oneOf(&c.Gate.Subagents, "pass", "drop")},
		{"limits.inspect_bytes", number(&c.Limits.InspectBytes, 4<<10, 1<<30)},
		{"shutdown.input_grace", duration(&c.Shutdown.InputGrace)},
		{"shutdown.term_grace", duration(&c.Shutdown.TermGrace)},
		{"shutdown.drain", duration(&c.Shutdown.Drain)},
		{"log.level", oneOf(&c.Log.Level, "debug", "info", "warn", "error", "off")},
		{"log.file", logFile(&c.Log.File)},
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
	return func(v any) error {
		list, ok := v.([]any)
		if !ok {
			return fmt.Errorf("want a list of absolute folders in quotes, not %s", describe(v))
		}
		var paths []string
		for _, v := range list {
			path, ok := v.(string)
			if !ok || !filepath.IsAbs(path) {
				return fmt.Errorf("want absolute folders in quotes, not %s", describe(v))
			}
			paths = append(paths, path)
		}
		*to = paths
		return nil
	}
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
