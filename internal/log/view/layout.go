package view

import (
	"fmt"
	"strings"

	"acpshim/internal/chain/wire"
	"acpshim/internal/text/terminal"
)

// A layout is JSON as lines for people. A value that fits into a line is on one line, and parts
// that are too many are counted.
type layout struct {
	columns, lines int // the room
	parts          int // of an object or a list; more are not shown
	drawn          []string
	shortened      bool
}

// mostDepth is how deep JSON is drawn, and fewParts how many parts are drawn if all are too many.
const (
	mostDepth = 8
	fewParts  = 6
)

// pretty draws JSON in at most so many lines. It draws as deep as they allow, and all parts rather
// than the first ones. It reports whether something is left out.
func pretty(raw []byte, columns, lines int) (drawn []string, shortened bool) {
	for depth := mostDepth; ; depth-- {
		for _, parts := range []int{len(raw), fewParts, fewParts / 2} {
			l := layout{columns: columns, lines: lines, parts: parts}
			if l.value("", raw, "", depth); len(l.drawn) <= lines || depth == 0 {
				return l.drawn, l.shortened
			}
		}
	}
}

// value draws a value after its margin and name, and a comma or nothing after it.
func (l *layout) value(name string, raw []byte, comma string, depth int) {
	if len(l.drawn) > l.lines {
		return // it does not fit
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

// mostBeside is how wide a part is that shares a line with others.
const mostBeside = 40

// each draws the first parts of an object or a list. Short ones share a line.
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

// parts returns the parts of an object with their names, or those of a list. It returns none for
// other values.
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

// oneLine is a value on a line, or the beginning of a long value.
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
