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

	"acpshim/internal/chain/wire"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An encoder makes records, numbers them and counts what is in them. It is for one goroutine.
type encoder struct {
	opts    *Options
	noFile  bool     // nothing is written
	name    string   // of the run
	cwd     string   // without secrets
	argv    []string // without secrets
	out     []byte   // whole records that are to be written
	seq     uint64   // of the last one
	stampOf moment
	stamp   []byte // stampOf as members of a record

	numbers   numbers
	inOut     int      // lines in out
	lostInOut int      // lines in the gaps in out
	received  [2]Count // by stream
	lost      Count
	gaps      int
}

// newEncoder returns an encoder. It redacts what the first record of each part has.
func newEncoder(o *Options, run string) encoder {
	e := encoder{opts: o, noFile: o.Dir == "", name: run, stamp: moment{}.appendStamp(nil)}
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

// begin begins a record of any kind except for the first. It reports whether the record is to be
// appended: without a file it is only counted.
func (e *encoder) begin(kind string, at moment) bool {
	e.seq++
	if e.noFile {
		return false
	}
	if at != e.stampOf {
		e.stampOf, e.stamp = at, at.appendStamp(e.stamp[:0])
	}
	e.out = append(e.out, `{"kind":"`...)
	e.out = append(e.out, kind...)
	e.out = append(e.out, `","seq":`...)
	e.out = strconv.AppendUint(e.out, e.seq, 10)
	e.out = append(e.out, e.stamp...)
	return true
}

// each calls Each with the last record.
func (e *encoder) each(at moment, r Record) {
	r.Seq, r.Time, r.Mono = e.seq, time.Unix(0, at.wall).UTC(), at.at
	e.opts.Each(r)
}

// message appends the record of a line of traffic.
func (e *encoder) message(n line) {
	m := e.facts(n)
	if n.change == nil || n.change.stage <= stageIn {
		e.received[n.stream].Lines++
		e.received[n.stream].Bytes += m.Len
	}
	if e.begin("message", n.moment) {
		e.inOut++
		e.appendMessage(&m)
	}
	if e.opts.Each != nil {
		own := m // so that m is not allocated if nobody keeps it
		e.each(n.moment, Record{Kind: "message", Message: &own})
	}
}

// facts returns what is known about a line of traffic, without secrets. Redaction does not find
// secrets in the head of a message, so the head of a line that is too long is kept only in a record
// that keeps secrets.
func (e *encoder) facts(n line) Message {
	m := Message{Dir: wire.Side(streamNames[n.stream]), Of: n.of, Len: int64(len(n.bytes))}
	if c := n.change; c != nil {
		m.Stage, m.Place = stageNames[c.stage], places[c.stage]
		m.From, m.For = e.numbers.of(c.from), e.numbers.of(c.of)
		if c.isHeld {
			m.Held, m.From = m.From, 0
		}
		e.causes(&m, c.by)
	}
	if n.long == nil {
		m.Line = e.without(n.bytes)
		m.Redacted = e.opts.Redact != nil && !bytes.Equal(m.Line, n.bytes)
		return m
	}
	m.Len, m.SHA256 = n.long.length, hex.EncodeToString(n.long.hash.Sum(nil))
	if m.Redacted = e.opts.Redact != nil; !m.Redacted {
		m.Head = n.long.head
	}
	return m
}

// causes notes who changed a line and why. It redacts the reasons, because they have names that
// peers chose.
func (e *encoder) causes(m *Message, by []wire.Cause) {
	m.By = wire.NamesOf(nil, by)
	for _, c := range by {
		if c.Why.Text != "" {
			if m.Why == nil {
				m.Why = make([]string, len(m.By))
			}
			text := &m.Why[slices.Index(m.By, c.Name)]
			if *text != "" {
				*text += "; "
			}
			*text += string(e.without([]byte(c.Why.String())))
		}
		if c.Why.Code == "" {
			continue
		}
		r := Reason{By: c.Name, Code: c.Why.Code}
		for _, value := range c.Why.Values {
			r.Values = append(r.Values, string(e.without([]byte(value))))
		}
		for _, origin := range c.Shows {
			if seq := e.numbers.of(origin); seq > 0 {
				r.Shows = append(r.Shows, seq)
			}
		}
		m.Reasons = append(m.Reasons, r)
	}
}

// appendMessage appends the members of a message and ends its record.
func (e *encoder) appendMessage(m *Message) {
	e.member(`,"dir":`, string(m.Dir))
	e.member(`,"stage":`, m.Stage)
	e.member(`,"place":`, m.Place)
	e.reference(`,"of":`, m.Of)
	e.reference(`,"held":`, m.Held)
	e.reference(`,"from":`, m.From)
	e.reference(`,"for":`, m.For)
	e.out = appendList(e.out, `,"by":[`, m.By, quote)
	e.out = appendList(e.out, `,"why":[`, m.Why, quote)
	e.out = appendList(e.out, `,"reasons":[`, m.Reasons, appendReason)
	e.out = append(e.out, `,"len":`...)
	e.out = strconv.AppendInt(e.out, m.Len, 10)
	e.mark(m.Redacted)
	switch {
	case m.SHA256 != "":
		if m.Head != nil {
			e.base64(`,"head":"`, m.Head)
		}
		e.member(`,"sha256":`, m.SHA256)
	case isClean(m.Line):
		e.out = append(e.out, `,"msg":`...)
		e.out = append(e.out, m.Line[:len(m.Line)-1]...)
	default:
		e.base64(`,"b64":"`, m.Line)
	}
	e.out = append(e.out, "}\n"...)
}

// member appends a member with a text, unless that is empty.
func (e *encoder) member(name, text string) {
	if text != "" {
		e.out = quote(append(e.out, name...), text)
	}
}

// reference appends a member with the number of an entry, if that is known.
func (e *encoder) reference(name string, seq uint64) {
	if seq > 0 {
		e.out = strconv.AppendUint(append(e.out, name...), seq, 10)
	}
}

// appendReason appends a reason as an object.
func appendReason(dst []byte, r Reason) []byte {
	dst = quote(append(dst, `{"by":`...), r.By)
	dst = quote(append(dst, `,"code":`...), r.Code)
	dst = appendList(dst, `,"values":[`, r.Values, quote)
	dst = appendList(dst, `,"shows":[`, r.Shows, func(dst []byte, seq uint64) []byte {
		return strconv.AppendUint(dst, seq, 10)
	})
	return append(dst, '}')
}

// appendList appends a member with a list, if it is not empty. Begin is the name and the bracket.
func appendList[T any](dst []byte, begin string, list []T, add func([]byte, T) []byte) []byte {
	for _, item := range list {
		dst = add(append(dst, begin...), item)
		begin = ","
	}
	if len(list) > 0 {
		dst = append(dst, ']')
	}
	return dst
}

// Where a line was seen, and its place, by stage.
var (
	stageNames = [...]string{stageIn: "in", stageOut: "out", stageMade: "out", stageBefore: "out", stageAfter: "out"}
	places     = [...]string{stageBefore: "before", stageAfter: "behind"}
)

func quote(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // invalid UTF-8, which becomes U+FFFD, is the only error
	return dst
}

// mark marks the record if secrets were taken out of it.
func (e *encoder) mark(redacted bool) {
	if redacted {
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
	if !e.begin(streamNames[n.stream], n.moment) {
		return
	}
	e.mark(e.opts.Redact != nil && !bytes.Equal(without, n.bytes))
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
func (e *encoder) gap(stream string, at moment, g gap) {
	e.gaps++
	e.lostInOut += g.count
	e.lost.Lines += g.count
	e.lost.Bytes += g.bytes
	if e.begin("gap", at) {
		e.out = fmt.Appendf(e.out, `,"stream":%q,"count":%d,"bytes":%d,"why":%q,"from":"%s","to":"%s"}`+"\n",
			stream, g.count, g.bytes, g.why, appendTime(nil, g.from), appendTime(nil, g.to))
	}
	if e.opts.Each != nil {
		e.each(at, Record{Kind: "gap", Gap: &Gap{
			Stream: stream, Count: g.count, Bytes: g.bytes, Why: g.why,
			From: time.Unix(0, g.from).UTC(), To: time.Unix(0, g.to).UTC(),
		}})
	}
}

// end appends the last record.
func (e *encoder) end(at moment, o Outcome) {
	for _, text := range []*string{&o.NotStarted, &o.Path, &o.Connection} {
		*text = string(e.without([]byte(*text)))
	}
	end := End{
		Outcome: o, Client: e.received[streamClient], Agent: e.received[streamAgent],
		Gaps: e.gaps, Lost: e.lost,
	}
	if e.begin("end", at) {
		e.out = appendMembers(e.out, end)
	}
	if e.opts.Each != nil {
		e.each(at, Record{Kind: "end", End: &end})
	}
}
