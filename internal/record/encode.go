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

// An encoder turns what was seen into records. It numbers them, and counts. It is for one
// goroutine.
type encoder struct {
	opts *Options
	name string   // of the run
	cwd  string   // without secrets
	argv []string // likewise
	out  []byte   // records to be written, whole ones
	seq  uint64   // of the last one

	inOut     int      // lines in out
	lostInOut int      // lines in the gaps in out
	received  [2]Count // by stream
	lost      Count
	gaps      int
}

// newEncoder takes the secrets out of what each first record has.
func newEncoder(o *Options, run string) encoder {
	e := encoder{opts: o, name: run}
	e.cwd = string(e.without([]byte(o.Cwd)))
	for _, a := range o.Argv {
		e.argv = append(e.argv, string(e.without([]byte(a))))
	}
	return e
}

// without returns a line without its secrets, valid until the next call.
func (e *encoder) without(line []byte) []byte {
	if e.opts.Redact == nil {
		return line
	}
	return e.opts.Redact(line)
}

// start is the first record of a part.
func (e *encoder) start(part int, begun time.Time) []byte {
	dst := fmt.Appendf(nil, `{"kind":"start","schema":%d,"time":"%s"`, Schema, appendTime(nil, begun.UnixNano()))
	return appendMembers(dst, Start{
		Run: e.name, Part: part, Acpshim: e.opts.Acpshim, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Config: e.opts.Config, Cwd: e.cwd, CPUs: runtime.NumCPU(), PID: os.Getpid(), Argv: e.argv, Redacted: e.opts.Redact != nil,
	})
}

// appendMembers appends the members of a struct to a record, and its end.
func appendMembers(dst []byte, v any) []byte {
	members, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // of our own types: a test has each
	}
	return append(append(append(dst, ','), members[1:]...), '\n')
}

// begin appends what every record but the first begins with.
func (e *encoder) begin(kind string, stamp []byte) {
	e.seq++
	e.out = append(e.out, `{"kind":"`...)
	e.out = append(e.out, kind...)
	e.out = append(e.out, `","seq":`...)
	e.out = strconv.AppendUint(e.out, e.seq, 10)
	e.out = append(e.out, stamp...)
}

// message appends the record of a line, which was seen on both sides of
// acpshim, or on one if it says so. Without is it without secrets.
func (e *encoder) message(n line, without []byte) {
	e.begin("message", n.stamp)
	e.inOut++
	e.out = append(e.out, `,"dir":"`...)
	e.out = append(e.out, streamNames[n.stream]...)
	e.out = append(e.out, '"')
	if n.as != nil {
		e.rewritten(n)
	}
	length := int64(len(n.bytes))
	if n.long != nil {
		length = n.long.length
	}
	if n.as == nil || n.as.stage <= stageIn {
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

// rewritten appends where a line was seen that was held, and what changed it.
func (e *encoder) rewritten(n line) {
	e.out = append(e.out, stageMembers[n.as.stage]...)
	if n.of > 0 {
		e.out = append(e.out, `,"of":`...)
		e.out = strconv.AppendUint(e.out, n.of, 10)
	}
	var by []string
	for _, c := range n.as.by {
		by = append(by, c.Name)
	}
	e.list(`,"by":[`, by)
	e.list(`,"why":[`, n.why)
}

// list appends a member, whose name and bracket are given, with texts, unless there is none.
func (e *encoder) list(begin string, texts []string) {
	for _, text := range texts {
		e.out = quote(append(e.out, begin...), text)
		begin = ","
	}
	if len(texts) > 0 {
		e.out = append(e.out, ']')
	}
}

// reasons are those of causes, without their secrets, as names in them are the peers'; nil if there
// is none.
func (e *encoder) reasons(by []wire.Cause) (why []string) {
	if !slices.ContainsFunc(by, func(c wire.Cause) bool { return c.Why != "" }) {
		return nil
	}
	for _, c := range by {
		why = append(why, string(e.without([]byte(c.Why))))
	}
	return why
}

// stageMembers are the members that say where a line was seen, by stage.
var stageMembers = [...]string{
	stageBoth: "", stageIn: `,"stage":"in"`, stageOut: `,"stage":"out"`, stageMade: `,"stage":"out"`,
	stageBefore: `,"stage":"out","place":"before"`, stageBehind: `,"stage":"out","place":"behind"`,
}

func quote(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error is about bytes that became U+FFFD
	return dst
}

// long says what is known of a line that is too long. Its head is no message
// in which a secret could be known by its name, so it is kept only where
// secrets are.
func (e *encoder) long(l *long) {
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

// base64 appends a member, whose name and opening quote are given, with any bytes.
func (e *encoder) base64(name string, b []byte) {
	e.out = append(e.out, name...)
	e.out = base64.StdEncoding.AppendEncode(e.out, b)
	e.out = append(e.out, '"')
}

// text appends the record of a line of stderr or of an event, or of a piece of
// one that is long. Without is it without secrets.
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

// gap appends the record of what is missing.
func (e *encoder) gap(stream string, stamp []byte, g gap) {
	e.gaps++
	e.lostInOut += g.count
	e.lost.Lines += g.count
	e.lost.Bytes += g.bytes
	from := len(e.out)
	e.begin("gap", stamp)
	e.out = fmt.Appendf(e.out, `,"stream":%q,"count":%d,"bytes":%d,"why":%q,"from":"%s","to":"%s"}`+"\n",
		stream, g.count, g.bytes, g.why, appendTime(nil, g.from), appendTime(nil, g.to))
	e.tell(from)
}

// tell gives Each what was appended.
func (e *encoder) tell(from int) {
	if e.opts.Each != nil {
		e.opts.Each(e.out[from:])
	}
}

// end appends the last record.
func (e *encoder) end(stamp []byte, o Outcome) {
	from := len(e.out)
	e.begin("end", stamp)
	e.out = appendMembers(e.out, End{Outcome: o, Client: e.received[streamClient], Agent: e.received[streamAgent], Gaps: e.gaps, Lost: e.lost})
	e.tell(from)
}
