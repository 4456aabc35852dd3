package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record/store"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Record is one line of a record's file. Kind says which pointer is set. A start has no Seq and
// no Mono.
type Record struct {
	Kind string
	Seq  uint64
	Time time.Time
	Mono time.Duration // since the run began

	Start   *Start
	Message *Message
	Text    *Text // kinds stderr and event
	File    *File
	Gap     *Gap
	End     *End
}

// A Start is the first record of a file.
type Start struct {
	Schema   int      `json:"schema,omitzero"`
	Run      string   `json:"run"`  // the same in all parts
	Part     int      `json:"part"` // from 0
	Acpshim  string   `json:"acpshim"`
	Go       string   `json:"go"`
	OS       string   `json:"os"`
	Arch     string   `json:"arch"`
	Config   string   `json:"config"`
	Cwd      string   `json:"cwd"`
	CPUs     int      `json:"cpus"`
	PID      int      `json:"pid"`
	Argv     []string `json:"argv"`
	Redacted bool     `json:"redacted,omitzero"` // secrets were removed before the record was written
}

// A Message is a line that a peer sent, or that acpshim sent in its place.
type Message struct {
	Dir      wire.Side `json:"dir"`     // who sent it
	Stage    string    `json:"stage"`   // "in" if it was only received, "out" if it was only sent, "" for both
	Of       uint64    `json:"of"`      // of stage out: the number of the record of the line that it replaced, or 0
	From     uint64    `json:"from"`    // of stage out: the number of the line that was handled as this one was made, or 0
	Held     uint64    `json:"held"`    // of stage out: the number of the line that acpshim held and that goes on, or 0
	For      uint64    `json:"for"`     // of stage out: the number of the request to which it responds, or 0
	Place    string    `json:"place"`   // of stage out: "before" the next received line, "behind" the last one, or ""
	By       []string  `json:"by"`      // who changed it, or added it
	Why      []string  `json:"why"`     // the reason of each in By, "" if it gave none; or nil
	Reasons  []Reason  `json:"reasons"` // those of By that have a code
	Len      int64     `json:"len"`     // bytes, with the line end
	Redacted bool      `json:"redacted"`
	Head     []byte    `json:"head"`   // the beginning of a line that was too long
	SHA256   string    `json:"sha256"` // of all of it, in hex

	// Line is exactly what was sent, with its line end. It is nil if the line was too long.
	Line []byte `json:"-"`
}

// A Reason is a [wire.Reason] in a record, without its text.
type Reason struct {
	By     string   `json:"by"`
	Code   string   `json:"code"`
	Values []string `json:"values"`
	Shows  []uint64 `json:"shows"` // the numbers of the latest update of each plan whose state the line shows
}

// Has reports whether a reason has a code.
func (m *Message) Has(code string) bool {
	return slices.ContainsFunc(m.Reasons, func(r Reason) bool { return r.Code == code })
}

// Received reports whether the peer sent the line.
func (m *Message) Received() bool { return m.Stage != "out" }

// Sent reports whether the other peer received the line.
func (m *Message) Sent() bool { return m.Stage != "in" }

// Reason returns the reason of the i-th in By, or "".
func (m *Message) Reason(i int) string {
	if i < len(m.Why) {
		return m.Why[i]
	}
	return ""
}

// A Text is a piece of stderr, or an event of the log of acpshim.
type Text struct {
	Redacted bool
	Bytes    []byte // with the line end, if it has one
}

// A File is the text that was read from a plan file.
type File struct {
	Path    string `json:"path"`
	Text    string `json:"text"`
	Noticed bool   `json:"noticed,omitzero"` // it was read because the file changed, not to show its plan
	Busy    bool   `json:"busy,omitzero"`    // the file could not be read yet, so there is no text
}

