// Package validate checks the messages of a record against the protocol's schemas.
//
// It has an evaluator of its own. The library that the tests use, jsonschema, compiles the
// metaschemas when a program starts: 4 ms and 3 MB for every run. It also keeps all errors of a
// value, which is gigabytes for a hostile line, and would need as much code for the texts.
package validate

import (
	"errors"
	"io"

	"acpshim/internal/chain/acp"
	"acpshim/internal/log/query"
	"acpshim/internal/log/stats"
	"acpshim/internal/log/validate/schema"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// errNegotiated stops the reading of a record when the version is known.
var errNegotiated = errors.New("the version is known")

// Check checks all messages of h against the schema of the negotiated version.
func Check(h *history.History) Report {
	var n negotiation
	for _, m := range h.Messages {
		n.add(m)
	}
	v := newValidation(n)
	for _, m := range h.Messages {
		v.add(m)
	}
	v.report.Gaps = stats.Gaps(h)
	return v.finish(h)
}

// Read checks the messages that match q in the record that open opens, without keeping them. It
// also returns the rest of the history. The error is from opening or reading.
func Read(open func() (io.ReadCloser, error), q query.Query) (Report, *history.History, error) {
	var n negotiation
	_, err := history.Walk(open, func(m *history.Message, _ record.Record) error {
		if n.add(m); n.client != "" {
			return errNegotiated
		}
		return nil
	})
	if err != nil && err != errNegotiated {
		return Report{}, nil, err
	}
	selection, err := q.Select(open)
	if err != nil {
		return Report{}, nil, err
	}
	v := newValidation(n)
	h, err := history.Walk(open, func(m *history.Message, r record.Record) error {
		if m == nil {
			v.report.Gaps = stats.AppendGap(v.report.Gaps, r)
		} else if selection.Next(m) {
			v.add(m)
		}
		return nil
	})
	if err != nil {
		return Report{}, nil, err
	}
	return v.finish(h), h, nil
}

// A validation checks messages one after the other.
type validation struct {
	report        Report
	client, agent *schema.Version // the versions of the peers; nil if there is no schema
	groups        map[Group]bool
}

func newValidation(n negotiation) *validation {
	v := &validation{
		report: Report{Version: n.version(), Findings: []Finding{}, Gaps: []stats.Gap{}},
		groups: map[Group]bool{},
	}
	v.client = schema.Load()[v.report.Version]
	if v.agent = v.client; n.agent != "" && n.agent != v.report.Version && n.client != "" {
		v.report.Agents, v.agent = n.agent, schema.Load()[n.agent]
	}
	v.report.Known = v.client != nil && v.agent != nil
	return v
}

// add checks the next message.
func (v *validation) add(m *history.Message) {
	if !v.report.Known {
		return
	}
	if m.Message.Received() {
		v.report.Messages++
	} else {
		v.report.Made++
	}
	c := messageCheck{m: m, schemas: v.schemas(m)}
	if group := c.finding().group(); !v.groups[group] {
		v.groups[group] = true
		v.report.Groups = append(v.report.Groups, group)
	}
	c.run()
	for _, f := range c.found {
		if f.Note {
			v.report.Notes++
		} else {
			v.report.Errors++
		}
	}
	v.report.Findings = append(v.report.Findings, c.found...)
}

// schemas returns the version of the peer that sent a message. For a message that acpshim made, it
// is the version of the peer that gets it, and for a request of initialize the version that is
// offered.
func (v *validation) schemas(m *history.Message) *schema.Version {
	if m.Method == acp.Initialize && m.Kind == history.Request {
		if offered := schema.Load()[protocolVersion(m)]; offered != nil {
			return offered
		}
	}
	if (m.Message.Dir == record.Client) == m.Message.Received() {
		return v.client
	}
	return v.agent
}

// finish returns the report after the last message.
func (v *validation) finish(h *history.History) Report {
	v.report.Broken = h.Broken
	if h.Start != nil {
		v.report.Record = h.Start.Run
	}
	return v.report
}
