package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// Assign returns base with a layer above it that an assignment KEY=VALUE on the
// command line makes. VALUE is TOML, and where that is not what the key wants, a
// text without its quotes. Flag names the flag for messages. The error is a
// Problems.
func Assign(base Config, flag, assignment string) (Config, error) {
	name := flag + " " + assignment
	if strings.ContainsFunc(assignment, func(r rune) bool { return r < ' ' }) || len(assignment) > 200 {
		name = fmt.Sprintf("%s %.200q", flag, assignment)
	}
	path, value, ok := strings.Cut(assignment, "=")
	if path = strings.TrimSpace(path); !ok || path == "" || strings.ContainsAny(path, "[#\r\n") || strings.ContainsAny(value, "\r\n") {
		return base, Problems{{File: name, Message: "want KEY=VALUE in one line, such as plan.policy=all"}}
	}
	got, err := Parse(base, flag, path+" = "+value)
	if err == nil {
		return got.without(flag), nil
	}
	asText, textErr := Parse(base, flag, path+" = "+quote(value))
	if textErr == nil {
		return asText.without(flag), nil
	}
	if _, syntax := toml.Decode(path+" = "+value, &map[string]any{}); syntax != nil {
		err = textErr
	}
	var problems Problems
	errors.As(err, &problems)
	for i, p := range problems {
		problems[i] = Problem{File: name, Message: p.Message, Hint: p.Hint}
	}
	return base, problems
}

// without takes the lines of a layer that has none from it.
func (c Config) without(flag string) Config {
	for path, at := range c.from {
		if at.layer == c.layers {
			at.Line = 0
			c.from[path] = at
		}
	}
	for i := range c.Profiles {
		p := &c.Profiles[i]
		if p.at.layer != c.layers {
			continue
		}
		p.at.Line = 0
		for j := range p.settings {
			p.settings[j].at.Line = 0
		}
	}
	for i := range c.Rules {
		if c.Rules[i].at.layer == c.layers {
			c.Rules[i].at.Line = 0
		}
	}
	for i, w := range c.warnings {
		if w.File == flag {
			c.warnings[i] = Problem{File: flag, Message: w.Message, Hint: w.Hint, Warning: true}
		}
	}
	return c
}
