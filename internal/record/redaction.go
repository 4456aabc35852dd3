package record

import "time"

// A redaction asks Options.Redact, for as long as there is time. It is for one
// goroutine.
type redaction struct {
	redact func([]byte) []byte
	within time.Duration // for a line
	rest   time.Duration // for all lines that are left when the record was closed
	queue  *queue        // is notified when it is at work, and knows when the record is closed

	line []byte      // the one in work: the caller's may be another before a late call ends
	late chan []byte // brings the line of a call that took too long
	end  time.Time   // when the rest is over; zero if the record was not closed
}

// without returns a line without its secrets, or false if that takes too long, or the
// last one still does: Redact is not for two goroutines. What it returns is good until
// the next call.
func (r *redaction) without(line []byte) ([]byte, bool) {
	if r.late != nil {
		select {
		case <-r.late:
			r.late = nil
		default:
			return nil, false
		}
	}
	r.line = append(r.line[:0], line...)
	done, asked := make(chan []byte, 1), r.line
	go func() { done <- r.redact(asked) }()
	r.queue.redacting(true)
	defer r.queue.redacting(false)
	if result, ok := r.await(done); ok {
		return result, true
	}
	r.late, r.line = done, nil
	return nil, false
}

// await waits for a line, while there is time.
func (r *redaction) await(done <-chan []byte) ([]byte, bool) {
	closing := r.queue.closing
	for {
		left := r.within
		if !r.end.IsZero() {
			left, closing = min(left, time.Until(r.end)), nil
		}
		late := time.NewTimer(left)
		select {
		case result := <-done:
			late.Stop()
			return result, true
		case <-late.C:
			return nil, false
		case <-closing:
			late.Stop()
			r.end = time.Now().Add(r.rest)
		}
	}
}
