package record

import "bytes"

// textSize is how much of a line of stderr or of an event is one record, in bytes.
const textSize = 64 << 10

// A line is one to be recorded, or a piece of a long text.
type line struct {
	stream stream
	stamp  []byte // of its last byte
	bytes  []byte
	long   *long      // takes the place of bytes
	as     *rewritten // nil for one that went on as it came
	of     uint64     // the number of the record whose line it took the place of, or 0
	why    []string   // the reasons of what as names, without secrets; nil if there is none
}

// An unended is a line of which more is to come. Its stream and its stamp are not set.
type unended struct {
	line
	last entry // the piece that came last
}

func (u *unended) isEmpty() bool { return len(u.bytes) == 0 && u.long == nil }

// rewritten records a line that was held, as it came or as it went on. One that went on
// without an end may get it from the line that follows.
func (w *writer) rewritten(n entry, b []byte) {
	u := &w.lines[n.stream]
	if !u.isEmpty() {
		w.endByUs(n, u)
	}
	var of uint64
	if n.line.stage == stageOut {
		of = w.lastIn[n.stream]
	}
	if n.line.stage != stageIn && !hasEnd(b, n.line.long) {
		*u = unended{line{bytes: bytes.Clone(b), long: n.line.long, as: n.line, of: of}, n}
		return
	}
	seq := w.keep(line{n.stream, w.stamp, b, n.line.long, n.line, of, nil})
	if n.line.stage == stageIn {
		w.lastIn[n.stream] = seq
	}
}

// endByUs ends a last line that had no end, as it got one for the line that follows.
func (w *writer) endByUs(n entry, u *unended) {
	came := u.last.appendStamp(nil)
	if u.as == nil {
		u.of = w.keep(line{n.stream, came, u.bytes, u.long, &rewritten{stage: stageIn, by: n.line.by}, 0, nil})
		u.as = &rewritten{stage: stageOut, by: n.line.by}
	}
	if u.long != nil {
		u.long.Write([]byte{'\n'})
	} else {
		u.bytes = append(u.bytes, '\n')
	}
	w.endLine(n.stream, came)
}

// hasEnd reports whether a line has its end, be it kept or too long to be.
func hasEnd(b []byte, tooLong *long) bool {
	if tooLong != nil {
		return tooLong.ended
	}
	return bytes.HasSuffix(b, []byte{'\n'})
}

// pieces splits bytes of a stream into lines.
func (w *writer) pieces(n entry, data []byte) {
	u := &w.lines[n.stream]
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n') + 1
		piece := data
		if end > 0 {
			piece = data[:end]
		}
		if end > 0 && u.isEmpty() && end <= w.limit(n.stream) {
			w.keep(line{stream: n.stream, stamp: w.stamp, bytes: piece})
		} else {
			w.more(n, u, piece)
			if end > 0 {
				w.endLine(n.stream, w.stamp)
			}
		}
		data = data[len(piece):]
		w.flushEnough()
	}
}

// limit is how long a line of a stream may be that is one record, in bytes.
func (w *writer) limit(s stream) int {
	if s.isTraffic() || s == streamFile {
		return w.opts.MaxLine
	}
	return textSize
}

// more adds to a line that has not ended. Of a message that becomes too long
// head and hash are kept; text becomes several records.
func (w *writer) more(n entry, u *unended, b []byte) {
	u.last = n
	limit := w.limit(n.stream)
	for u.long == nil && len(u.bytes)+len(b) > limit {
		if n.stream.isTraffic() {
			u.long = &long{}
			u.long.Write(u.bytes)
			u.bytes = nil
			break
		}
		fits := limit - len(u.bytes)
		u.bytes = append(u.bytes, b[:fits]...)
		b = b[fits:]
		end := pieceEnd(u.bytes)
		w.keep(line{stream: n.stream, stamp: w.stamp, bytes: u.bytes[:end]})
		u.bytes = append(u.bytes[:0], u.bytes[end:]...)
	}
	if u.long != nil {
		u.long.Write(b)
		return
	}
	u.bytes = append(u.bytes, b...)
}

// pieceEnd returns where a piece of a long line ends: behind the last white space, if
// it is near the end, as a secret that is cut is not known as one. So the space is not
// one between a name and its value.
func pieceEnd(b []byte) int {
	const reach = 1 << 10
	for i := len(b) - 1; i > 0 && i >= len(b)-reach; i-- {
		if (b[i] == ' ' || b[i] == '\t') && b[i-1] != ':' && b[i-1] != '=' {
			return i + 1
		}
	}
	return len(b)
}

// endLine records the line of a stream that has not ended, if there is one.
func (w *writer) endLine(s stream, stamp []byte) {
	u := &w.lines[s]
	if u.isEmpty() {
		return
	}
	u.stream, u.stamp = s, stamp
	w.keep(u.line)
	*u = unended{line: line{bytes: u.bytes[:0]}}
}
