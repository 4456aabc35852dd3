package record

import (
	"bytes"
)

// A gap is what a stream lost.
type gap struct {
	count    int // lines
	bytes    int64
	from, to int64 // nanoseconds since 1970; from is 0 if nothing was lost
	why      string
}

// The reasons for a gap.
const (
	whyBehind = "recording did not keep up"
	whyGone   = "the file was removed or renamed"
)

// add adds lines and bytes that were lost now, in nanoseconds since 1970.
func (g *gap) add(count, bytes int, now int64) {
	if g.from == 0 {
		g.from = now
	}
	g.to = now
	g.count += count
	g.bytes += int64(bytes)
}

// An intake is the state of a stream where it enters the queue.
type intake struct {
	partial int  // bytes of the line in progress
	inGap   bool // nothing is taken up to the end of a line and until there is room
	lost    gap
}

// drop counts what there is no room for and returns what is left if there is
// room again, which begins with a line.
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
		q.push(in.take(e), nil) // in front of what is taken again
		return b
	}
	if len(b) == 0 {
		return nil
	}
	in.lost.add(bytes.Count(b, []byte{'\n'}), len(b), e.wall)
	in.partial = inProgress(0, b)
	return nil
}

// take ends the gap and returns the entry that says what it lacks.
func (in *intake) take(e entry) entry {
	lost := in.lost
	lost.why = whyBehind
	e.gap, e.line = &lost, nil
	in.inGap, in.lost = false, gap{}
	return e
}

// gaps returns what streams lost that nothing ended yet. At the end of the
// record it also takes the lines that never ended.
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
			found = append(found, in.take(q.entry(s)))
		}
	}
	return found
}
