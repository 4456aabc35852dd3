package conformance

import (
	"fmt"

	"acpshim/internal/text/terminal"
)

// A Status is the result of a rule.
type Status string

const (
	OK      Status = "ok"
	Failed  Status = "failed"
	Warning Status = "warning"
	Skipped Status = "skipped"
)

// A Finding is the result of one rule. Its texts name messages by their numbers in the record, as
// in #21. The names of its members are stable.
type Finding struct {
	Rule   string `json:"rule"`
	Level  Level  `json:"level"`
	Status Status `json:"status"`
	Text   string `json:"text"` // what the protocol says, or why the rule was skipped
	Sent   string `json:"sent"` // what the peer got; "" if that does not matter
	Got    string `json:"got"`  // what the peer did; "" unless it broke the rule
	More   int    `json:"more"` // how many more times it broke the rule
	Source string `json:"source"`
	Record string `json:"record"` // the file with the messages; "" if there is none

	mixed bool // the others are not like this one
}

// A Fault is one time that a peer broke a rule.
type Fault struct {
	Sent, Got, Text, Record string // as in a Finding; if Text is "", it is the rule's line

	// Advice says that the rule has a part that is only a SHOULD, and that the fault is one of it.
	Advice bool
}

// sentence returns a finding as one line: what was sent, what came, and what the protocol says.
func (f Finding) sentence() string {
	if f.Status == Skipped {
		return f.Text
	}
	text := ""
	if f.Sent != "" {
		text = "sent " + f.Sent + "; "
	}
	if f.Got != "" {
		text += "got " + f.Got + f.more() + "; "
	}
	return text + f.Text + " (" + f.Source + ")"
}

// more says how often the rule was broken apart from this.
func (f Finding) more() string {
	switch {
	case f.More == 0:
		return ""
	case f.mixed:
		return fmt.Sprintf(", and %s of this rule", terminal.Count(f.More, "other fault", "other faults"))
	}
	return fmt.Sprintf(", and %d more such %s", f.More, map[bool]string{true: "line", false: "lines"}[f.More == 1])
}
