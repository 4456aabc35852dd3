package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Assign returns base with an assignment KEY=VALUE of the command line. VALUE is TOML, or a text
// without quotes if the key does not accept the TOML. Flag is the name of the flag, for messages.
// The error is a [Problems] without lines.
func Assign(base Config, flag, assignment string) (Config, error) {
	name := flag + " " + assignment
	if strings.ContainsFunc(assignment, func(r rune) bool { return r < ' ' }) || len(assignment) > 200 {
		name = fmt.Sprintf("%s %.200q", flag, assignment)
	}
	path, value, ok := strings.Cut(assignment, "=")
	if path = strings.TrimSpace(path); !ok || path == "" || strings.ContainsAny(path, "[#\r\n") || strings.ContainsAny(value, "\r\n") {
		return base, Problems{{File: name, Message: "want KEY=VALUE in one line, such as plan.policy=all"}}
	}
	layer := func(value string) (Config, error) {
		f := configFile{name: flag, source: path + " = " + value, isFlag: true}
		tree, root, ok := f.decode()
		if !ok {
			return base, f.sorted(f.problems)
		}
		return f.over(base, tree, root)
	}
	var got Config
	var err error
	if tree := plainTree(path, value); tree != nil {
		got, err = (&configFile{name: flag, isFlag: true}).over(base, tree, &node{})
	} else if got, err = layer(value); err != nil {
		asText, textErr := layer(quote(value))
		if textErr == nil {
			return asText, nil
		}
		if _, syntax := toml.Decode(path+" = "+value, &map[string]any{}); syntax != nil {
			err = textErr
		}
	}
	var problems Problems
	errors.As(err, &problems)
	for i := range problems {
		problems[i].File = name
	}
	return got, err
}

// plainTree returns the tables of an assignment of a bare word, true or false. It returns nil for
// everything else. It saves the parsers of TOML, which are half of what a flag costs at start-up.
func plainTree(path, value string) (tree map[string]any) {
	for _, c := range []byte(path + value) {
		if !isBare(c) && c != '.' {
			return nil
		}
	}
	var below any = value
	switch {
	case value == "true" || value == "false":
		below = value == "true"
	case value == "" || value == "inf" || value == "nan" || value[0] < 'A' || strings.Contains(value, "."):
		return nil
	}
	for _, name := range slices.Backward(strings.Split(path, ".")) {
		if name == "" {
			return nil
		}
		tree = map[string]any{name: below}
		below = tree
	}
	return tree
}
