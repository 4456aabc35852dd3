package config

import (
	"maps"
	"slices"
	"strings"

	"acpshim/internal/spelling"
)

// instead are words that somebody may expect a rule to have, and what it has.
var instead = map[string]string{
	"match": "method", "type": "update", "kind": "update", "if": "when", "where": "when",
	"add": "set", "replace": "set", "remove": "delete", "regex": "when.regexp", "response": "reply",
	"drop": "action", "enabled": "off", "disabled": "off",
}

// suggest returns the path of the known key or table that comes nearest to a name written in
// a table of the section: first one of that table, then any of the file. It is "" if none is
// near.
func (f *configFile) suggest(s *section, table, wrong string) string {
	for _, k := range s.keys {
		if lastName(k.path) == wrong && k.value != nil {
			return s.full(k.path) // the right key outside its table
		}
	}
	n := spelling.NewSearch(wrong)
	for _, k := range s.keys {
		rest, ok := k.path, true
		if table != "" {
			rest, ok = strings.CutPrefix(k.path, table+".")
		}
		if name, _, _ := strings.Cut(rest, "."); ok {
			n.Try(name, s.full(strings.TrimSuffix(k.path, rest)+name))
		}
	}
	if n.Best != "" {
		return n.Best
	}
	if s.name == "rule" && table == "" {
		for _, word := range slices.Sorted(maps.Keys(instead)) {
			n.Try(word, "rule."+instead[word])
		}
	}
	for _, k := range f.keys {
		if wrong == lastName(k.path) {
			return k.path
		}
		n.Try(k.path, k.path)
	}
	return n.Best
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
