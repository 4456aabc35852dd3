// Package spelling finds the name that somebody probably meant when they misspelled one.
package spelling

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the name that wrong is probably a misspelling of, or "".
func Nearest(wrong string, names []string) string {
	s := NewSearch(wrong)
	for _, name := range names {
		s.Try(name, name)
	}
	return s.Best
}

// OneOf lists words as in "text, json or raw".
func OneOf(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// DidYouMean returns a question with the nearest name, such as `did you mean "plan"?`, or "".
func DidYouMean(wrong string, names []string) string {
	if name := Nearest(wrong, names); name != "" {
		return fmt.Sprintf("did you mean %q?", name)
	}
	return ""
}

// A Search keeps the best suggestion for a misspelled name.
type Search struct {
	Best string // "" if no name was near enough

	wrong    string
	distance int // of Best; a name at this distance or more does not replace it
}

// NewSearch returns a search for a misspelled name.
func NewSearch(wrong string) *Search {
	return &Search{wrong: strings.ToLower(wrong), distance: 1 + min(3, (len(wrong)+2)/3)}
}

// Try makes suggestion the best one if name is nearer than the names before it.
func (s *Search) Try(name, suggestion string) {
	if d := Distance(s.wrong, strings.ToLower(name)); d < s.distance {
		s.Best, s.distance = suggestion, d
	}
}

// Distance returns how many letters differ. Two swapped letters count once.
func Distance(wrong, name string) int {
	if len(wrong) > len(name)+12 {
		return len(wrong) // skips the slow comparison with a long foreign text
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
