package record

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"os"
	"runtime"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// An encoder turns what was seen into records. It numbers them, and counts.
type encoder struct {
	opts *Options
	name string   // of the run
	cwd  string   // without secrets
	argv []string // likewise
	out  []byte   // records to be written, whole ones
	seq  uint64

	inOut     int // lines in out
	lostInOut int // lines in the gaps in out
	cleaners  [lanes]cleaner
	redaction *redaction // nil if secrets are kept
	received  [2]count   // by lane
	lost      count
	gaps      int
}

func newEncoder(o *Options, run string, q *queue) encoder {
	e := encoder{opts: o, name: run}
	if o.Redact != nil {
		e.redaction = &redaction{redact: o.Redact, within: o.RedactTime, rest: o.Flush / 2, queue: q}
	}
	e.cwd = e.text(o.Cwd)
	for _, a := range o.Argv {
		e.argv = append(e.argv, e.text(a))
	}
	return e
}

// text returns a text without its secrets, or what is in its place.
func (e *encoder) text(s string) string {
	if e.redaction == nil {
		return s
	}
	if without, ok := e.redaction.without([]byte(s)); ok {
		return string(without)
	}
	return "(" + whyRedaction + ")"
}

type count struct {
	lines int
	bytes int64
}

// layout has all digits of the nanoseconds, so that times sort as text.
const layout = "2006-01-02T15:04:05.000000000Z07:00"

func appendTime(b []byte, wall int64) []byte {
	return time.Unix(0, wall).UTC().AppendFormat(b, layout)
}

