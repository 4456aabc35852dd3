package record

import (
	"bytes"
	"strconv"
	"time"

	"acpshim/internal/wire"
)

// A stream is one of those that are recorded, each in its order.
type stream uint8

const (
	streamClient stream = iota // what the client sends
	streamAgent
	streamStderr
	streamEvent // acpshim's log
	streamFile  // texts of plan files
	streams     // how many there are
)

var streamNames = [streams]string{"client", "agent", "stderr", "event", "file"}

// isTraffic reports whether the stream has messages, not text.
func (s stream) isTraffic() bool { return s == streamClient || s == streamAgent }

// An entry is a piece of what waits to be written.
type entry struct {
	stream stream
	at     time.Duration // since the record began, by a clock that nobody sets
	wall   int64         // nanoseconds since 1970
	size   int           // bytes of data, behind that of the entry before
	line   *rewritten    // the data is one line that was held, and what is to be said of it
	gap    *gap          // the entry says what is missing at its place
}

// A rewritten is what is known of a line that an interceptor changed.
type rewritten struct {
	stage stage
	by    []wire.Cause
	long  *long // takes the place of the data
}

// weight is what the reasons take, in bytes.
func (r *rewritten) weight() (bytes int) {
	if r != nil {
		for _, c := range r.by {
			bytes += len(c.Why)
		}
	}
	return bytes
}

// cost is what the entry takes of the queue, in bytes.
func (n entry) cost() int { return n.size + entryCost + n.line.weight() }

// A stage says on which side of acpshim a line was seen.
type stage uint8

const (
	stageBoth   stage = iota // as it came and as it went on
	stageIn                  // as it came
	stageOut                 // as it went on in place of one that came
	stageMade                // as it went on, with nothing that came for it
	stageBefore              // likewise, before the line of the same direction that comes next
	stageBehind              // likewise, behind the one that came last
)

// layout has all digits of the nanoseconds, so that times sort as text.
const layout = "2006-01-02T15:04:05.000000000Z07:00"

func appendTime(b []byte, wall int64) []byte {
	return time.Unix(0, wall).UTC().AppendFormat(b, layout)
}

// appendStamp appends the time of an entry as members of a JSON object.
func (n entry) appendStamp(dst []byte) []byte {
	dst = append(dst, `,"time":"`...)
	dst = appendTime(dst, n.wall)
	dst = append(dst, `","mono":`...)
	return strconv.AppendInt(dst, int64(n.at), 10)
}

// A batch is entries and their data, one behind the other.
type batch struct {
	entries []entry
	data    []byte
}

const (
	batchSize    = 256 << 10
	batchEntries = 2048
)

// isFull reports whether size more bytes have to go into another batch.
func (b *batch) isFull(size int) bool {
	return len(b.data)+size > cap(b.data) || len(b.entries) == batchEntries
}

// inProgress is how much of a line is there after b, if partial bytes were
// there before.
func inProgress(partial int, b []byte) int {
	if n := bytes.LastIndexByte(b, '\n'); n >= 0 {
		return len(b) - n - 1
	}
	return partial + len(b)
}
