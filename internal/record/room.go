package record

import "time"

// admit waits for room and reports whether there is some. If the record is required, it waits
// without limit. Events never wait, and have some extra room.
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
			left = q.wait
		}
		if s == streamEvent || left <= 0 || q.closed {
			return false
		}
		q.awaitRoom(left)
	}
	return !q.closed
}

// awaitRoom unlocks the queue until there is more room, or the limit has passed.
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

// makeRoom wakes the callers that wait for room.
func (q *queue) makeRoom() {
	if q.room != nil {
		close(q.room)
		q.room = nil
	}
}

// release frees the room of an entry.
func (q *queue) release(cost int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used -= cost
	q.makeRoom()
}

// noLongerRequired makes traffic wait no longer than for a record that is not required.
func (q *queue) noLongerRequired() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.required = false
	q.makeRoom()
}
