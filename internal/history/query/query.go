// Package query is the language in which a person says which messages of a record
// are meant:
//
//	dir:agent method:session/* update:plan* id:7 session:2 rule:"no usage noise"
//	changed:yes failed:yes kind:response since:10s until:14:30 -update:*chunk* text "a text"
//
// Terms have a space between them, and all of them hold. A minus before a term
// negates it; "!" does not, nor is "dir=agent" a term. A word that is no NAME:VALUE, or
// anything in quotes, is searched in the line, without regard to case. Values of method,
// update and rule are patterns of package glob. Times count in milliseconds by the clock
// and in microseconds since the beginning.
//
// The page of a report has the language, too: testdata/vectors.txt is tried in both.
package query

import (
	"strings"

	"acpshim/internal/history"
	"acpshim/internal/record"
)

// A Query says which messages are meant. The zero Query means all. It may be used
// by many goroutines.
type Query struct {
	text  string
	terms []term
}

// A term is one condition.
type term struct {
	not   bool
	name  string // "" for a text
	text  text
	holds func(*subject) bool
}

// A subject is what a term is asked about: a message, or another record.
type subject struct {
	record.Record
	message *history.Message // or nil
	line    string           // folded, once it was needed
}

// Empty reports whether the query means everything.
func (q Query) Empty() bool { return len(q.terms) == 0 }

// Match reports whether the message is meant. A line that was too long to be kept
// is searched for texts as far as it was kept.
func (q Query) Match(m *history.Message) bool {
	return q.match(&subject{Record: m.Record, message: m})
}

// MatchOther reports whether a record that is not a message is meant: only texts and
// times can hold for it.
func (q Query) MatchOther(r record.Record) bool { return q.match(&subject{Record: r}) }

// match reports whether all terms hold.
func (q Query) match(s *subject) bool {
	for _, t := range q.terms {
		if t.holds(s) == t.not {
			return false
		}
	}
	return true
}

// folded is the line, folded.
func (s *subject) folded() string {
	if s.line == "" {
		var line []byte
		switch {
		case s.message != nil && s.message.JSON != nil:
			line = s.message.JSON
		case s.Message != nil && s.Message.Line != nil:
			line = s.Message.Line
		case s.Message != nil:
			line = s.Message.Head
		case s.Text != nil:
			line = s.Text.Bytes
		case s.Gap != nil:
			line = []byte(s.Gap.Why)
		}
		s.line = fold(string(line))
	}
	return s.line
}

// String is the query as it was written.
func (q Query) String() string { return q.text }

// quote is a text that is one term, or the value of one.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
