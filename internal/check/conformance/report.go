package conformance

import (
	"encoding/json"
	"io"

	"acpshim/internal/text/junit"
	"acpshim/internal/text/terminal"
)

// A Report says how a peer keeps the rules. The names of its members are stable; Schema grows when
// one of them has to change.
type Report struct {
	Schema   int       `json:"schema"`
	Agent    *Peer     `json:"agent,omitempty"`  // who was judged; one of the two is nil
	Client   *Peer     `json:"client,omitempty"` // likewise
	Rules    []Finding `json:"rules"`
	OK       int       `json:"ok"`
	Failed   int       `json:"failed"`
	Warnings int       `json:"warnings"`
	Skipped  int       `json:"skipped"`

	isChosen bool // only some rules were asked for, so a text has each of their faults
}

// A Peer is what an agent or a client says about itself in initialize.
type Peer struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Protocol int    `json:"protocol"` // its version of the protocol; 0 if it said none
}

// fewest is the number of rules that have to be tried before a report says much.
const fewest = 10

// Status returns the exit status: 1 if a rule of level MUST or MUST+ failed.
func (r Report) Status() int { return min(r.Failed, 1) }

// tried returns how many rules were tried.
func (r Report) tried() int { return r.OK + r.Failed + r.Warnings }

// WriteJSON writes the report as one object on one line.
func (r Report) WriteJSON(w io.Writer) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = w.Write(append(terminal.JSON(text), '\n'))
	return err
}

// WriteJUnit writes the report as JUnit XML, with a test for each rule.
func (r Report) WriteJUnit(w io.Writer) error {
	side, peer := "agent", r.Agent
	if r.Client != nil {
		side, peer = "client", r.Client
	}
	name := "acp " + side
	if peer != nil {
		name = "acp " + terminal.Name(peer.Name)
	}
	cases := make([]junit.Case, len(r.Rules))
	for i, f := range r.Rules {
		cases[i] = junit.Case{Class: "acp." + side, Name: f.Rule}
		switch f.Status {
		case Failed:
			cases[i].Failure = []string{f.sentence()}
		case Warning:
			cases[i].Output = []string{f.sentence()}
		case Skipped:
			cases[i].Skipped = f.Text
		}
	}
	return junit.Write(w, name, cases)
}
