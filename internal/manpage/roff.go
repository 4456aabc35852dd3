package manpage

import (
	"bytes"
	"fmt"
	"strings"
)

// A page is a manual page that is being written, in the man macros of roff.
type page struct {
	b       bytes.Buffer
	heading bool // the last line is a heading
}

// begin writes the head of a page and its NAME section. The two empty fields are for the date and
// the version of a release.
func begin(name, does string) *page {
	p := &page{}
	p.line(`.\" Written from the commands: go test ./cmd/acpshim -run TestManualPages -update`)
	p.line(`.TH %s 1 "" ""`, escape(strings.ToUpper(name)))
	p.head("SH", "NAME")
	p.line(`%s \- %s`, escape(name), escape(does))
	return p
}

func (p *page) bytes() []byte { return p.b.Bytes() }

// line writes a line as it is; what is foreign in it has been escaped.
func (p *page) line(format string, args ...any) {
	fmt.Fprintf(&p.b, format+"\n", args...)
	p.heading = false
}

// macro writes a macro.
func (p *page) macro(name string) { p.line(".%s", name) }

// paragraph begins a paragraph, unless a heading has just done so.
func (p *page) paragraph() {
	if !p.heading {
		p.macro("PP")
	}
}

// head writes a heading: SH is that of a section, SS one below.
func (p *page) head(macro, text string) {
	p.line(`.%s "%s"`, macro, escape(text))
	p.heading = true
}

// section writes a section with a text, none if the text is empty.
func (p *page) section(name, text string) {
	if strings.TrimSpace(text) != "" {
		p.head("SH", name)
		p.text(text)
	}
}

// text writes paragraphs. Lines that are indented become a list if they are in two columns, else
// they stay as they are.
func (p *page) text(text string) {
	for i, paragraph := range strings.Split(strings.TrimRight(text, "\n"), "\n\n") {
		if i > 0 {
			p.paragraph()
		}
		lines := strings.Split(paragraph, "\n")
		for len(lines) > 0 {
			n := 1
			for n < len(lines) && indented(lines[n]) == indented(lines[0]) {
				n++
			}
			p.block(lines[:n], n < len(lines))
			lines = lines[n:]
		}
	}
}

func indented(line string) bool { return strings.HasPrefix(line, "  ") }

// block writes lines that are all indented or all not. More says that lines of the same paragraph
// follow.
func (p *page) block(lines []string, more bool) {
	if !indented(lines[0]) {
		for _, line := range lines {
			p.line("%s", escape(line))
		}
		return
	}
	if rows := columns(lines); rows != nil {
		for _, row := range rows {
			p.macro("TP")
			p.line(`\fB%s\fR`, escape(row[0]))
			p.line("%s", escape(row[1]))
		}
	} else {
		p.paragraph()
		p.macro("nf")
		for _, line := range lines {
			p.line("%s", escape(line))
		}
		p.macro("fi")
	}
	if more {
		p.paragraph()
	}
}

// columns splits lines of two columns into rows, at the widest gap of a line. A line that begins
// where the second column does goes on with the row before it. It is nil if some line has no gap.
func columns(lines []string) [][2]string {
	var rows [][2]string
	column := 0
	for _, line := range lines {
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		if len(rows) > 0 && indent >= column {
			rows[len(rows)-1][1] += " " + text
			continue
		}
		at, width := gap(text)
		if width < 2 {
			return nil
		}
		column = indent + at + width
		rows = append(rows, [2]string{text[:at], text[at+width:]})
	}
	return rows
}

// gap is where the widest run of spaces in a text is, and how wide.
func gap(text string) (at, width int) {
	for i := 0; i < len(text); i++ {
		if n := len(text[i:]) - len(strings.TrimLeft(text[i:], " ")); n > width {
			at, width = i, n
		}
	}
	return at, width
}

// escape has roff print a line as it is.
func escape(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`).Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}
