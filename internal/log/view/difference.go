package view

import (
	"fmt"
	"strings"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// mostChanged is how many places a row names.
const mostChanged = 6

// changed names the places where a message differs from the one whose place it took; "" if it is
// about something else.
func changed(m *history.Message) string {
	if m.Of == nil || m.Of.Method != m.Method || m.Of.Update != m.Update {
		return ""
	}
	var parts []string
	sign, parent := "", ""
	all := wire.Differences(m.Of.JSON, m.JSON)
	for _, d := range all[:min(len(all), mostChanged)] {
		path := strings.Join(d.Pointer, ".")
		for _, usual := range []string{"params.update.", "params.", "result."} {
			path = strings.TrimPrefix(path, usual)
		}
		in := path[:strings.LastIndexByte(path, '.')+1]
		switch {
		case d.Sign() != sign:
			parts = append(parts, d.Sign()+" "+path)
		case in == parent && in != "":
			parts[len(parts)-1] += ", ." + strings.TrimPrefix(path, in)
		default:
			parts[len(parts)-1] += ", " + path
		}
		sign, parent = d.Sign(), in
	}
	if more := len(all) - mostChanged; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, " ")
}

const (
	mostDifferences = 8 // that a page has
	linesOfValue    = 3
)

// differences writes where a message differs from the one whose place it took. It reports whether
// the two can be compared.
func (p *page) differences(m *history.Message) bool {
	if m.Of == nil || m.Method != m.Of.Method {
		return false
	}
	all := wire.Differences(m.Of.JSON, m.JSON)
	p.WriteString(fmt.Sprintf("\n#%d, which acpshim sent instead, differs in:\n", m.Seq))
	for _, d := range all[:min(len(all), mostDifferences)] {
		p.difference(d)
	}
	if more := len(all) - mostDifferences; more > 0 {
		p.WriteString(fmt.Sprintf("and %d more\n", more))
	}
	return true
}

// difference writes a place with both values, on one line if there is room.
func (p *page) difference(d wire.Difference) {
	place := d.Sign() + " " + terminal.Plain(d.Pointer.String(), 0)
	var values, lines []string
	for _, value := range [][]byte{d.Before, d.After} {
		if value != nil {
			values = append(values, oneLine(value, p.columns))
			drawn, _ := pretty(value, p.columns-4, linesOfValue)
			lines = append(lines, drawn...)
		}
	}
	if line := place + " " + strings.Join(values, " -> "); terminal.Width(line) <= p.columns {
		place, lines = line, nil
	}
	p.WriteString(p.style.Line(terminal.Part{Text: place, Colour: colours[d.Sign()[0]]}))
	for _, line := range lines {
		p.WriteString(p.style.Line(terminal.Part{Text: "    " + line}))
	}
}
