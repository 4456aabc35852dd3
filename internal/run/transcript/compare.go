package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// A Difference is a message, or in "shows" a line, that differs from the expected one. Want is nil
// for an unexpected message, and Got for a missing one.
type Difference struct {
	Line      int    // in the transcript: of the message, or of the input that caused it
	Section   string // the output
	Number    int    // of the message in it, from 1
	Want, Got []byte // without line ends
}

// Compare returns the differences between a written transcript and the same conversation as it
// went.
func Compare(written, went *txtar.Archive) []Difference {
	var differences []Difference
	got := turns(went)
	for i, t := range turns(written) {
		for _, section := range []string{toAgent, toClient, shows} {
			differences = append(differences, compare(section, t.line, t.outputs[section], texts(got[i].outputs[section]))...)
		}
	}
	return differences
}

// LeaveOut returns a transcript as it went, without sections "shows" if the written one has none.
func LeaveOut(written, went *txtar.Archive) *txtar.Archive {
	isShows := func(f txtar.File) bool { return f.Name == shows }
	if slices.ContainsFunc(written.Files, isShows) {
		return went
	}
	return &txtar.Archive{Comment: went.Comment, Files: slices.DeleteFunc(slices.Clone(went.Files), isShows)}
}

// Check returns what is wrong with a transcript before it is played: an unknown section, two
// configurations, or nothing to play.
func Check(a *txtar.Archive) error {
	inputs, configs := 0, 0
	for _, f := range a.Files {
		if err := checkName(f.Name); err != nil {
			return err
		}
		switch f.Name {
		case client, agent:
			inputs++
		case Config:
			configs++
		}
	}
	switch {
	case configs > 1:
		return fmt.Errorf("there are %d sections %q: want one", configs, Config)
	case inputs == 0:
		return ErrNoInput
	}
	return nil
}

// ErrNoInput means that there is nothing to play.
var ErrNoInput = errors.New("there is no conversation")

// checkName returns what is wrong with the name of a section.
func checkName(section string) error {
	names := []string{client, toAgent, agent, toClient, shows, Config, AgentEnds, file + "PATH", unnoticed + file + "PATH", busy + file + "PATH"}
	if _, isFile := FileOf(section); isFile || slices.Contains(names[:7], section) {
		return nil
	}
	hint := ""
	for _, name := range names {
		if strings.EqualFold(name, section) {
			hint = fmt.Sprintf(" (did you mean %q?)", name)
		}
	}
	return fmt.Errorf("section %q: want %q, %q, %q, %q, %q, %q, %q, %q, %q or %q%s",
		section, names[0], names[1], names[2], names[3], names[4], names[5], names[6], names[7], names[8], names[9], hint)
}

// A turn is an input and its outputs. The first turn has outputs without an input.
type turn struct {
	line    int
	outputs map[string][]output
}

type output struct {
	line int
	text []byte
}

// turns returns the inputs of a transcript, in order.
func turns(a *txtar.Archive) []turn {
	line := 1 + bytes.Count(a.Comment, []byte("\n"))
	all := []turn{{line, map[string][]output{}}}
	for _, f := range a.Files {
		if !isOutput(f.Name) {
			all = append(all, turn{line, map[string][]output{}})
		}
		line++
		for text := range bytes.Lines(f.Data) {
			if isOutput(f.Name) {
				outputs := all[len(all)-1].outputs
				outputs[f.Name] = append(outputs[f.Name], output{line, bytes.TrimSuffix(text, []byte("\n"))})
			}
			line++
		}
	}
	return all
}

func isOutput(section string) bool {
	return section == toAgent || section == toClient || section == shows
}

// compare returns the differences of a section, see Align.
func compare(section string, line int, want []output, got [][]byte) (differences []Difference) {
	for _, gap := range Align(texts(want), got) {
		for i := range max(len(gap.Then), len(gap.Now)) {
			d := Difference{Line: line, Section: section, Number: gap.At + i + 1}
			if i < len(gap.Then) {
				d.Line, d.Want = want[gap.At+i].line, gap.Then[i]
			}
			if i < len(gap.Now) {
				d.Got = gap.Now[i]
			}
			differences = append(differences, d)
		}
	}
	return differences
}

func texts(of []output) (all [][]byte) {
	for _, o := range of {
		all = append(all, o.text)
	}
	return all
}
