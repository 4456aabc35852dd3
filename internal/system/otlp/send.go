package otlp

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// Send posts spans and waits for the responses. It tries each request up to three times, with at
// most 30 s between. The error says how many spans were not accepted, and why.
func (c *Client) Send(ctx context.Context, e Envelope, spans []*Span) error {
	var first error
	s := &Sender{post: c.Post, envelope: e, failed: func(err error) { first = err },
		closing: make(chan struct{}), ctx: ctx, tries: 3, longest: 30 * time.Second}
	s.fill(spans)
	for batch := s.take(); len(batch) > 0; batch = s.take() {
		if s.send(batch); s.dropped > 0 {
			return fmt.Errorf("spans that were not accepted: %d of %d: %w", s.dropped+len(s.waiting), len(spans), first)
		}
	}
	return nil
}

// Requests yields the requests for spans.
func (e Envelope) Requests(spans []*Span) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var s Sender
		s.fill(spans)
		for batch := s.take(); len(batch) > 0 && yield(e.Request(batch)); batch = s.take() {
		}
	}
}

func (s *Sender) fill(spans []*Span) {
	for _, span := range spans {
		s.waiting = append(s.waiting, span.JSON())
	}
}
