package otlp

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// Bounds of a Sender.
const (
	maxWaiting = 4 << 20         // bytes of waiting spans
	batchBytes = 512 << 10       // of a request, unless one span is larger
	batchSpans = 512             // of a request
	delay      = 2 * time.Second // how long a span waits for others
	tries      = 6               // of a request
	longest    = 5 * time.Minute // that a collector may ask to wait
)

// A Sender sends spans to a collector in its own goroutine. Put never waits. The Sender drops and
// counts spans for which there is no room, and spans that the collector does not accept.
type Sender struct {
	post     func(context.Context, []byte) error
	envelope Envelope
	failed   func(error)
	tries    int
	longest  time.Duration

	wake     chan struct{}
	closing  chan struct{}
	done     chan struct{}
	ctx      context.Context
	cancel   context.CancelFunc
	troubled bool // the last request failed

	mu      sync.Mutex // protects the fields below
	closed  bool
	waiting [][]byte
	size    int // bytes in waiting
	dropped int
}

// NewSender starts a Sender. Its goroutine calls failed when a request fails, and again only after
// one has succeeded. Failed may be nil.
func NewSender(c *Client, e Envelope, failed func(error)) *Sender {
	s := &Sender{post: c.Post, envelope: e, failed: failed, tries: tries, longest: longest,
		wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.run()
	return s
}

// Put adds a span that has ended.
func (s *Sender) Put(span *Span) {
	text := span.JSON()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.size+len(text) > maxWaiting {
		s.dropped++
		return
	}
	s.waiting = append(s.waiting, text)
	s.size += len(text)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Close sends the waiting spans within a time, without retries, and returns how many spans were
// dropped in all.
func (s *Sender) Close(within time.Duration) (dropped int) {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.closing)
	}
	s.mu.Unlock()
	timer := time.AfterFunc(within, s.cancel)
	<-s.done
	timer.Stop()
	s.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropped
}

func (s *Sender) run() {
	defer close(s.done)
	for {
		select {
		case <-s.wake:
			s.pause(delay)
		case <-s.closing:
		}
		ends := s.isClosing()
		for batch := s.take(); len(batch) > 0; batch = s.take() {
			s.send(batch)
		}
		if ends {
			return
		}
	}
}

// take returns the oldest spans for a request.
func (s *Sender) take() (batch [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, bytes := 0, 0
	for n < min(len(s.waiting), batchSpans) && (n == 0 || bytes+len(s.waiting[n]) <= batchBytes) {
		bytes += len(s.waiting[n])
		n++
	}
	batch, s.waiting = s.waiting[:n:n], s.waiting[n:]
	s.size -= bytes
	return batch
}

// send sends a request, with retries if an error is temporary.
func (s *Sender) send(batch [][]byte) {
	if s.troubled && s.isClosing() {
		s.drop(len(batch))
		return
	}
	body := s.envelope.Request(batch)
	for try := 1; ; try++ {
		err := s.post(s.ctx, body)
		if err == nil {
			s.troubled = false
			return
		}
		if !s.troubled && s.failed != nil {
			s.failed(err)
		}
		s.troubled = true
		if rejected := (*Partial)(nil); errors.As(err, &rejected) {
			s.drop(rejected.Spans)
			return
		}
		if !isTemporary(err) || try == s.tries || s.isClosing() || !s.pause(min(retryDelay(err, try), s.longest)) && asksToWait(err) > 0 {
			s.drop(len(batch))
			return
		}
	}
}

// retryDelay returns how long to wait after a failed try: as long as the collector asks, or else
// longer after each try, with a random part.
func retryDelay(err error, try int) time.Duration {
	if after := asksToWait(err); after > 0 {
		return after
	}
	longest := min(time.Second<<try, 30*time.Second)
	return longest/2 + rand.N(longest/2)
}

// asksToWait returns how long the collector asks to wait, or 0.
func asksToWait(err error) time.Duration {
	if refusal := (*Refusal)(nil); errors.As(err, &refusal) {
		return refusal.After
	}
	return 0
}

// pause waits. It returns false as soon as the Sender is closed.
func (s *Sender) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.closing:
		return false
	}
}

func (s *Sender) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

func (s *Sender) drop(spans int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropped += spans
}
