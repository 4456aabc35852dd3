// Package query is the language of filters, with which people select messages of a record:
//
//	dir:agent method:session/* update:plan* id:7 session:2 rule:"no usage noise"
//	changed:yes failed:yes kind:response since:10s until:14:30 -update:*chunk* text "a text"
//
// "from" is another name of "dir". Spaces separate terms. All terms must match. A minus before a
// term negates it. "!" does not negate, and "dir=agent" is not a term. A word that is not
// NAME:VALUE, or a text in quotes, is searched in the line, in upper or lower case. Values of
// method, update and rule are patterns of package glob. Times of day are compared in milliseconds,
// times since the beginning in microseconds.
//
// The page of a report has the same language: testdata/vectors.txt tests both.
package query

import (
	"slices"
	"strings"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/glob"
	"acpshim/internal/text/spelling"
)

// A Query selects messages. The zero Query selects all. Many goroutines may use it.
type Query struct {
	text  string
	terms []term
}

// A term is one condition.
type term struct {
	not   bool
	name  string // "" for a text
	value string
	text  text
	holds func(*candidate) bool
}

// A candidate is a message or another record that may match a query.
type candidate struct {
	record.Record
	message *history.Message // nil for another record
	line    string           // see folded
}

// Empty reports whether the query has no terms, so that everything matches.
func (q Query) Empty() bool { return len(q.terms) == 0 }

// NearUpdate returns the kind of update that is nearest to one that the query asks for and that
// none of the known ones matches; "" if none is near.
func (q Query) NearUpdate(known []string) string {
	for _, t := range q.terms {
		g, err := glob.Compile(t.value)
		if t.name == "update" && !t.not && err == nil && !slices.ContainsFunc(known, g.Match) {
			return spelling.Nearest(strings.Trim(t.value, "*"), known)
		}
	}
	return ""
}

// Match reports whether a message matches. If the line was too long for the record, texts are
// searched in the part that the record has.
func (q Query) Match(m *history.Message) bool {
	return q.match(&candidate{Record: m.Record, message: m})
}

// MatchOther reports whether a record that is not a message matches. Only texts and times can match
// it.
func (q Query) MatchOther(r record.Record) bool { return q.match(&candidate{Record: r}) }

// match reports whether all terms match.
func (q Query) match(c *candidate) bool {
	for _, t := range q.terms {
		if t.holds(c) == t.not {
			return false
		}
	}
	return true
}

// folded returns the text of the record, folded.
func (c *candidate) folded() string {
	if c.line == "" {
		var line []byte
		switch {
		case c.message != nil && c.message.JSON != nil:
			line = c.message.JSON
		case c.Message != nil && c.Message.Line != nil:
			line = c.Message.Line
		case c.Message != nil:
			line = c.Message.Head
		case c.Text != nil:
			line = c.Text.Bytes
		case c.Gap != nil:
			line = []byte(c.Gap.Why)
		}
		c.line = fold(string(line))
	}
	return c.line
}

// String returns the query as it was written.
func (q Query) String() string { return q.text }

// quote puts a text in quotes, so that it is one term or one value.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
