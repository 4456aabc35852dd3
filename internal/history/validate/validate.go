// Package validate holds the messages of a record against the protocol's schemas.
package validate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/history"
	"acpshim/internal/history/query"
	"acpshim/internal/history/stats"
	"acpshim/internal/history/validate/schema"
	"acpshim/internal/record"
)

// A Finding is one place where a message is not as the schema has it.
type Finding struct {
	Seq     uint64           `json:"seq"`
	From    record.Direction `json:"from"`
	Acpshim bool             `json:"acpshim"` // it is what acpshim made of it
	Name    string           `json:"name"`    // the method, or the update of a session/update
	Kind    history.Kind     `json:"kind"`
	Note    bool             `json:"note"`    // it is no error
	Pointer string           `json:"pointer"` // a JSON pointer into the message
	Text    string           `json:"text"`
}

// A Subject is what messages are that are alike.
type Subject struct {
	From string // client, agent or acpshim
	Kind history.Kind
	Name string
}

// subject is what the message of a finding is.
func (f Finding) subject() Subject {
	from := string(f.From)
	if f.Acpshim {
		from = "acpshim"
	}
	return Subject{from, f.Kind, f.Name}
}

// A Report is what was found in a record.
type Report struct {
	Record   string    `json:"record"`           // its name; "" if it does not say it
	Version  string    `json:"version"`          // what was negotiated
	Agents   string    `json:"agents,omitempty"` // the version that the agent speaks if it is another one, else ""
	Known    bool      `json:"known"`            // there is a schema of it; else nothing was checked
	Messages int       `json:"messages"`         // what the peers sent
	Made     int       `json:"made"`             // what acpshim sent in its place, or by itself
	Errors   int       `json:"errors"`
	Notes    int       `json:"notes"`
	Findings []Finding `json:"findings"` // in the record's order, never nil

	Subjects []Subject `json:"-"` // what the messages are, in the order in which they came first

	Gaps   []stats.Gap `json:"gaps"`   // what is not in the record was not checked
	Broken int         `json:"broken"` // nor these lines of the file
}

// Check validates the messages of h against the schema of the version that h negotiates: 1 if that
// is not in it.
func Check(h *history.History) Report {
	var n negotiation
	for _, m := range h.Messages {
		n.add(m)
	}
	c := newValidation(n)
	for _, m := range h.Messages {
		c.message(m)
	}
	c.report.Gaps = stats.Gaps(h)
	return c.of(h)
}

// Read is Check for the messages that a query means of the record that open opens, which is not
// kept. It returns what else is known of the record. The error is one of opening or of reading.
func Read(open func() (io.ReadCloser, error), q query.Query) (Report, *history.History, error) {
	var n negotiation
	_, err := history.Walk(open, func(m *history.Message, _ record.Record) error {
		if n.add(m); n.client != "" {
			return errChosen
		}
		return nil
	})
	if err != nil && err != errChosen {
		return Report{}, nil, err
	}
	meant, err := q.Select(open)
	if err != nil {
		return Report{}, nil, err
	}
	c := newValidation(n)
	h, err := history.Walk(open, func(m *history.Message, r record.Record) error {
		if m == nil {
			c.report.Gaps = stats.AppendGap(c.report.Gaps, r)
		} else if meant.Next(m) {
			c.message(m)
		}
		return nil
	})
	if err != nil {
		return Report{}, nil, err
	}
	return c.of(h), h, nil
}

// A validation is of the messages of a record.
type validation struct {
	report        Report
	client, agent *schema.Version // of what each speaks; nil checks nothing
	known         map[Subject]bool
}

func newValidation(n negotiation) *validation {
	v := &validation{
		report: Report{Version: n.version(), Findings: []Finding{}, Gaps: []stats.Gap{}},
		known:  map[Subject]bool{},
	}
	v.client = schema.Load()[v.report.Version]
	if v.agent = v.client; n.agent != "" && n.agent != v.report.Version && n.client != "" {
		v.report.Agents, v.agent = n.agent, schema.Load()[n.agent]
	}
	v.report.Known = v.client != nil && v.agent != nil
	return v
}

