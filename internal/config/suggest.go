package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// instead are words that somebody may expect a rule to have, and what it has.
var instead = map[string]string{
	"match": "method", "type": "update", "kind": "update", "if": "when", "where": "when",
	"add": "set", "replace": "set", "remove": "delete", "regex": "when.regexp", "response": "reply",
	"drop": "action", "enabled": "off", "disabled": "off",
}

// suggest names the known key or table that comes nearest to a name written in
// a table of the section: first one of that table, then any of the file. It is
// "" if none is near.
func (f *configFile) suggest(s *section, table, wrong string) string {
	best, distance := "", 1+maxDistance(wrong)
	try := func(full, name string) {
		if d := distanceOf(wrong, name); d < distance {
			best, distance = full, d
		}
	}
	for _, k := range s.keys {
		if k.path[strings.LastIndexByte(k.path, '.')+1:] == wrong && k.value != nil {
			return s.full(k.path) // the right key outside its table
		}
	}
	for _, k := range s.keys {
		rest, ok := k.path, true
		if table != "" {
			rest, ok = strings.CutPrefix(k.path, table+".")
		}
		if name, _, _ := strings.Cut(rest, "."); ok {
			try(s.full(strings.TrimSuffix(k.path, rest)+name), name)
		}
	}
	if best != "" {
		return best
	}
	if s.name == "rule" && table == "" {
		for _, word := range slices.Sorted(maps.Keys(instead)) {
			try("rule."+instead[word], word)
		}
	}
	for _, k := range f.keys {
		if wrong == k.path[strings.LastIndexByte(k.path, '.')+1:] {
			return k.path
		}
		try(k.path, k.path)
	}
	return best
}

// maxDistance is how far a name may be from the wrong one to be suggested.
func maxDistance(wrong string) int { return min(3, (len(wrong)+2)/3) }

// distanceOf counts two letters in the wrong order as one mistake.
func distanceOf(wrong, name string) int {
	wrong, name = strings.ToLower(wrong), strings.ToLower(name)
	if len(wrong) > len(name)+12 {
		return len(wrong) // too far, and perhaps long
	}
	if len(wrong) == len(name) {
		for i := 1; i < len(name); i++ {
			if wrong[:i-1] == name[:i-1] && wrong[i-1] == name[i] && wrong[i] == name[i-1] && wrong[i+1:] == name[i+1:] {
				return 1
			}
		}
	}
	return levenshtein.ComputeDistance(wrong, name)
}

// Nearest returns the name that a wrong one may be a misspelling of, or "".
func Nearest(wrong string, names []string) string {
	best, distance := "", 1+maxDistance(wrong)
	for _, name := range names {
		if d := distanceOf(wrong, name); d < distance {
			best, distance = name, d
		}
	}
	return best
}
