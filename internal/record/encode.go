package record

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"acpshim/internal/wire"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An encoder makes records, numbers them and counts what is in them. It is for one goroutine.
type encoder struct {
	opts *Options
	name string   // of the run
	cwd  string   // without secrets
	argv []string // without secrets
	out  []byte   // whole records that are to be written
	seq  uint64   // of the last one

	numbers   numbers
	inOut     int      // lines in out
	lostInOut int      // lines in the gaps in out
	received  [2]Count // by stream
	lost      Count
	gaps      int
}

// newEncoder returns an encoder. It redacts what the first record of each part has.
func newEncoder(o *Options, run string) encoder {
	e := encoder{opts: o, name: run}
	e.cwd = string(e.without([]byte(o.Cwd)))
	for _, a := range o.Argv {
		e.argv = append(e.argv, string(e.without([]byte(a))))
	}
	return e
}

// without returns a line without its secrets. The result is valid until the next call.
func (e *encoder) without(line []byte) []byte {
	if e.opts.Redact == nil {
		return line
	}
	return e.opts.Redact(line)
}

// start returns the first record of a part.
func (e *encoder) start(part int, begun time.Time) []byte {
	dst := fmt.Appendf(nil, `{"kind":"start","schema":%d,"time":"%s"`, Schema, appendTime(nil, begun.UnixNano()))
	return appendMembers(dst, Start{
		Run: e.name, Part: part, Acpshim: e.opts.Acpshim, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Config: e.opts.Config, Cwd: e.cwd, CPUs: runtime.NumCPU(), PID: os.Getpid(), Argv: e.argv, Redacted: e.opts.Redact != nil,
	})
}

// appendMembers appends the members of a struct to a record and ends the record.
func appendMembers(dst []byte, v any) []byte {
	members, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // tests encode each of the types
	}
	return append(append(append(dst, ','), members[1:]...), '\n')
}

// begin appends the beginning that all records have except for the first.
func (e *encoder) begin(kind string, stamp []byte) {
	e.seq++
	e.out = append(e.out, `{"kind":"`...)
	e.out = append(e.out, kind...)
	e.out = append(e.out, `","seq":`...)
	e.out = strconv.AppendUint(e.out, e.seq, 10)
	e.out = append(e.out, stamp...)
}

// message appends the record of a line of traffic. Without is the line without secrets.
func (e *encoder) message(n line, without []byte) {
	e.begin("message", n.stamp)
	e.inOut++
	e.out = append(e.out, `,"dir":"`...)
	e.out = append(e.out, streamNames[n.stream]...)
	e.out = append(e.out, '"')
	if n.change != nil {
		e.changed(n)
	}
	length := int64(len(n.bytes))
	if n.long != nil {
		length = n.long.length
	}
	if n.change == nil || n.change.stage <= stageIn {
		e.received[n.stream].Lines++
		e.received[n.stream].Bytes += length
	}
	e.out = append(e.out, `,"len":`...)
	e.out = strconv.AppendInt(e.out, length, 10)
	if n.long != nil {
		e.long(n.long)
		return
	}
	e.mark(n.bytes, without)
	if isClean(without) {
		e.out = append(e.out, `,"msg":`...)
		e.out = append(e.out, without[:len(without)-1]...)
	} else {
		e.base64(`,"b64":"`, without)
	}
	e.out = append(e.out, "}\n"...)
}

// changed appends on which side a line was seen, and who changed it.
func (e *encoder) changed(n line) {
	e.out = append(e.out, stageMembers[n.change.stage]...)
	if n.of > 0 {
		e.out = append(e.out, `,"of":`...)
		e.out = strconv.AppendUint(e.out, n.of, 10)
	}
	if n.change.isHeld {
		e.origin(`,"held":`, n.change.from)
	} else {
		e.origin(`,"from":`, n.change.from)
	}
	e.origin(`,"for":`, n.change.of)
	e.out = append(e.out, n.causes...)
}

// origin appends a member with the number of the entry of a line, if that is known.
func (e *encoder) origin(name string, of wire.Origin) {
	if seq := e.numbers.of(of); seq > 0 {
		e.out = strconv.AppendUint(append(e.out, name...), seq, 10)
	}
}

// appendCauses appends who changed a line and why. It redacts the reasons, because they have names
// that peers chose.
func (e *encoder) appendCauses(dst []byte, by []wire.Cause) []byte {
	names := wire.NamesOf(nil, by)
	texts := make([]string, len(names))
	var reasons []byte
	hasTexts := false
	for _, c := range by {
		if c.Why.Text != "" {
			text := &texts[slices.Index(names, c.Name)]
			if hasTexts = true; *text != "" {
				*text += "; "
			}
			*text += string(e.without([]byte(c.Why.String())))
		}
		if c.Why.Code == "" {
			continue
		}
		values := make([]string, 0, len(c.Why.Values))
		for _, value := range c.Why.Values {
			values = append(values, string(e.without([]byte(value))))
		}
		reasons = quote(append(reasons, `,{"by":`...), c.Name)
		reasons = quote(append(reasons, `,"code":`...), c.Why.Code)
		reasons = append(e.appendShows(appendList(reasons, `,"values":[`, values), c.Shows), '}')
	}
	dst = appendList(dst, `,"by":[`, names)
	if hasTexts {
		dst = appendList(dst, `,"why":[`, texts)
	}
	if len(reasons) > 0 {
		dst = append(append(append(dst, `,"reasons":[`...), reasons[1:]...), ']')
	}
	return dst
}

