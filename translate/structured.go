package translate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrUnfinished: the document is the beginning of a JSON document, and the rest
// may be on its way.
var ErrUnfinished = errors.New("unfinished JSON")

// A structured is a document that is JSON, read.
type structured struct {
	convention string
	steps      []step
	said       string // what its author says beside the steps
	whole      string // the document, for a reader, if it is no plan
	problem    error
}

// A step is an entry with the line of the document that it begins in.
type step struct {
	task
	line int
}

// readStructured reads a document that is JSON and nothing else, bare or in a
// fence; ok is false for others. What may become JSON is JSON.
func readStructured(document string) (s structured, ok bool) {
	text := strings.TrimLeft(strings.TrimPrefix(document, "\ufeff"), jsonSpace)
	start := len(document) - len(text)
	text = strings.TrimRight(text, jsonSpace)
	inside, fenced := unfence(text)
	start += strings.Index(text, inside)
	if !mayBegin(inside) {
		return s, false
	}
	r := newShapeReader(inside[:min(len(inside), maxDocument)], 1+strings.Count(document[:start], "\n"))
	cut := len(inside) > len(r.text)
	err := r.read()
	rest := ""
	if err == nil {
		rest = strings.TrimSpace(inside[r.dec.InputOffset():])
	}
	open := errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case !isNamed(inside) && (rest != "" || err != nil && !open):
		return s, false
	case open && !cut && !fenced:
		s.problem = ErrUnfinished
	case open && cut:
		r.problems.add("longer than %d bytes, the rest was not read", maxDocument)
	case err != nil:
		r.problems.add("%s", shorten(err.Error()))
	case rest != "":
		r.problems.add("text behind the JSON")
	}
	s.convention, s.steps = r.finish(err == nil)
	s.said = strings.TrimSpace(r.explanation + "\n\n" + rest)
	if s.problem == nil {
		if s.convention == "" || err != nil && len(s.steps) == 0 {
			s.convention, s.steps = "JSON document", []step{{task{content: r.title()}, r.first}}
			if s.whole = text; !fenced {
				s.whole = "```json\n" + text + "\n```"
			}
		}
		s.problem = r.problems.err(s.convention)
	}
	return s, true
}

const jsonSpace = " \t\r\n"

// unfence returns what stands in a fence of JSON, if a text is nothing but one.
func unfence(text string) (inside string, fenced bool) {
	first, rest, _ := strings.Cut(text, "\n")
	ticks := first[:len(first)-len(strings.TrimLeft(first, "`"))]
	if len(ticks) < 3 || !strings.EqualFold(strings.TrimSpace(first[len(ticks):]), "json") {
		return text, false
	}
	inside, last, closed := strings.Cut(rest, "\n"+ticks)
	if !closed || strings.Trim(last, "`") != "" {
		return text, false
	}
	return strings.Trim(inside, jsonSpace), true
}

// mayBegin reports whether a text may begin as a document in JSON does: an
// object, or a list of objects or strings, or an empty one.
func mayBegin(text string) bool {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return false
	}
	next := strings.TrimLeft(text[1:], jsonSpace)
	return next == "" || next[0] == '"' || text[0] == '{' && next[0] == '}' || text[0] == '[' && (next[0] == '{' || next[0] == ']')
}

// isNamed reports whether a text begins with an object whose first member has a
// name and a colon: then it is JSON, even if it is broken.
func isNamed(text string) bool {
	text, found := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(text, "["), jsonSpace), "{")
	text = strings.TrimLeft(text, jsonSpace)
	if !found || !strings.HasPrefix(text, `"`) {
		return false
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return strings.HasPrefix(strings.TrimLeft(text[i+1:], jsonSpace), ":")
		}
	}
	return false
}

func newDecoder(text string) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBufferString(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// entries returns the entries of the document. Short reports whether they do
// not say all that the steps do.
func (s *structured) entries() (entries []Explained, short bool) {
	for n, t := range s.steps {
		if len(entries) == maxEntries-1 && n+1 < len(s.steps) {
			more := Entry{Content: fmt.Sprintf("… and %d more", len(s.steps)-n), Priority: Medium, Status: Completed}
			for _, t := range s.steps[n:] {
				if t.status != Completed && t.status != dropped {
					more.Status = Pending
				}
			}
			return append(entries, Explained{more, t.line, "more than 100"}), true
		}
		content := shorten(t.content)
		short = short || content != t.content
		if e, ok := legalEntry(content, string(t.priority), string(t.status), nil); ok {
			entries = append(entries, Explained{e, t.line, s.convention})
		}
	}
	return entries, short
}

// render returns what render does of a document.
func (s *structured) render() rendered {
	entries, short := s.entries()
	more := s.said + s.whole
	return rendered{entries, short || more != "", said(more, entries, nil), s.problem}
}

// outline is the text of a document for a reader: itself, or of a plan in JSON
// what it says beside its entries, and its steps as a list if they are not on
// show as they are.
func outline(document string, onShow bool) string {
	s, ok := readStructured(document)
	if !ok {
		return document
	}
	if s.whole != "" {
		return s.whole
	}
	_, short := s.entries()
	if onShow && !short {
		return s.said
	}
	var b strings.Builder
	for _, t := range s.steps {
		e, _ := legalEntry(t.content, "", string(t.status), nil)
		box, doing := "[ ]", ""
		switch {
		case e.Status == Completed:
			box = "[x]"
		case e.Status == InProgress && !onShow:
			doing = " (in progress)"
		}
		fmt.Fprintf(&b, "- %s %s%s\n", box, e.Content, doing)
	}
	return strings.TrimSpace(s.said + "\n\n" + b.String())
}
