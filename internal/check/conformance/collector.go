package conformance

import (
	"cmp"
	"slices"

	"acpshim/internal/chain/wire"
)

// A Collector makes a report of what is found. Each rule has one finding: its first failure, else
// its first warning; "ok" if it was tried; else the first reason why it was not.
type Collector struct {
	// Redact removes secrets from what peers wrote; nil changes nothing.
	Redact func(string) string

	rules    []Rule
	findings map[string]*Finding
	isChosen bool // only some rules were asked for
}

// NewCollector returns a Collector for the rules of a side. If names is not empty, the report has
// only the rules with these ids.
func NewCollector(side wire.Side, names ...string) *Collector {
	c := &Collector{findings: map[string]*Finding{}, isChosen: len(names) > 0}
	for _, r := range Rules(side) {
		if len(names) == 0 || slices.Contains(names, r.ID) {
			c.rules = append(c.rules, r)
			c.findings[r.ID] = &Finding{Rule: r.ID, Level: r.Level, Source: r.Source, Status: Skipped}
		}
	}
	return c
}

// Wants reports whether the report has a rule.
func (c *Collector) Wants(rule string) bool { return c.findings[rule] != nil }

// Status returns the status of a rule until now; "" if the report does not have it, or if it was
// neither tried nor skipped.
func (c *Collector) Status(rule string) Status {
	f := c.findings[rule]
	if f == nil || f.Status == Skipped && f.Text == "" {
		return ""
	}
	return f.Status
}

// Tried adds that rules were tried. Without a fault they are ok.
func (c *Collector) Tried(rules ...string) {
	for _, name := range rules {
		if f := c.findings[name]; f != nil && f.Status == Skipped {
			f.Status, f.Text = OK, ""
		}
	}
}

// Skip adds why rules were not tried. It does nothing for rules that were tried.
func (c *Collector) Skip(reason string, rules ...string) {
	for _, name := range rules {
		if f := c.findings[name]; f != nil && f.Status == Skipped && f.Text == "" {
			f.Text = c.secretless(reason)
		}
	}
}

// Fault adds that a peer broke a rule. It is a warning if the rule or the fault is a SHOULD.
func (c *Collector) Fault(rule string, fault Fault) {
	f := c.findings[rule]
	if f == nil {
		return
	}
	status := Failed
	if fault.Advice || !f.Level.Fails() {
		status = Warning
	}
	if f.Status == Failed || f.Status == status {
		if f.Status == status {
			f.More++
			c.keep(f, fault)
		}
		return
	}
	f.Status, f.More, f.Faults = status, 0, nil
	c.keep(f, fault)
	first := f.Faults[0]
	f.Sent, f.Got, f.Text, f.Record = first.Sent, first.Got, first.Text, first.Record
}

// keep adds a fault to those of a finding.
func (c *Collector) keep(f *Finding, fault Fault) {
	if len(f.Faults) < maxFaults {
		rule, _ := Find(f.Rule)
		fault.Sent, fault.Got, fault.Text = c.secretless(fault.Sent), c.secretless(fault.Got), c.secretless(cmp.Or(fault.Text, rule.Line))
		f.Faults = append(f.Faults, fault)
	}
}

func (c *Collector) secretless(text string) string {
	if c.Redact == nil {
		return text
	}
	return c.Redact(text)
}

// Report returns what was found until now.
func (c *Collector) Report() Report {
	r := Report{Schema: 1, Rules: []Finding{}, isChosen: c.isChosen}
	for _, rule := range c.rules {
		f := *c.findings[rule.ID]
		switch f.Status {
		case Failed:
			r.Failed++
		case Warning:
			r.Warnings++
		case Skipped:
			r.Skipped++
		default:
			r.OK++
		}
		if f.Text == "" {
			f.Text = rule.Line
			if f.Status == Skipped {
				f.Text = "it was not tried"
			}
		}
		r.Rules = append(r.Rules, f)
	}
	return r
}
