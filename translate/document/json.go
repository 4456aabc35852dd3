package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"acpshim/internal/wire"
	"acpshim/translate/entry"

	"github.com/go-json-experiment/json/jsontext"
)

// A jsonDocument is a document in JSON that has been read.
type jsonDocument struct {
	convention string
	steps      []step
	prose      string // what its author says beside the steps
	whole      string // the document as markdown, if it is no plan
	problem    error
}

// readJSON reads a document that is JSON and nothing else, bare or in a fence; ok is false
// for others. The beginning of what may become JSON is JSON.
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
		r.problems.add("text behind the JSON")
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

// unfence returns what stands in a fence of JSON, if a text is nothing but one.
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

// mayBeginJSON reports whether a text may be the beginning of a document in JSON: an object,
// or a list of objects or strings, or an empty one.
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

// document returns what [Read] returns of a document in JSON.
func (j *jsonDocument) document() Document {
	entries, short := list(j.steps, rest{}, j.convention)
	prose := j.prose + j.whole
	return Document{entries, short || prose != "", digest(prose, entries, nil), j.problem}
}

// Message returns a document as the markdown that a person is shown: itself. Of a plan in
// JSON that is what it says beside its entries; and its steps as a list, if they are not
// shown otherwise, or were cut there.
func Message(document string, shown bool) string {
	j, ok := readJSON(document)
	if !ok {
		return document
	}
	if j.whole != "" {
		return j.whole
	}
	if _, short := list(j.steps, rest{}, j.convention); shown && !short {
		return j.prose
	}
	var b strings.Builder
	for _, s := range j.steps {
		e, _ := entry.New(s.content, "", s.status, nil)
		if shown && e.Status == entry.InProgress {
			e.Status = entry.Pending // how it stands is seen
		}
		b.WriteString(e.Item())
	}
	return strings.TrimSpace(j.prose + "\n\n" + b.String())
}

// problems are what is wrong with a document, the first few of them.
type problems struct {
	first []string
	more  int
}

// Bounds on the problems that are named, and on the characters of each.
const (
	maxProblems = 5
	maxProblem  = 300
)

func (p *problems) add(format string, args ...any) {
	if len(p.first) == maxProblems {
		p.more++
		return
	}
	p.first = append(p.first, clip(fmt.Sprintf(format, args...), maxProblem))
}

// err returns them as an error, or nil if there are none.
func (p *problems) err(convention string) error {
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
