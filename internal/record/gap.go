package record

import "bytes"

// A gap is a number of lines that are not in the record.
type gap struct {
	count    int // lines
	bytes    int64
	from, to int64 // nanoseconds since 1970; from is 0 if nothing is lost
	why      string
}

// The reasons for a gap.
const (
	whyBehind = "recording did not keep up"
	whyGone   = "the file was removed or renamed"
)

// add adds lines and bytes that were lost at a time.
func (g *gap) add(count, bytes int, now int64) {
	if g.from == 0 {
		g.from = now
	}
	g.to = now
	g.count += count
	g.bytes += int64(bytes)
}

// An intake is the state of a stream at the entrance of the queue.
type intake struct {
	partial int  // bytes of the unfinished line
	inGap   bool // everything is dropped until a line ends and there is room
	lost    gap
}

// drop drops bytes of a stream that is in a gap. If there is room again, it ends the gap and
// returns the rest, which begins with a line.
func (q *queue) drop(in *intake, e entry, b []byte) []byte {
	if in.partial > 0 {
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			in.lost.add(0, len(b), e.wall)
			in.partial += len(b)
			return nil
		}
		in.lost.add(1, n, e.wall)
		in.partial = 0
		b = b[n:]
	}
	if q.used <= q.limit/2 {
		q.push(in.endGap(e), nil)
		return b
	}
	if len(b) == 0 {
		return nil
	}
	in.lost.add(bytes.Count(b, []byte{'\n'}), len(b), e.wall)
	in.partial = partialAfter(0, b)
	return nil
}

// endGap ends the gap and returns its entry, which has the stream and time of e.
func (in *intake) endGap(e entry) entry {
	lost := in.lost
	lost.why = whyBehind
	e.gap, e.change = &lost, nil
	in.inGap, in.lost = false, gap{}
	return e
}

// gaps ends the gaps of streams that have no unfinished line, and returns their entries. At the end
// of the record it ends all gaps.
func (q *queue) gaps(end bool) (found []entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for s := range streams {
		in := &q.intakes[s]
		if end && in.inGap && in.partial > 0 {
			in.lost.count++
			in.partial = 0
		}
		if in.inGap && in.partial == 0 && len(q.ready) == 0 {
			found = append(found, in.endGap(q.entry(s)))
		}
	}
	return found
}
