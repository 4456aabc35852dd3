package record

import "time"

// A fullness is when the queue was full, and what had been spent on redaction then.
type fullness struct {
	since    time.Time // zero if half of the queue has been free since
	redacted time.Duration
}

// admit waits for room, for a while, and reports whether there is some. If not, it
// notes why. For events it does not wait: they have some more room instead.
func (q *queue) admit(size int, s stream) bool {
	limit := q.limit
	if s == streamEvent {
		limit += q.limit / 8
	}
	var begun time.Time
	for q.used > 0 && q.used+size+entryCost > limit {
		now := time.Now()
		if begun.IsZero() {
			begun = now
		}
		left, why := q.patience(now.Sub(begun), now)
		if s == streamEvent || left <= 0 || q.closed {
			q.intakes[s].lost.why = why
			return false
		}
		q.awaitRoom(left)
	}
	return !q.closed
}

// patience is how much longer somebody may wait who has waited for a time, and what is
// to blame. A required record is waited for without limit, but not for its redaction.
func (q *queue) patience(waited time.Duration, now time.Time) (left time.Duration, why string) {
	if q.full.since.IsZero() {
		q.full = fullness{now, q.redacted()}
	}
	redacted := q.redacted() - q.full.redacted
	forRedaction := (redacted > 0 || !q.redactingSince.IsZero()) && redacted >= now.Sub(q.full.since)/2
	why = whyBehind
	if forRedaction {
		why = whyRedactionBehind
	}
	switch {
	case q.required && forRedaction:
		return q.redactTime - redacted, why
	case q.required:
		return q.redactTime, why // it may be redaction then
	}
	return q.wait - waited, why
}

// awaitRoom waits until bytes were taken out, with the queue unlocked meanwhile.
func (q *queue) awaitRoom(limit time.Duration) {
	if q.room == nil {
		q.room = make(chan struct{})
	}
	room := q.room
	q.mu.Unlock()
	select {
	case <-room:
	case <-time.After(limit):
	}
	q.mu.Lock()
}

// makeRoom wakes who waits.
func (q *queue) makeRoom() {
	if q.room != nil {
		close(q.room)
		q.room = nil
	}
}

// release gives the room of an entry back, which is what it costs.
func (q *queue) release(cost int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used -= cost
	if q.used <= q.limit/2 {
		q.full = fullness{}
	}
	q.makeRoom()
}

// noLongerRequired makes traffic wait no longer than for any record.
func (q *queue) noLongerRequired() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.required = false
	q.makeRoom()
}

// redacted is how long redaction has taken so far.
func (q *queue) redacted() time.Duration {
	if q.redactingSince.IsZero() {
		return q.redactedFor
	}
	return q.redactedFor + time.Since(q.redactingSince)
}

// redacting notes that a redaction begins or ends.
func (q *queue) redacting(on bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.redactedFor, q.redactingSince = q.redacted(), time.Time{}
	if on {
		q.redactingSince = time.Now()
	}
}

// isRedacting reports whether a redaction goes on.
func (q *queue) isRedacting() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.redactingSince.IsZero()
}
