package config

import (
	"maps"
	"slices"
	"strings"

	"acpshim/internal/text/spelling"
)

// instead maps words that people may try in a rule to the right ones.
var instead = map[string]string{
	"match": "method", "type": "update", "kind": "update", "if": "when", "where": "when",
	"add": "set", "replace": "set", "remove": "delete", "regex": "when.regexp", "response": "reply",
	"drop": "action", "enabled": "off", "disabled": "off",
}

// suggest returns the path of the known key or table that is nearest to a wrong name in a table of
// the section, or "". Keys of that table come first, then all keys of the file.
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

// ofFile returns the path of the key of the file that a name stands for, which may be the beginning
// of a path in dots, or "".
func (f *configFile) ofFile(name string, value any) string {
	for _, k := range f.keys {
		if k.path == name && k.value != nil {
			return name
		}
	}
	table, _ := value.(map[string]any)
	for _, below := range slices.Sorted(maps.Keys(table)) {
		if path := f.ofFile(name+"."+below, table[below]); path != "" {
			return path
		}
	}
	return ""
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