// appendShows appends a member with the numbers of the entries of lines that are known.
func (e *encoder) appendShows(dst []byte, of []wire.Origin) []byte {
	begin := `,"shows":[`
	for _, origin := range of {
		if seq := e.numbers.of(origin); seq > 0 {
			dst = strconv.AppendUint(append(dst, begin...), seq, 10)
			begin = ","
		}
	}
	if begin == "," {
		dst = append(dst, ']')
	}
	return dst
}

// appendList appends a member with texts, if there are any. Begin is the name and the bracket.
func appendList(dst []byte, begin string, texts []string) []byte {
	for _, text := range texts {
		dst = quote(append(dst, begin...), text)
		begin = ","
	}
	if len(texts) > 0 {
		dst = append(dst, ']')
	}
	return dst
}

// stageMembers are the members that say where a line was seen, by stage.
var stageMembers = [...]string{
	stageBoth: "", stageIn: `,"stage":"in"`, stageOut: `,"stage":"out"`, stageMade: `,"stage":"out"`,
	stageBefore: `,"stage":"out","place":"before"`, stageAfter: `,"stage":"out","place":"behind"`,
}

func quote(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // invalid UTF-8, which becomes U+FFFD, is the only error
	return dst
}

// long appends what is known about a line that is too long. Redaction does not find secrets in the
// head of a message, so the head is kept only in a record that keeps secrets.
func (e *encoder) long(l *longLine) {
	if e.opts.Redact == nil {
		e.base64(`,"head":"`, l.head)
	} else {
		e.out = append(e.out, `,"redacted":true`...)
	}
	e.out = append(e.out, `,"sha256":"`...)
	e.out = append(hex.AppendEncode(e.out, l.hash.Sum(nil)), `"}`+"\n"...)
}

// mark marks the record if secrets were taken out of its line.
func (e *encoder) mark(b, without []byte) {
	if e.opts.Redact != nil && !bytes.Equal(without, b) {
		e.out = append(e.out, `,"redacted":true`...)
	}
}

// base64 appends a member with any bytes. Name is the name and the opening quote.
func (e *encoder) base64(name string, b []byte) {
	e.out = append(e.out, name...)
	e.out = base64.StdEncoding.AppendEncode(e.out, b)
	e.out = append(e.out, '"')
}

// text appends the record of a line that is not traffic, or of a piece of it. Without is the line
// without secrets.
func (e *encoder) text(n line, without []byte) {
	e.begin(streamNames[n.stream], n.stamp)
	e.mark(n.bytes, without)
	switch {
	case n.stream != streamStderr && isClean(without):
		e.out = append(append(append(e.out, `,"`...), streamNames[n.stream]...), `":`...)
		e.out = append(e.out, without[:len(without)-1]...)
	case utf8.Valid(without):
		e.out = append(e.out, `,"text":`...)
		e.out = quote(e.out, string(without))
	default:
		e.base64(`,"b64":"`, without)
	}
	e.out = append(e.out, "}\n"...)
}

// gap appends the record of a gap.
func (e *encoder) gap(stream string, stamp []byte, g gap) {
	e.gaps++
	e.lostInOut += g.count
	e.lost.Lines += g.count
	e.lost.Bytes += g.bytes
	from := len(e.out)
	e.begin("gap", stamp)
	e.out = fmt.Appendf(e.out, `,"stream":%q,"count":%d,"bytes":%d,"why":%q,"from":"%s","to":"%s"}`+"\n",
		stream, g.count, g.bytes, g.why, appendTime(nil, g.from), appendTime(nil, g.to))
	e.each(from)
}

// each calls Each with what was appended.
func (e *encoder) each(from int) {
	if e.opts.Each != nil {
		e.opts.Each(e.out[from:])
	}
}

// end appends the last record.
func (e *encoder) end(stamp []byte, o Outcome) {
	o.NotStarted, o.Path = string(e.without([]byte(o.NotStarted))), string(e.without([]byte(o.Path)))
	from := len(e.out)
	e.begin("end", stamp)
	e.out = appendMembers(e.out, End{Outcome: o, Client: e.received[streamClient], Agent: e.received[streamAgent], Gaps: e.gaps, Lost: e.lost})
	e.each(from)
}
