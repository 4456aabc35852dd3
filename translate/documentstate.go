package translate

import (
	"bytes"
	"hash/crc64"
	"unicode/utf8"

	"acpshim/translate/document"
)

// A documentState is the state of a plan's document.
type documentState struct {
	text []byte // up to maxText
	more int    // bytes of the document after text
	rest uint64 // the checksum of these bytes

	// Agents stream documents, and no update says that it is the last one. So the text has to tell
	// how much of the document there is: its beginning tells the stage, and its end whether it is
	// growing. A document can be both, one of them, or neither. Each new text is judged again,
	// until something else than the text shows that the document is complete.
	stage     stage
	growing   bool // the last line of text may be incomplete: it is not read yet
	completed int  // bytes of text that were complete once: what they showed stays

	// What was read from the visible text. A text is read when somebody needs it, because most
	// texts of a stream are replaced before that.
	read     bool   // the other fields, and the plan's entries, are those of text
	digest   string // of text without the statuses of its steps
	digested int    // the set's clock when digest last changed
	prose    bool   // text has more than the entries
	problem  error  // with text

	// What people get of the document as a message. The fields for what they had outlive the text:
	// a document that comes back is not sent twice.
	pending  bool   // text has not been sent since it changed
	asked    bool   // the agent asks about it
	drawn    bool   // asked, and the agent's question shows the text
	path     string // the file that holds the document, or ""
	toldPath string // the path that a message has had
	sent     string // the digest of the text that was sent last
	sentAt   int    // changed.clock of the plan when text was sent
	sentIn   int    // the turn in which text was sent
}

// A stage says how much of a document the agent may have written.
type stage int

const (
	whole     stage = iota // it has a list, is long, is a file, or is complete
	begun                  // text may be the beginning of a document that the agent still writes
	onlyTitle              // begun, and only a title so far, which is not shown as a step: see plan.draft
)

// judge updates the stage for a new text that has not been read. IsStreamed says that the agent may
// send it in pieces, and continues that it only adds to the last text.
func (d *documentState) judge(isStreamed, continues bool) {
	d.read = false
	d.growing = isStreamed && d.more == 0 && document.IsGrowing(string(d.text), continues)
	switch {
	case continues:
	case d.growing:
		d.completed = 0
	default:
		d.completed = len(d.text)
	}
	mayBegin := isStreamed && len(d.text) <= maxEager && (d.stage != whole || !continues)
	if d.stage = whole; mayBegin && !document.HasList(string(d.visible())) {
		d.stage = begun
	}
}

// judgeTitle updates the stage when the text was read. IsTitle says that nothing but a title is
// visible.
func (d *documentState) judgeTitle(isTitle bool) {
	if d.stage == begun && isTitle && len(d.text) > 0 {
		d.stage = onlyTitle
	}
}

// complete marks the text as complete, and reports whether a part of it was not read yet.
func (d *documentState) complete() (changed bool) {
	changed = d.growing || d.stage == onlyTitle
	d.growing, d.stage = false, whole
	d.read, d.completed = d.read && !changed, len(d.text)
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
		return d.text[:max(1+bytes.LastIndexByte(d.text, '\n'), d.completed)]
	}
	return d.text
}
