package validate

import (
	"acpshim/internal/chain/wire"
	"acpshim/internal/log/stats"
	"acpshim/internal/record/history"
)

// A Finding is a place where a message does not match the schema.
type Finding struct {
	Seq     uint64       `json:"seq"`
	From    wire.Side    `json:"from"`
	Acpshim bool         `json:"acpshim"` // acpshim made the message
	Name    string       `json:"name"`    // the method, or the update of a session/update
	Kind    history.Kind `json:"kind"`
	Note    bool         `json:"note"`    // this is not an error
	Pointer string       `json:"pointer"` // a JSON pointer into the message
	Text    string       `json:"text"`
}

// level returns the word that the reports use for errors and notes.
func (f Finding) level() string {
	if f.Note {
		return "note"
	}
	return "error"
}

// A Group is the messages of one sender, kind and name.
type Group struct {
	From string // client, agent or acpshim
	Kind history.Kind
	Name string
}

// group returns the group of the finding's message.
func (f Finding) group() Group {
	from := string(f.From)
	if f.Acpshim {
		from = "acpshim"
	}
	return Group{from, f.Kind, f.Name}
}

// A Report lists the findings in a record.
type Report struct {
	Record   string    `json:"record"`           // its name; "" if the record does not say it
	Version  string    `json:"version"`          // the negotiated version
	Agents   string    `json:"agents,omitempty"` // the agent's version; "" if it is the negotiated one
	Known    bool      `json:"known"`            // there are schemas for the versions; if not, nothing was checked
	Messages int       `json:"messages"`         // how many the peers sent
	Made     int       `json:"made"`             // how many acpshim changed or sent itself
	Errors   int       `json:"errors"`
	Notes    int       `json:"notes"`
	Findings []Finding `json:"findings"` // in the order of the record; never nil

	Groups []Group `json:"-"` // in the order of their first messages

	Gaps   []stats.Gap `json:"gaps"`   // where messages are missing in the record
	Broken int         `json:"broken"` // how many lines of the file could not be read
}
