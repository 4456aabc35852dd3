package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"acpshim/internal/chain/wire"
	"acpshim/translate/entry"

	"github.com/go-json-experiment/json/jsontext"
)

// A jsonDocument is the result of reading a document in JSON.
type jsonDocument struct {
	convention string
	steps      []step
	prose      string // the text besides the steps
	whole      string // the document as markdown, if it is not a plan
	problem    error
}

// readJSON reads a document that is only JSON, bare or in a fence. Ok is false for other documents.
// An incomplete document in JSON counts as JSON.
func readJSON(document string) (j jsonDocument, ok bool) {
	text := strings.Trim(strings.TrimPrefix(document, "\ufeff"), jsonSpace)
	inside, fenced := unfence(text)
	if !mayBeginJSON(inside) {
		return j, false
	}
	begin := inside[:min(len(inside), maxDocument)]
	line := 1 + strings.Count(document[:strings.Index(document, inside)], "\n")
	r := planReader{text: begin, dec: newDecoder(begin), line: line}
	cut := len(inside) > len(begin)
	err := r.read()
	behind := ""
	if err == nil {
		behind = strings.TrimSpace(inside[r.dec.InputOffset():])
	}
	unfinished := errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case (behind != "" || err != nil && !unfinished) && !r.named:
		return j, false
	case unfinished && !cut && !fenced:
		j.problem = ErrUnfinished
	case unfinished && cut:
		r.problems.add("longer than %d bytes, the rest was not read", maxDocument)
	case err != nil:
		r.problems.add("%s", shorten(err.Error()))
	case behind != "":
		r.problems.add("text after the JSON")
	}
	j.convention, j.steps = r.plan(err == nil)
	explanation, _ := wire.Text(r.members.raw("explanation"))
	j.prose = strings.TrimSpace(explanation + "\n\n" + behind)
	if j.problem != nil {
		return j, true
	}
	if j.convention == "" || err != nil && len(j.steps) == 0 {
		j.convention = "JSON document"
		j.steps = []step{{task: task{content: r.title()}, line: line}}
		if j.whole = text; !fenced {
			j.whole = "```json\n" + text + "\n```"
		}
	}
	j.problem = r.problems.err(j.convention)
	return j, true
}

const jsonSpace = " \t\r\n"

// unfence returns the text inside a fence of JSON, if a text is only that.
func unfence(text string) (inside string, fenced bool) {
	first, rest, _ := strings.Cut(text, "\n")
	language := strings.TrimLeft(first, "`")
	ticks := first[:len(first)-len(language)]
	if len(ticks) < 3 || !strings.EqualFold(strings.TrimSpace(language), "json") {
		return text, false
	}
	inside, last, closed := strings.Cut(rest, "\n"+ticks)
	if !closed || strings.Trim(last, "`") != "" {
		return text, false
	}
	return strings.Trim(inside, jsonSpace), true
}

// mayBeginJSON reports whether a text can begin a document in JSON: an object, or a list that is
// empty or has objects or strings.
func mayBeginJSON(text string) bool {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return false
	}
	next := strings.TrimLeft(text[1:], jsonSpace)
	return next == "" || text[0] == '{' || strings.IndexByte(`"{]`, next[0]) >= 0
}

func newDecoder(text string) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBufferString(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// document returns the result of [Read].
func (j *jsonDocument) document() Document {
	entries, short := list(j.steps, overflow{}, j.convention)
	text := j.prose + j.whole
	d := Document{Entries: entries, Prose: short || text != "", Problem: j.problem}
	for _, s := range j.steps {
		text += "\n" + s.content
	}
	d.Digest = digest(text, nil)
	return d
}

// Message returns a document as markdown for people. For a plan in JSON, that is the text besides
// its entries. Its steps follow as a list, unless the client shows them completely as entries.
func Message(document string, shown bool) string {
	j, ok := readJSON(document)
	if !ok {
		return document
	}
	if j.whole != "" {
		return j.whole
	}
	if _, short := list(j.steps, overflow{}, j.convention); shown && !short {
		return j.prose
	}
	var b strings.Builder
	for _, s := range j.steps {
		e, _ := entry.New(s.content, "", s.status, nil)
		if shown && e.Status == entry.InProgress {
			e.Status = entry.Pending // the entries show the status
		}
		b.WriteString(e.Item())
	}
	return strings.TrimSpace(j.prose + "\n\n" + b.String())
}

// A problemList has the first problems of a document, and counts the others.
type problemList struct {
	first []string
	more  int
}

const (
	maxProblems = 5
	maxProblem  = 300 // characters of one
)

func (p *problemList) add(format string, args ...any) {
	if len(p.first) == maxProblems {
		p.more++
		return
	}
	p.first = append(p.first, clip(fmt.Sprintf(format, args...), maxProblem))
}

func (p *problemList) err(convention string) error {
	if len(p.first) == 0 {
		return nil
	}
	text := convention + ": " + strings.Join(p.first, "; ")
	if p.more > 0 {
		text += fmt.Sprintf("; and %d more", p.more)
	}
	return errors.New(text)
}

// quoted quotes foreign text for a person, shortened.
func quoted(text string) string { return fmt.Sprintf("%q", clip(text, 40)) }
