package doctor

import (
	"encoding/json"
	"fmt"

	"acpshim/internal/record/redact"
	"acpshim/internal/setup/config"
)

// A Level is the severity of a finding.
type Level string

const (
	OK      Level = "ok"
	Note    Level = "note"    // works, but perhaps not everywhere
	Problem Level = "problem" // does not work
)

// A Finding is one result of the examination.
type Finding struct {
	Level   Level    `json:"level"`
	Subject string   `json:"subject"`         // a word
	Text    string   `json:"text"`            // what was found
	Do      string   `json:"do,omitempty"`    // what to do about it
	Quote   []string `json:"quote,omitempty"` // lines that show it, without secrets

	isDetail bool // it is OK, and says nothing about this pair of editor and agent
}

// A Report holds all results, for bug reports. The names of its members are stable; Schema grows
// when one of them has to change.
type Report struct {
	Schema   int               `json:"schema"`
	Acpshim  string            `json:"acpshim"` // its version
	System   string            `json:"system"`  // as in linux/amd64
	Client   string            `json:"client"`  // as it was given
	Command  []string          `json:"command"` // without secrets
	Env      []string          `json:"env"`     // names only
	Agent    *Agent            `json:"agent"`   // null if it did not respond
	Methods  map[string]string `json:"methods"` // known, unknown, login or silent
	Junk     int               `json:"junk"`    // lines on standard output that are not messages
	Stderr   []string          `json:"stderr"`  // its last lines, without secrets
	Profiles []string          `json:"profiles"`
	Findings []Finding         `json:"findings"`
	Problems int               `json:"problems"`
	Notes    int               `json:"notes"`

	redactor *redact.Redactor
}

// JSON returns the report as one object, without secrets.
func (r Report) JSON() []byte {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // what the agent said was read as JSON
	}
	return r.redactor.Redact(nil, text)
}

// An Agent is an agent's response to initialize.
type Agent struct {
	Name         string          `json:"name"`
	Version      string          `json:"version"`
	Protocol     int             `json:"protocolVersion"` // -1 if it is not a whole number
	Capabilities json.RawMessage `json:"capabilities"`
	AuthMethods  []string        `json:"authMethods"` // their ids
	PlanChanges  bool            `json:"planSupportChangesTheResponse"`
}

// add adds a finding to the report and shows it.
func (x *examination) add(f Finding) {
	switch f.Level {
	case Problem:
		x.report.Problems++
	case Note:
		x.report.Notes++
	}
	x.report.Findings = append(x.report.Findings, f)
	if x.Found != nil {
		x.Found(f)
	}
}

func (x *examination) ok(subject, text string) {
	x.add(Finding{Level: OK, Subject: subject, Text: text})
}

// detail is ok for what few want to know.
func (x *examination) detail(subject, text string) {
	x.add(Finding{Level: OK, Subject: subject, Text: text, isDetail: true})
}

func (x *examination) note(subject, text, do string) {
	x.add(Finding{Level: Note, Subject: subject, Text: text, Do: do})
}

func (x *examination) problem(subject, text, do string, quote ...string) {
	x.add(Finding{Level: Problem, Subject: subject, Text: text, Do: do, Quote: quote})
}

// setBy returns, in brackets, where a setting got its value. It returns "" for the default and for
// a profile, which has a finding of its own.
func setBy(c config.Config, path string) string {
	if at := c.From(path); at.Profile == "" && at.File != "default" && at.File != "" {
		return fmt.Sprintf(" (%s, %v)", path, at)
	}
	return ""
}
