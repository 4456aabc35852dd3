package record

import (
	"bytes"

	"acpshim/internal/chain/wire"
)

// textSize is the largest part of a line of stderr or of an event in one record, in bytes.
const textSize = 64 << 10

// A line is to be recorded. It can be a piece of a long text.
type line struct {
	stream stream
	moment moment // of its last byte
	bytes  []byte
	long   *longLine // in place of bytes
	change *change   // nil if it was sent as it was received
	of     uint64    // the number of the record of the line that it replaced, or 0
}

// A lineBuffer has the beginning of a line whose end has not come yet. The stream and the moment of
// the line are not set.
type lineBuffer struct {
	line
	last entry // the piece that came last
}

func (u *lineBuffer) isEmpty() bool { return len(u.bytes) == 0 && u.long == nil }

// changed records a line that was held, as it was received or as it was sent. A line that was sent
// without a newline stays in the buffer, because acpshim adds one before the next line.
func (w *writer) changed(n entry, b []byte) {
	u := &w.buffers[n.stream]
	if !u.isEmpty() {
		w.endWithNewline(n, u)
	}
	var of uint64
	if n.change.stage == stageOut {
		of = w.lastIn[n.stream]
	}
	if n.change.stage != stageIn && !hasEnd(b, n.change.long) {
		*u = lineBuffer{line{bytes: bytes.Clone(b), long: n.change.long, change: n.change, of: of}, n}
		return
	}
	seq := w.keep(line{stream: n.stream, moment: w.current, bytes: b, long: n.change.long, change: n.change, of: of})
	if n.change.stage == stageIn {
		w.lastIn[n.stream] = seq
	}
	if n.change.number > 0 {
		w.numbers.note(wire.Origin{From: wire.Side(streamNames[n.stream]), Number: n.change.number}, seq)
	}
}

// endWithNewline records the line in the buffer with the newline that acpshim added to it before
// the line in n.
func (w *writer) endWithNewline(n entry, u *lineBuffer) {
	came := u.last.moment
	if u.change == nil || u.change.stage == stageBoth {
		u.of = w.keep(line{stream: n.stream, moment: came, bytes: u.bytes, long: u.long, change: &change{stage: stageIn, by: n.change.by}})
		u.change = &change{stage: stageOut, by: n.change.by}
	}
	if u.long != nil {
		u.long.Write([]byte{'\n'})
	} else {
		u.bytes = append(u.bytes, '\n')
	}
	w.endLine(n.stream, came)
}

// hasEnd reports whether a line ends with a newline.
func hasEnd(b []byte, tooLong *longLine) bool {
	if tooLong != nil {
		return tooLong.ended
	}
	return bytes.HasSuffix(b, []byte{'\n'})
}

// pieces splits bytes of a stream into lines.
func (w *writer) pieces(n entry, data []byte) {
	u := &w.buffers[n.stream]
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n') + 1
		piece := data
		if end > 0 {
			piece = data[:end]
		}
		if end > 0 && u.isEmpty() && end <= w.limit(n.stream) {
			w.keep(line{stream: n.stream, moment: w.current, bytes: piece})
		} else {
			w.more(n, u, piece)
			if end > 0 {
				w.endLine(n.stream, w.current)
			}
		}
		data = data[len(piece):]
		w.flushEnough()
	}
}

// limit returns the length up to which a line of a stream is one record, in bytes.
func (w *writer) limit(s stream) int {
	if s.isTraffic() || s == streamFile {
		return w.opts.MaxLine
	}
	return textSize
}

// more adds bytes to a buffer. When a message becomes too long, only its head and hash are kept.
// Text becomes several records.
func (w *writer) more(n entry, u *lineBuffer, b []byte) {
	u.last = n
	limit := w.limit(n.stream)
	for u.long == nil && len(u.bytes)+len(b) > limit {
		if n.stream.isTraffic() {
			u.long = &longLine{}
			u.long.Write(u.bytes)
			u.bytes = nil
			break
		}
		fits := limit - len(u.bytes)
		u.bytes = append(u.bytes, b[:fits]...)
		b = b[fits:]
		end := pieceEnd(u.bytes)
		w.keep(line{stream: n.stream, moment: w.current, bytes: u.bytes[:end]})
		u.bytes = append(u.bytes[:0], u.bytes[end:]...)
	}
	if u.long != nil {
		u.long.Write(b)
		return
	}
	u.bytes = append(u.bytes, b...)
}

// pieceEnd returns where to cut a long line. It is after the last white space if that is near the
// end, because redaction does not find a secret that is cut. White space between a name and its
// value does not count, for the same reason.
func pieceEnd(b []byte) int {
	const reach = 1 << 10
	for i := len(b) - 1; i > 0 && i >= len(b)-reach; i-- {
		if (b[i] == ' ' || b[i] == '\t') && b[i-1] != ':' && b[i-1] != '=' {
			return i + 1
		}
	}
	return len(b)
}

// endLine records the line in the buffer of a stream, if there is one.
func (w *writer) endLine(s stream, at moment) {
	u := &w.buffers[s]
	if u.isEmpty() {
		return
	}
	u.stream, u.moment = s, at
	w.keep(u.line)
	*u = lineBuffer{line: line{bytes: u.bytes[:0]}}
}
