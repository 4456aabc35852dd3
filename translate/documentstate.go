package translate

import (
	"bytes"
	"hash/crc64"
	"unicode/utf8"
)

// A documentState is the state of a plan's document.
type documentState struct {
	text     []byte // up to maxText
	more     int    // bytes of the document after text
	rest     uint64 // the checksum of these bytes
	read     bool   // entries, digest, prose and problem are those of text
	digest   string // of text without the statuses of its steps
	digested int    // the set's clock when digest last changed
	prose    bool   // text has more than the entries
	problem  error  // with text
	growing  bool   // the last line of text may be incomplete: it is not read yet
	fresh    bool   // text may be the beginning of a document that the agent still writes
	untitled bool   // it is fresh and only a title so far, which is not shown as a step: see plan.draft
	settled  int    // bytes of text that were read to the end once: what they showed stays
	pending  bool   // text has not been sent since it changed
	asked    bool   // the agent asks about it
	drawn    bool   // the agent's question shows the text
	path     string // the file that holds the document, or ""
	toldPath string // the path that a message has had
	sent     string // the digest of the text that was sent last
	sentAt   int    // changed.clock of the plan when text was sent
	sentIn   int    // the turn in which text was sent
}

// settle marks the text as complete, and reports whether a part of it was not read yet.
func (d *documentState) settle() (changed bool) {
	changed = d.growing || d.untitled
	d.growing, d.untitled, d.fresh = false, false, false
	d.read, d.settled = d.read && !changed, len(d.text)
	return changed
}

var checksums = crc64.MakeTable(crc64.ISO)

// append appends to the text, up to maxText bytes in all.
func (d *documentState) append(text string) {
	fits := min(len(text), maxText-len(d.text))
	if d.more > 0 {
		fits = 0
	}
	for fits < len(text) && fits > 0 && !utf8.RuneStart(text[fits]) {
		fits--
	}
	d.text = append(d.text, text[:fits]...)
	d.more += len(text) - fits
	d.rest = crc64.Update(d.rest, checksums, []byte(text[fits:]))
}

// visible returns the part of the text that may be shown.
func (d *documentState) visible() []byte {
	if d.growing {
		return d.text[:max(1+bytes.LastIndexByte(d.text, '\n'), d.settled)]
	}
	return d.text
}