// schemaOf is that of the peer that sent a message or, of one that acpshim made, gets it.
func (v *validation) schemaOf(m *history.Message) *schema.Version {
	if (m.Message.Dir == record.Client) == m.Message.Received() {
		return v.client
	}
	return v.agent
}

// of is the report on a record of which all messages were taken in.
func (v *validation) of(h *history.History) Report {
	v.report.Broken = h.Broken
	if h.Start != nil {
		v.report.Record = h.Start.Run
	}
	return v.report
}

// message takes in the next message.
func (v *validation) message(m *history.Message) {
	if !v.report.Known {
		return
	}
	if m.Message.Received() {
		v.report.Messages++
	} else {
		v.report.Made++
	}
	of := v.schemaOf(m)
	if m.Method == "initialize" && m.Kind == history.Request { // of the version that is offered
		if offered := schema.Load()[version(m)]; offered != nil {
			of = offered
		}
	}
	c := checking{m: m, schemas: of}
	if of := c.finding().subject(); !v.known[of] {
		v.known[of] = true
		v.report.Subjects = append(v.report.Subjects, of)
	}
	c.message()
	for _, f := range c.found {
		if f.Note {
			v.report.Notes++
		} else {
			v.report.Errors++
		}
	}
	v.report.Findings = append(v.report.Findings, c.found...)
}

// A negotiation finds the version in the response that the client got, in the last one of the agent
// up to that, and in the client's offer.
type negotiation struct{ offered, client, agent string }

// errChosen ends the reading of a record whose version is known.
var errChosen = errors.New("the version is known")

// add takes in the next message, or nil.
func (n *negotiation) add(m *history.Message) {
	switch {
	case m == nil:
	case m.Kind == history.Request:
		n.offered = cmp.Or(n.offered, version(m))
	case m.Kind == history.Response && n.client == "" && version(m) != "":
		if m.Message.Received() {
			n.agent = version(m)
		}
		if m.Message.Sent() {
			n.client = version(m)
		}
	}
}

func (n *negotiation) version() string { return cmp.Or(n.client, n.agent, n.offered, "1") }

// version is the number in a message of initialize; "" if there is none.
func version(m *history.Message) string {
	if m.Method != "initialize" {
		return ""
	}
	var text struct{ Params, Result struct{ ProtocolVersion int } }
	json.Unmarshal(m.JSON, &text) // what is not there is 0
	if v := max(text.Params.ProtocolVersion, text.Result.ProtocolVersion); v > 0 {
		return strconv.Itoa(v)
	}
	return ""
}

// checking is about one message.
type checking struct {
	m       *history.Message
	schemas *schema.Version
	found   []Finding
}

// add adds a finding; a note is no error.
func (c *checking) add(note bool, at, format string, args ...any) {
	f := c.finding()
	f.Note, f.Pointer, f.Text = note, at, fmt.Sprintf(format, args...)
	c.found = append(c.found, f)
}

// finding is one about the message, of which nothing is said yet.
func (c *checking) finding() Finding {
	return Finding{Seq: c.m.Seq, From: c.m.Message.Dir, Acpshim: !c.m.Message.Received(), Name: c.m.Name(), Kind: c.m.Kind}
}

// message checks the whole message.
func (c *checking) message() {
	if c.m.JSON == nil {
		c.unread()
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(c.m.JSON))
	decoder.UseNumber()
	var message map[string]any
	if err := decoder.Decode(&message); err != nil {
		c.add(false, "", "cannot be read: %v", err)
		return
	}
	c.envelope(message)
	if c.m.Failed {
		c.body("Error", "Error", message["error"], "/error")
		return
	}
	stable, unstable, ok := c.method()
	if !ok {
		return
	}
	switch c.m.Kind {
	case history.Response:
		c.body(stable.Result, unstable.Result, message["result"], "/result")
	case history.Request:
		if unstable.Request == "" {
			c.add(false, "/id", "is a notification by the schema, and has an id")
			return
		}
		c.params(stable.Request, unstable.Request, message)
	case history.Notification:
		if unstable.Notification == "" {
			c.add(false, "", "is a request by the schema, and has no id")
			return
		}
		c.params(stable.Notification, unstable.Notification, message)
	}
}

