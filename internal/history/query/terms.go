package query

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"acpshim/internal/glob"
	"acpshim/internal/history"
	"acpshim/internal/record"
	"acpshim/internal/spelling"
	"acpshim/internal/wire"
)

// Names are those of all terms.
var Names = []string{"dir", "method", "update", "id", "session", "rule", "changed", "since", "until", "kind", "failed"}

// Values are those of the terms that have only these.
var Values = map[string][]string{
	"dir":     {string(record.Agent), string(record.Client)},
	"kind":    {string(history.Request), string(history.Notification), string(history.Response), string(history.Other)},
	"changed": {"yes", "no"},
	"failed":  {"yes", "no"},
}

// wants says in words what may stand behind a name.
func wants(name string) string {
	switch name {
	case "":
		return "a text between the quotes"
	case "method", "update":
		return "a glob such as " + map[string]string{"method": "session/*", "update": "plan*"}[name]
	case "rule":
		return "a rule's name or a glob for it"
	case "id":
		return "the id of a request"
	case "session":
		return "a number, such as 2 for the second session, or the beginning of a session's id"
	case "since", "until":
		return "a time since the record's begin such as 10s or 1m30s, or a clock time such as 14:30:05"
	}
	return strings.Join(Values[name], " or ")
}

// maxSessionNumber is up to where a number means the n-th session; larger ones are
// the beginning of an id.
const maxSessionNumber = 9999

// condition makes a term's question of its value. The error says what would be
// right.
func condition(name, value string) (func(*subject) bool, error) {
	ofMessage := func(ask func(*history.Message) bool) func(*subject) bool {
		return func(s *subject) bool { return s.message != nil && ask(s.message) }
	}
	switch name {
	case "dir", "kind", "changed", "failed":
		return ofMessage(func(m *history.Message) bool { return about(m, name)[0] == value }), choice(name, value)
	case "method", "update", "rule":
		g, err := glob.Compile(value)
		return ofMessage(func(m *history.Message) bool {
			return slices.ContainsFunc(about(m, name), func(text string) bool { return (text != "" || name == "rule") && g.Match(text) })
		}), err
	case "id":
		number := wire.ID([]byte(value))
		return ofMessage(func(m *history.Message) bool {
			return m.ID != "" && (m.ID == number || m.ID == `"`+value)
		}), nil
	case "session":
		return ofMessage(session(value)), nil
	case "since", "until":
		return moment(name == "since", value)
	}
	text := newText(value)
	return func(s *subject) bool { return text.isIn(s.folded()) }, nil
}

// about is what a term with a glob or with a few values looks at.
func about(m *history.Message, name string) []string {
	switch name {
	case "dir":
		return []string{string(m.Message.Dir)}
	case "kind":
		return []string{string(m.Kind)}
	case "changed":
		return yesNo(m.Message.Stage != "")
	case "failed":
		return yesNo(m.Failed)
	case "method":
		return []string{m.Method}
	case "update":
		return []string{m.Update}
	}
	return m.Message.By
}

func yesNo(is bool) []string {
	if is {
		return []string{"yes"}
	}
	return []string{"no"}
}

// session asks for the n-th session, or for one by its id or its beginning.
func session(value string) func(*history.Message) bool {
	number, err := strconv.Atoi(value)
	if err == nil && number <= maxSessionNumber {
		return func(m *history.Message) bool { return m.SessionNumber == number && number > 0 || m.Session == value }
	}
	return func(m *history.Message) bool { return m.Session != "" && strings.HasPrefix(m.Session, value) }
}

// choice says what is wrong with a value of a term that has only a few.
func choice(name, value string) error {
	values := Values[name]
	if slices.Contains(values, value) {
		return nil
	}
	if near := spelling.Nearest(value, values); near != "" {
		return fmt.Errorf("unknown value %q, did you mean %q?", value, near)
	}
	return fmt.Errorf("want %s, not %q", wants(name), value)
}

// moment makes a question about the time: since the run began, or by the clock
// where the reader is. A clock time without a date is one of the day on which the
// run began.
func moment(since bool, value string) (func(*subject) bool, error) {
	asks := func(is, than int64) bool { return since && is >= than || !since && is <= than }
	if d, err := time.ParseDuration(value); err == nil && d >= 0 {
		return func(s *subject) bool { return asks(s.Mono.Microseconds(), d.Microseconds()) }, nil
	}
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return func(s *subject) bool { return asks(s.Time.UnixMilli(), at.UnixMilli()) }, nil
	}
	for _, layout := range []string{"15:04", time.TimeOnly} {
		if at, err := time.Parse(layout, value); err == nil {
			return func(s *subject) bool {
				begun := s.Time.Add(-s.Mono).Local()
				year, month, day := begun.Date()
				return asks(s.Time.UnixMilli(), time.Date(year, month, day, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), begun.Location()).UnixMilli())
			}, nil
		}
	}
	return nil, errors.New("want " + wants("since"))
}