// start is the first record of a part.
func (e *encoder) start(dst []byte, n int, begun time.Time) []byte {
	dst = append(dst, `{"kind":"start","schema":`...)
	dst = strconv.AppendInt(dst, Schema, 10)
	dst = append(dst, `,"time":"`...)
	dst = appendTime(dst, begun.UnixNano())
	dst = append(dst, `","run":`...)
	dst = quote(dst, e.name)
	dst = append(dst, `,"part":`...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	for _, m := range []struct{ name, value string }{
		{"acpshim", e.opts.Acpshim}, {"go", runtime.Version()}, {"os", runtime.GOOS}, {"arch", runtime.GOARCH},
		{"config", e.opts.Config}, {"cwd", e.cwd},
	} {
		dst = append(dst, `,"`...)
		dst = append(dst, m.name...)
		dst = append(dst, `":`...)
		dst = quote(dst, m.value)
	}
	dst = append(dst, `,"cpus":`...)
	dst = strconv.AppendInt(dst, int64(runtime.NumCPU()), 10)
	dst = append(dst, `,"pid":`...)
	dst = strconv.AppendInt(dst, int64(os.Getpid()), 10)
	dst = append(dst, `,"argv":[`...)
	for i, a := range e.argv {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = quote(dst, a)
	}
	dst = append(dst, ']')
	if e.opts.Redact != nil {
		dst = append(dst, `,"redacted":true`...)
	}
	return append(dst, "}\n"...)
}

func quote(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error tells of bytes that became U+FFFD
	return dst
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

// stamp appends the time of an entry as members.
func stamp(dst []byte, n entry) []byte {
	dst = append(dst, `,"time":"`...)
	dst = appendTime(dst, n.wall)
	dst = append(dst, `","mono":`...)
	return strconv.AppendInt(dst, int64(n.at), 10)
}

// message appends the record of a line, which was seen on both sides of
// acpshim, or on one if changed says so. Of is the number of the record of
// the line that it took the place of, or 0. Without is the line without secrets.
func (e *encoder) message(l lane, stamp, line, without []byte, tooLong *long, changed *rewritten, of uint64) {
	e.begin("message", stamp)
	e.inOut++
	e.out = append(e.out, `,"dir":"`...)
	e.out = append(e.out, laneNames[l]...)
	e.out = append(e.out, '"')
	came := true
	if changed != nil {
		came = changed.stage == stageIn
		if came {
			e.out = append(e.out, `,"stage":"in"`...)
		} else {
			e.out = append(e.out, `,"stage":"out"`...)
		}
		if of > 0 {
			e.out = append(e.out, `,"of":`...)
			e.out = strconv.AppendUint(e.out, of, 10)
		}
		e.by(changed.by)
	}
	length := int64(len(line))
	if tooLong != nil {
		length = tooLong.length
	}
	if came {
		e.received[l].lines++
		e.received[l].bytes += length
	}
	e.out = append(e.out, `,"len":`...)
	e.out = strconv.AppendInt(e.out, length, 10)
	if tooLong != nil {
		e.long(tooLong)
		return
	}
	line = e.marked(line, without)
	if e.cleaners[l].clean(line) {
		e.out = append(e.out, `,"msg":`...)
		e.out = append(e.out, line[:len(line)-1]...)
		e.out = append(e.out, "}\n"...)
		return
	}
	e.base64(`,"b64":"`, line)
	e.out = append(e.out, "}\n"...)
}

func (e *encoder) by(names []string) {
	if len(names) == 0 {
		return
	}
	e.out = append(e.out, `,"by":[`...)
	for i, name := range names {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.out = quote(e.out, name)
	}
	e.out = append(e.out, ']')
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
	e.out = hex.AppendEncode(e.out, l.hash.Sum(nil))
	e.out = append(e.out, `"}`+"\n"...)
}

// marked returns the line without its secrets, and marks the record if there
// were some.
func (e *encoder) marked(line, without []byte) []byte {
	if e.redaction != nil && !bytes.Equal(without, line) {
		e.out = append(e.out, `,"redacted":true`...)
	}
	return without
}

func (e *encoder) base64(name string, b []byte) {
	e.out = append(e.out, name...)
	e.out = base64.StdEncoding.AppendEncode(e.out, b)
	e.out = append(e.out, '"')
}

// words appends the record of a line of stderr or of an event, or of a piece of
// one that is long. Without is it without secrets.
func (e *encoder) words(l lane, stamp, line, without []byte) {
	e.begin(laneNames[l], stamp)
	line = e.marked(line, without)
	switch {
	case l == laneEvent && e.cleaners[l].clean(line):
		e.out = append(e.out, `,"event":`...)
		e.out = append(e.out, line[:len(line)-1]...)
	case utf8.Valid(line):
		e.out = append(e.out, `,"text":`...)
		e.out = quote(e.out, string(line))
	default:
		e.base64(`,"b64":"`, line)
	}
	e.out = append(e.out, "}\n"...)
}

// gap appends the record of what is missing.
func (e *encoder) gap(stream string, stamp []byte, g gap) {
	e.gaps++
	e.lostInOut += g.count
	e.lost.lines += g.count
	e.lost.bytes += g.bytes
	e.begin("gap", stamp)
	e.out = append(e.out, `,"stream":`...)
	e.out = quote(e.out, stream)
	e.out = append(e.out, `,"count":`...)
	e.out = strconv.AppendInt(e.out, int64(g.count), 10)
	e.out = append(e.out, `,"bytes":`...)
	e.out = strconv.AppendInt(e.out, g.bytes, 10)
	e.out = append(e.out, `,"why":`...)
	e.out = quote(e.out, g.why)
	e.out = append(e.out, `,"from":"`...)
	e.out = appendTime(e.out, g.from)
	e.out = append(e.out, `","to":"`...)
	e.out = appendTime(e.out, g.to)
	e.out = append(e.out, `"}`+"\n"...)
}

// end appends the last record.
func (e *encoder) end(stamp []byte, o Outcome) {
	e.begin("end", stamp)
	e.out = append(e.out, `,"status":`...)
	e.out = strconv.AppendInt(e.out, int64(o.Status), 10)
	if o.Signal != "" {
		e.out = append(e.out, `,"signal":`...)
		e.out = quote(e.out, o.Signal)
	}
	for l, c := range e.received {
		e.out = append(e.out, `,"`...)
		e.out = append(e.out, laneNames[l]...)
		e.out = c.append(append(e.out, `":`...))
	}
	e.out = append(e.out, `,"gaps":`...)
	e.out = strconv.AppendInt(e.out, int64(e.gaps), 10)
	e.out = e.lost.append(append(e.out, `,"lost":`...))
	e.out = append(e.out, "}\n"...)
}

func (c count) append(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"lines":`...), int64(c.lines), 10)
	dst = strconv.AppendInt(append(dst, `,"bytes":`...), c.bytes, 10)
	return append(dst, '}')
}