// unread says why a line is no message.
func (c *checking) unread() {
	switch {
	case c.m.Message.Line == nil:
		c.add(true, "", "the line is too long to be kept: it was not checked")
	case len(bytes.TrimSpace(c.m.Message.Line)) == 0: // readers skip it
	case c.m.Ambiguous:
		c.add(false, "", "a name stands twice in it: readers may take either")
	default:
		c.add(false, "", "the line is no message of JSON-RPC")
	}
}

// method returns what the schemas say of the message's method; not ok is what they say
// nothing of, which is noted.
func (c *checking) method() (stable, unstable *schema.Method, ok bool) {
	stable, unstable = c.schemas.Stable.Methods[c.m.Method], c.schemas.Unstable.Methods[c.m.Method]
	switch {
	case c.m.Kind == history.Response && c.m.Request == nil:
		c.add(true, "/id", "answers no request that is in the record: its result was not checked")
	case strings.HasPrefix(c.m.Method, "_"):
		c.add(true, "/method", "an extension")
	case unstable == nil:
		c.add(true, "/method", "the schema has no such method")
	case stable == nil:
		c.add(true, "/method", "a method of the unstable schema only")
		return &schema.Method{}, unstable, true
	default:
		c.direction(stable)
		return stable, unstable, true
	}
	return nil, nil, false
}

// envelope checks what JSON-RPC asks of a message.
func (c *checking) envelope(message map[string]any) {
	if v, ok := message["jsonrpc"]; !ok {
		c.add(false, "", `"jsonrpc" is missing`)
	} else if v != "2.0" {
		c.add(false, "/jsonrpc", "want \"2.0\", have %s", short(v))
	}
	if id, ok := message["id"]; ok && !is(id, "null") && !is(id, "string") && !is(id, "integer") {
		c.add(false, "/id", "want a string or an integer, have %s", short(id))
	}
}

// direction checks that a message comes from the peer that sends such ones.
func (c *checking) direction(m *schema.Method) {
	handler := m.NotificationHandler
	if c.m.Kind == history.Request {
		handler = m.Handler
	}
	if c.m.Kind != history.Response && handler == string(c.m.Message.Dir) {
		c.add(false, "/method", "is for the %s, and came from it", handler)
	}
}

// params checks the params, which may be left out where nothing in them is required.
func (c *checking) params(stable, unstable string, message map[string]any) {
	params, ok := message["params"]
	if !ok {
		params = map[string]any{}
	}
	c.body(stable, unstable, params, "/params")
}

// body checks against both schemas, if there are rules of these names: what only the
// unstable one accepts is a note.
func (c *checking) body(stable, unstable string, v any, at string) {
	rule := func(s *schema.Schema, name string) []problem {
		if name == "" {
			return nil
		}
		return check(s, s.Rules[name], v, at)
	}
	found := rule(c.schemas.Stable, stable)
	if stable == "" {
		c.problems(rule(c.schemas.Unstable, unstable))
		return
	}
	if len(found) == 0 {
		return
	}
	still := rule(c.schemas.Unstable, unstable)
	for _, p := range found {
		if !slices.ContainsFunc(still, func(s problem) bool { return s.at == p.at }) {
			c.add(true, p.at, "only the unstable schema accepts this: %s", p.text)
		}
	}
	c.problems(still)
}

// problems adds what was found against a schema. What later versions, or extensions, may
// bring are notes.
func (c *checking) problems(found []problem) {
	for _, p := range found {
		switch {
		case p.extension:
			c.add(true, p.at, "an extension: %s", p.text)
		case p.unknown && p.at == "/params/update/sessionUpdate":
			c.add(true, p.at, "%s", p.text)
		case p.readers != "":
			c.add(false, p.at, "%s; readers %s", p.text, p.readers)
		default:
			c.add(false, p.at, "%s", p.text)
		}
	}
}
