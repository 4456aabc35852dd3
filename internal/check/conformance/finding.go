package conformance

import (
	"fmt"
	"slices"

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

	// Faults has each time that the peer broke the rule, up to maxFaults. The first one is the
	// finding itself.
	Faults []Fault `json:"faults,omitempty"`
}

// maxFaults is how many faults of a finding are kept.
const maxFaults = 100

// A Fault is one time that a peer broke a rule.
type Fault struct {
	Sent   string `json:"sent"` // as in a Finding
	Got    string `json:"got"`
	Text   string `json:"text"` // "" is the rule's line
	Record string `json:"record"`

	// Advice says that the rule has a part that is only a SHOULD, and that the fault is one of it.
	Advice bool `json:"-"`
}

// sentence returns a finding as one line: what was sent, what came, and what the protocol says.
func (f Finding) sentence() string {
	if f.Status == Skipped {
		return f.Text
	}
	return f.fault(f.more(), f.Source)
}

// fault returns a finding as sentence does. More says how often the rule was broken apart from
// this, and from is where the rule and the numbers come from.
func (f Finding) fault(more, from string) string {
	text := ""
	if f.Sent != "" {
		text = "sent " + f.Sent + "; "
	}
	if f.Got != "" {
		text += "got " + f.Got + more + "; "
	}
	return text + f.Text + " (" + from + ")"
}

// each returns a finding for each fault of a finding, up to a limit, or the finding itself.
func (f Finding) each(limit int) (all []Finding) {
	left := f.More + 1
	for _, fault := range f.Faults[:min(limit, len(f.Faults))] {
		one := f
		one.Sent, one.Got, one.Text, one.Record, one.More = fault.Sent, fault.Got, fault.Text, fault.Record, 0
		all = append(all, one)
		left--
	}
	if len(all) == 0 {
		return []Finding{f}
	}
	all[len(all)-1].More = left
	return all
}

// isMixed reports whether the faults are not all alike.
func (f Finding) isMixed() bool {
	return slices.ContainsFunc(f.Faults, func(other Fault) bool { return other.Text != f.Faults[0].Text })
}

// more says how often the rule was broken apart from this.
func (f Finding) more() string {
	switch {
	case f.More == 0:
		return ""
	case f.isMixed():
		return fmt.Sprintf(", and %s of this rule", terminal.Count(f.More, "other fault", "other faults"))
	}
	return fmt.Sprintf(", and %d more such %s", f.More, map[bool]string{true: "line", false: "lines"}[f.More == 1])
}
