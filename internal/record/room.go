package record

import "time"

// admit reports whether there is room, and waits for it: for a while, or if the record is required,
// without limit. Events never wait; they have some more room instead.
func (q *queue) admit(size int, s stream) bool {
	limit := q.limit
	if s == streamEvent {
		limit += q.limit / 8
	}
	var begun time.Time
	for q.used > 0 && q.used+size+entryCost > limit {
		if begun.IsZero() {
			begun = time.Now()
		}
		left := q.wait - time.Since(begun)
		if q.required {
			left = q.wait // it waits again
		}
		if s == streamEvent || left <= 0 || q.closed {
			return false
		}
		q.awaitRoom(left)
	}
	return !q.closed
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
	q.makeRoom()
}

// noLongerRequired makes traffic wait no longer than for any record.
func (q *queue) noLongerRequired() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.required = false
	q.makeRoom()
}
