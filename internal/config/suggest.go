package config

import (
	"fmt"
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

// suggest returns the path of the known key or table that comes nearest to a name written in
// a table of the section: first one of that table, then any of the file. It is "" if none is
// near.
func (f *configFile) suggest(s *section, table, wrong string) string {
	for _, k := range s.keys {
		if lastName(k.path) == wrong && k.value != nil {
			return s.full(k.path) // the right key outside its table
		}
	}
	n := near(wrong)
	for _, k := range s.keys {
		rest, ok := k.path, true
		if table != "" {
			rest, ok = strings.CutPrefix(k.path, table+".")
		}
		if name, _, _ := strings.Cut(rest, "."); ok {
			n.try(name, s.full(strings.TrimSuffix(k.path, rest)+name))
		}
	}
	if n.best != "" {
		return n.best
	}
	if s.name == "rule" && table == "" {
		for _, word := range slices.Sorted(maps.Keys(instead)) {
			n.try(word, "rule."+instead[word])
		}
	}
	for _, k := range f.keys {
		if wrong == lastName(k.path) {
			return k.path
		}
		n.try(k.path, k.path)
	}
	return n.best
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// Nearest returns the name that a wrong one may be a misspelling of, or "".
func Nearest(wrong string, names []string) string {
	n := near(wrong)
	for _, name := range names {
		n.try(name, name)
	}
	return n.best
}

// didYouMean is a question after the nearest of the names, or "".
func didYouMean(wrong string, names []string) string {
	if name := Nearest(wrong, names); name != "" {
		return fmt.Sprintf("did you mean %q?", name)
	}
	return ""
}

// A nearest is what stands for the nearest name to a wrong one so far.
type nearest struct {
	wrong    string
	best     string
	distance int // of a name that is too far
}

func near(wrong string) *nearest {
	return &nearest{wrong: strings.ToLower(wrong), distance: 1 + min(3, (len(wrong)+2)/3)}
}

func (n *nearest) try(name, standsFor string) {
	if d := distance(n.wrong, strings.ToLower(name)); d < n.distance {
		n.best, n.distance = standsFor, d
	}
}

// distance counts two letters in the wrong order as one mistake.
func distance(wrong, name string) int {
	if len(wrong) > len(name)+12 {
		return len(wrong) // too far, and perhaps long
	}
	i := 0
	for i < min(len(wrong), len(name)) && wrong[i] == name[i] {
		i++
	}
	if a, b := wrong[i:], name[i:]; len(a) == len(b) && len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:] {
		return 1
	}
	return levenshtein.ComputeDistance(wrong, name)
}
