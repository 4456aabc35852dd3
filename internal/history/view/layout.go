package view

import (
	"fmt"
	"strings"

	"acpshim/internal/terminal"
	"acpshim/internal/wire"
)

// A layout is JSON as lines for people: what fits into a line is one, and what is too much is
// counted instead.
type layout struct {
	columns, lines int // that there is room for
	parts          int // of an object or a list that are shown
	drawn          []string
	shortened      bool
}

// mostDepth is how deep JSON is drawn, and fewParts how many parts of each where all are too many.
const (
	mostDepth = 8
	fewParts  = 6
)

// pretty draws JSON in at most so many lines: as deep as they allow, and with all parts rather than
// the first ones. It reports whether something is left out.
func pretty(raw []byte, columns, lines int) (drawn []string, shortened bool) {
	for depth := mostDepth; depth > 0; depth-- {
		for _, parts := range []int{len(raw), fewParts, fewParts / 2} {
			l := layout{columns: columns, lines: lines, parts: parts}
			l.value("", raw, "", depth)
			if len(l.drawn) <= lines {
				return l.drawn, l.shortened
			}
		}
	}
	l := layout{columns: columns, lines: lines}
	l.value("", raw, "", 0)
	return l.drawn, l.shortened
}

// value draws a value behind its margin and name, and a comma or nothing behind it.
func (l *layout) value(name string, raw []byte, comma string, depth int) {
	if len(l.drawn) > l.lines {
		return // it is too much already
	}
	line := name + oneLine(raw, l.columns) + comma
	if terminal.Width(line) <= l.columns {
		l.drawn = append(l.drawn, line)
		return
	}
	names, values := parts(raw)
	if values == nil || depth == 0 {
		l.shortened = true
		rest := " " + terminal.Size(int64(len(raw))) + string(raw[len(raw)-1:]) + comma
		l.drawn = append(l.drawn, terminal.Cut(line, max(l.columns-len(rest), 1))+rest)
		return
	}
	margin := line[:len(line)-len(strings.TrimLeft(line, " "))]
	opening := terminal.Cut(name, l.columns-1)
	l.shortened = l.shortened || opening != name
	l.drawn = append(l.drawn, opening+string(raw[:1]))
	l.each(margin+"  ", names, values, depth-1)
	l.drawn = append(l.drawn, margin+string(raw[len(raw)-1:])+comma)
}

// mostBeside is how wide a part is that stands beside others on a line.
const mostBeside = 40

// each draws the first parts of an object or a list. Short ones stand beside each other.
func (l *layout) each(margin string, names []string, values [][]byte, depth int) {
	isOpen := false // the last line has short parts
	for i, value := range values {
		comma := ","
		if i == len(values)-1 {
			comma = ""
		}
		if i == l.parts {
			l.shortened = true
			l.drawn = append(l.drawn, fmt.Sprintf("%s… %d more", margin, len(values)-i))
			return
		}
		at := len(l.drawn)
		l.value(margin+names[i], value, comma, depth)
		isShort := len(l.drawn) == at+1 && terminal.Width(l.drawn[at]) <= len(margin)+mostBeside
		if isOpen && isShort {
			line := l.drawn[at-1] + " " + l.drawn[at][len(margin):]
			if terminal.Width(line) <= l.columns {
				l.drawn = append(l.drawn[:at-1], line)
			}
		}
		isOpen = isShort
	}
}

// parts are those of an object, with their names, or of a list; none of anything else.
func parts(raw []byte) (names []string, values [][]byte) {
	if o, _ := wire.Parse(raw); o != nil {
		for _, m := range o.Members {
			names = append(names, terminal.Message(raw[m.Key.Start:m.Key.End])+": ")
			values = append(values, raw[m.Value.Start:m.Value.End])
		}
		return names, values
	}
	values, _ = wire.Elements(raw)
	return make([]string, len(values)), values
}

// oneLine is a value on a line; of a long one the beginning.
func oneLine(raw []byte, columns int) string {
	if len(raw) > 8*columns {
		return terminal.Message(raw[:8*columns])
	}
	names, values := parts(raw)
	if values == nil {
		return terminal.Message(raw)
	}
	for i, value := range values {
		names[i] += oneLine(value, columns)
	}
	return string(raw[:1]) + strings.Join(names, ", ") + string(raw[len(raw)-1:])
}
