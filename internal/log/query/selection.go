package query

import (
	"io"
	"iter"
	"strings"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// A Selection remembers which messages of a record match a query, so that a second reading of the
// record need not keep it. Only one goroutine may use it.
type Selection struct {
	query Query
	marks []uint64 // one bit for each message
	size  int      // how many messages have a bit
	next  int      // the index of the message that Next gets

	// arrived has the numbers of the messages with which the client got updates of plans that
	// acpshim held, by the indexes of the updates.
	arrived map[int]uint64
}

// Select reads the record that open opens and returns which messages match. A request is matched
// with what the whole record says of it. A text may begin in one piece of a streamed message and
// end in another: then all pieces match. The error is from opening or reading.
func (q Query) Select(open func() (io.ReadCloser, error)) (*Selection, error) {
	if q.Empty() {
		return &Selection{}, nil
	}
	s := newSelector(q)
	_, err := history.Walk(open, func(m *history.Message, _ record.Record) error {
		s.add(m)
		return nil
	})
	s.end()
	return s.Selection, err
}

// Of is like Select for a record that was read.
func (q Query) Of(all iter.Seq2[*history.Message, record.Record]) *Selection {
	s := newSelector(q)
	for m := range all {
		s.add(m)
	}
	s.end()
	return s.Selection
}

// Next reports whether a message matches. The caller passes all messages of the record in their
// order. A message that was recorded after Select is matched alone.
func (s *Selection) Next(m *history.Message) bool {
	n := s.next
	s.next++
	if n >= s.size {
		return s.query.Match(m)
	}
	if seq, ok := s.arrived[n]; ok && m.Arrived == nil {
		m.Arrived = &history.Message{Record: record.Record{Seq: seq}}
	}
	return s.marks[n/64]&(1<<(n%64)) != 0
}

// A selector makes a Selection.
type selector struct {
	*Selection
	texts   []term // the terms of the query that are texts
	longest int    // the length of the longest text, in bytes
	others  Query  // the other terms
	streams history.Streams
	open    map[*history.Message]*streamedText // by the first piece
	asked   map[*history.Message]int           // indexes of requests whose session may become known
	plans   map[*history.Message]int           // indexes of updates of plans that may still arrive
}

// A streamedText is a streamed message to which more pieces may come.
type streamedText struct {
	tail string // the end of its text, folded: a match may begin there
	says []bool // whether the pieces together contain each text

	pieces []int  // the indexes of the pieces that match the other terms
	alone  []bool // whether each of these pieces alone matches each text
}

func newSelector(q Query) *selector {
	s := &selector{
		Selection: &Selection{query: q, arrived: map[int]uint64{}}, open: map[*history.Message]*streamedText{},
		asked: map[*history.Message]int{}, plans: map[*history.Message]int{},
	}
	for _, t := range q.terms {
		if t.name == "" {
			s.texts = append(s.texts, t)
			s.longest = max(s.longest, len(t.text.plain), len(t.text.inJSON))
		} else {
			s.others.terms = append(s.others.terms, t)
		}
	}
	return s
}

// add takes the next entry of the record. The message is nil if the entry is not a message.
func (s *selector) add(m *history.Message) {
	if m == nil {
		s.finish(s.streams.Interrupt(""))
		return
	}
	n := s.size
	if s.size++; n%64 == 0 {
		s.marks = append(s.marks, 0)
	}
	first, ended := s.streams.Add(m)
	s.finish(ended)
	s.settle(m.Request)
	switch {
	case first != nil && len(s.texts) > 0:
		s.speak(first, m, n)
	case m.Kind == history.Request && m.Session == "":
		s.asked[m] = n
	default:
		s.mark(n, s.query.Match(m))
	}
	if m.IsPlan() && m.Message.Received() && !m.Message.Sent() {
		s.plans[m] = n
	}
}

func (s *selector) mark(n int, matches bool) {
	if matches {
		s.marks[n/64] |= 1 << (n % 64)
	}
}

// settle matches a request that has its response.
func (s *selector) settle(request *history.Message) {
	if n, ok := s.asked[request]; ok {
		s.mark(n, s.query.Match(request))
		delete(s.asked, request)
	}
}

// speak takes a piece of a streamed message.
func (s *selector) speak(first, m *history.Message, n int) {
	stream := s.open[first]
	if stream == nil {
		stream = &streamedText{says: make([]bool, len(s.texts))}
		s.open[first] = stream
	}
	end := stream.tail + fold(m.ChunkText())
	stream.tail = strings.Clone(end[max(0, len(end)-s.longest):])
	for i, t := range s.texts {
		stream.says[i] = stream.says[i] || t.text.isIn(end)
	}
	if !s.others.Match(m) {
		return
	}
	stream.pieces = append(stream.pieces, n)
	alone := &candidate{Record: m.Record, message: m}
	for _, t := range s.texts {
		stream.alone = append(stream.alone, t.holds(alone))
	}
}

// finish matches the pieces of streamed messages that have ended.
func (s *selector) finish(ended []*history.Message) {
	for _, first := range ended {
		stream := s.open[first]
		if stream == nil {
			continue
		}
		delete(s.open, first)
		for i, n := range stream.pieces {
			alone := stream.alone[i*len(s.texts):]
			matches := true
			for j, t := range s.texts {
				matches = matches && (stream.says[j] || alone[j]) != t.not
			}
			s.mark(n, matches)
		}
	}
}

// end matches what is left at the end of the record.
func (s *selector) end() {
	for first := range s.open {
		s.finish([]*history.Message{first})
	}
	for request := range s.asked {
		s.settle(request)
	}
	for m, n := range s.plans {
		if m.Arrived != nil && m.Arrived.Of != m {
			s.arrived[n] = m.Arrived.Seq
		}
	}
}
