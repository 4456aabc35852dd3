package query

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/glob"
	"acpshim/internal/text/spelling"
)

// Names are the names of all terms.
var Names = []string{"dir", "from", "method", "update", "id", "session", "rule", "changed", "since", "until", "kind", "failed"}

// Values are the values of terms that allow only a few.
var Values = map[string][]string{
	"dir":     {string(record.Agent), string(record.Client)},
	"from":    {string(record.Agent), string(record.Client)},
	"kind":    {string(history.Request), string(history.Notification), string(history.Response), string(history.Other)},
	"changed": {"yes", "no"},
	"failed":  {"yes", "no"},
}

// wants describes the value of a term.
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
		return "a time since the run began, such as 10s or 1m30s, or a time of day, such as 14:30:05"
	}
	return strings.Join(Values[name], " or ")
}

// maxSessionNumber is the largest number of a session. A larger number is the beginning of an id.
const maxSessionNumber = 9999

// condition returns the condition of a term with a value. The error says what would be right.
func condition(name, value string) (func(*candidate) bool, error) {
	ofMessage := func(holds func(*history.Message) bool) func(*candidate) bool {
		return func(c *candidate) bool { return c.message != nil && holds(c.message) }
	}
	switch name {
	case "dir", "from", "kind", "changed", "failed":
		return ofMessage(func(m *history.Message) bool { return fields(m, name)[0] == value }), choice(name, value)
	case "method", "update", "rule":
		g, err := glob.Compile(value)
		return ofMessage(func(m *history.Message) bool {
			return slices.ContainsFunc(fields(m, name), func(text string) bool { return (text != "" || name == "rule") && g.Match(text) })
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
	return func(c *candidate) bool { return text.isIn(c.folded()) }, nil
}

// fields returns what a term compares with its value: a glob, or one of Values.
func fields(m *history.Message, name string) []string {
	switch name {
	case "dir", "from":
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

// session returns the condition for a session: by its number, its id, or the beginning of its id.
func session(value string) func(*history.Message) bool {
	number, err := strconv.Atoi(value)
	if err == nil && number <= maxSessionNumber {
		return func(m *history.Message) bool { return m.SessionNumber == number && number > 0 || m.Session == value }
	}
	return func(m *history.Message) bool { return m.Session != "" && strings.HasPrefix(m.Session, value) }
}

// choice returns what is wrong with a value of a term that allows only a few; nil if it is right.
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

// moment returns a condition for the time: since the run began, or by the clock of the reader. A
// time of day is on the day on which the run began.
func moment(since bool, value string) (func(*candidate) bool, error) {
	compare := func(is, than int64) bool { return since && is >= than || !since && is <= than }
	if d, err := time.ParseDuration(value); err == nil && d >= 0 {
		return func(c *candidate) bool { return compare(c.Mono.Microseconds(), d.Microseconds()) }, nil
	}
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return func(c *candidate) bool { return compare(c.Time.UnixMilli(), at.UnixMilli()) }, nil
	}
	for _, layout := range []string{"15:04", time.TimeOnly} {
		if at, err := time.Parse(layout, value); err == nil {
			return func(c *candidate) bool {
				begun := c.Time.Add(-c.Mono).Local()
				year, month, day := begun.Date()
				return compare(c.Time.UnixMilli(), time.Date(year, month, day, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), begun.Location()).UnixMilli())
			}, nil
		}
	}
	return nil, errors.New("want " + wants("since"))
}
