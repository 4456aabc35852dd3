package record

import (
	"bytes"
	"strconv"
	"time"

	"acpshim/internal/chain/wire"
)

// A stream is a source of lines. The lines of a stream are recorded in their order.
type stream uint8

const (
	streamClient stream = iota // what the client sends
	streamAgent
	streamStderr
	streamEvent // the log of acpshim
	streamFile  // texts of plan files
	streams     // the number of streams
)

var streamNames = [streams]string{"client", "agent", "stderr", "event", "file"}

// isTraffic reports whether the stream has messages and not text.
func (s stream) isTraffic() bool { return s == streamClient || s == streamAgent }

// A moment is when something came.
type moment struct {
	at   time.Duration // since the record began, by a monotonic clock
	wall int64         // nanoseconds since 1970
}

// An entry of the queue is a piece of a stream.
type entry struct {
	moment
	stream stream
	size   int     // of its data, which is after that of the entry before, in bytes
	change *change // its data is one line that was held; nil for other data
	gap    *gap    // lines are missing here, and there is no data
}

// A change says what an interceptor did to a line.
type change struct {
	stage  stage
	number int64 // of the line that was received: see wire.Change; 0 if it has none
	by     []wire.Cause
	from   wire.Origin // see wire.Addition, as are the next two
	isHeld bool
	of     wire.Origin // the request of a response
	long   *longLine   // in place of the data
}

// weight returns the size of the reasons, in bytes.
func (c *change) weight() (bytes int) {
	if c != nil {
		for _, cause := range c.by {
			bytes += cause.Why.Size()
		}
	}
	return bytes
}

// cost returns how much of the queue the entry takes, in bytes.
func (n entry) cost() int { return n.size + entryCost + n.change.weight() }

// A stage says on which side of acpshim a line was seen.
type stage uint8

const (
	stageBoth   stage = iota // on both sides: it was received and sent
	stageIn                  // it was received
	stageOut                 // it was sent in place of a line that was received
	stageMade                // it was sent, and no line was received for it
	stageBefore              // the same, before the next line of the direction
	stageAfter               // the same, after the last line of the direction
)

// layout has all nine digits of nanoseconds, so that times sort as text.
const layout = "2006-01-02T15:04:05.000000000Z07:00"

func appendTime(b []byte, wall int64) []byte {
	return time.Unix(0, wall).UTC().AppendFormat(b, layout)
}

// appendStamp appends the moment as members of a JSON object.
func (m moment) appendStamp(dst []byte) []byte {
	dst = append(dst, `,"time":"`...)
	dst = appendTime(dst, m.wall)
	dst = append(dst, `","mono":`...)
	return strconv.AppendInt(dst, int64(m.at), 10)
}

// A batch is a list of entries, and their data one after the other.
type batch struct {
	entries []entry
	data    []byte
}

const (
	batchSize    = 256 << 10
	batchEntries = 2048
)

// isFull reports whether the batch has no room for size more bytes.
func (b *batch) isFull(size int) bool {
	return len(b.data)+size > cap(b.data) || len(b.entries) == batchEntries
}

// partialAfter returns the size of the unfinished line after b, if partial bytes of it came before
// b.
func partialAfter(partial int, b []byte) int {
	if n := bytes.LastIndexByte(b, '\n'); n >= 0 {
		return len(b) - n - 1
	}
	return partial + len(b)
}