// A Gap says how many lines are missing in the record.
type Gap struct {
	Stream string    `json:"stream"` // client, agent, stderr, event, file; or all, if a part is gone
	Count  int       `json:"count"`  // lines
	Bytes  int64     `json:"bytes"`
	Why    string    `json:"why"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
}

// An End is the last record of a run.
type End struct {
	Outcome
	Client Count `json:"client"` // what the client sent
	Agent  Count `json:"agent"`  // what the agent sent
	Gaps   int   `json:"gaps"`
	Lost   Count `json:"lost"`
}

// A Count is a number of lines and of their bytes.
type Count struct {
	Lines int   `json:"lines"`
	Bytes int64 `json:"bytes"`
}

// A Reader reads records. It skips kinds and members that it does not know.
type Reader struct {
	text *TextReader
	line []byte

	// Broken is the number of lines so far that are not records and were skipped. It counts a last
	// line without a newline, which a killed process leaves.
	Broken int

	// Schema is the newest schema so far. If it is newer than the constant Schema, the Reader may
	// not understand everything.
	Schema int

	seq     uint64 // of the last record
	broken  int    // Broken at the last record
	missing Missing
}

// NewReader returns a Reader of the text of one or more files.
func NewReader(r io.Reader) *Reader { return &Reader{text: NewTextReader(r)} }

// Next returns the next record, which belongs to the caller. The errors are those of a TextReader.
func (r *Reader) Next() (Record, error) {
	for {
		line, err := r.text.Next()
		r.Broken, r.text.Skipped = r.Broken+r.text.Skipped, 0
		if err != nil {
			return Record{}, err
		}
		whole, isWhole := bytes.CutSuffix(line, []byte("\n"))
		if r.line = whole; !isWhole {
			r.Broken++
			continue
		}
		rec, err := parse(whole)
		if err == nil || errors.Is(err, errUnknown) {
			r.follow(rec)
		}
		switch {
		case err == nil:
			return rec, nil
		case !errors.Is(err, errUnknown):
			r.Broken++
		}
	}
}

// Line returns the line of the last record, without its newline. It is valid until the next call of
// Next.
func (r *Reader) Line() []byte { return r.line }

var errUnknown = errors.New("unknown kind")

// lenient accepts what peers may write in messages.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// into reads those members of a line that v has.
func into[T any](line []byte, v *T) (*T, error) { return v, json.Unmarshal(line, v, lenient) }

// parse reads a line. For an unknown kind it returns errUnknown, and the members that all kinds
// have.
func parse(line []byte) (Record, error) {
	var head struct {
		Kind string    `json:"kind"`
		Seq  uint64    `json:"seq"`
		Time time.Time `json:"time"`
		Mono int64     `json:"mono"`
	}
	if _, err := into(line, &head); err != nil {
		return Record{}, err
	}
	r := Record{Kind: head.Kind, Seq: head.Seq, Time: head.Time, Mono: time.Duration(head.Mono)}
	var err error
	switch r.Kind {
	case "start":
		r.Start, err = into(line, new(Start))
	case "message":
		r.Message, err = parseMessage(line)
	case "stderr", "event":
		r.Text, err = parseText(line)
	case "file":
		if r.File, err = parseFile(line); r.File == nil {
			err = cmp.Or(err, errUnknown) // a piece of a long text
		}
	case "gap":
		r.Gap, err = into(line, new(Gap))
	case "end":
		r.End, err = into(line, new(End))
	default:
		err = errUnknown
	}
	return r, err
}

// parseMessage reads a message with its line, which is JSON or base64.
func parseMessage(line []byte) (*Message, error) {
	m := struct {
		*Message
		Msg jsontext.Value `json:"msg"`
		B64 []byte         `json:"b64"`
	}{Message: new(Message)}
	_, err := into(line, &m)
	switch {
	case m.Msg != nil:
		m.Message.Line = append(bytes.Clone(m.Msg), '\n')
	case m.B64 != nil:
		m.Message.Line = m.B64
	}
	return m.Message, err
}

// parseFile reads the text of a plan file. It returns nil if the record has none.
func parseFile(line []byte) (*File, error) {
	var f struct {
		File *File `json:"file"`
	}
	_, err := into(line, &f)
	return f.File, err
}

// parseText reads a piece of stderr or an event, which is text, JSON or base64.
func parseText(line []byte) (*Text, error) {
	var t struct {
		Redacted bool           `json:"redacted"`
		Text     *string        `json:"text"`
		Event    jsontext.Value `json:"event"`
		B64      []byte         `json:"b64"`
	}
	_, err := into(line, &t)
	text := &Text{Redacted: t.Redacted, Bytes: t.B64}
	switch {
	case t.Text != nil:
		text.Bytes = []byte(*t.Text)
	case t.Event != nil:
		text.Bytes = append(bytes.Clone(t.Event), '\n')
	}
	return text, err
}

// Scan reads all records. It returns what is missing in them, and their newest schema.
func Scan(from io.Reader) (m Missing, schema int, err error) {
	r := NewReader(from)
	for err == nil {
		_, err = r.Next()
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return r.Missing(), r.Schema, err
}

// Check returns an error if a file has no line of a record at its beginning. It does not look at
// pipes, and at small files that are named like a record: a run may have just begun one.
func Check(path string) error {
	const enough = 64 << 20
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || 0 < info.Size() && info.Size() <= enough && !store.Begun(path).IsZero() {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := NewReader(io.LimitReader(file, enough)).Next(); errors.Is(err, io.EOF) {
		return fmt.Errorf("%s is not a record: it has no line of one", path)
	}
	return nil
}
