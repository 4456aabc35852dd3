package query

import (
	"io"
	"iter"
	"strings"

	"acpshim/internal/history"
	"acpshim/internal/record"
)

// A Selection is which messages of a record a query means, by their order: a record that is read a
// second time need not be kept. It is for one goroutine.
type Selection struct {
	query Query
	marks []uint64 // a bit a message
	size  int      // messages
	next  int      // which message Next is asked about

	// Arrived are the numbers of the messages with which the client got held updates of plans, by
	// the order of the updates.
	arrived map[int]uint64
}

// Select reads the record that open opens to find out which messages the query means. For that a
// request is what is known of it at the end, and a text may stand in the pieces of a streamed
// message together, which then all are meant. The error is one of opening or of reading.
func (q Query) Select(open func() (io.ReadCloser, error)) (*Selection, error) {
	if q.Empty() {
		return &Selection{}, nil
	}
	s := newSelecting(q)
	_, err := history.Walk(open, func(m *history.Message, _ record.Record) error {
		s.add(m)
		return nil
	})
	s.end()
	return s.Selection, err
}

// Of is Select for what was read of a record.
func (q Query) Of(all iter.Seq2[*history.Message, record.Record]) *Selection {
	s := newSelecting(q)
	for m := range all {
		s.add(m)
	}
	s.end()
	return s.Selection
}

// Next reports whether a message is meant. It is asked about each message of the record, in their
// order; those that came after Select are meant if they match alone.
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

// A selecting makes a Selection.
type selecting struct {
	*Selection
	texts   []term // those of the query
	longest int    // the bytes of the longest of them
	others  Query  // the terms that are no texts
	streams history.Streams
	open    map[*history.Message]*spoken // by the first piece
	asked   map[*history.Message]int     // requests of which the session may still become known
	plans   map[*history.Message]int     // updates of plans that may still arrive
}

// A spoken is a streamed message as far as it has come.
type spoken struct {
	tail string // the end of what it says, folded, in which a text may begin
	says []bool // each text, in the pieces together

	pieces []int  // the orders of those for which the other terms hold
	alone  []bool // each text, for each of these pieces alone
}

func newSelecting(q Query) *selecting {
	s := &selecting{
		Selection: &Selection{query: q, arrived: map[int]uint64{}}, open: map[*history.Message]*spoken{},
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

// add takes in what comes next in the record: a message, or nil for what is none.
func (s *selecting) add(m *history.Message) {
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

func (s *selecting) mark(n int, isMeant bool) {
	if isMeant {
		s.marks[n/64] |= 1 << (n % 64)
	}
}

// settle decides on a request that has its response.
func (s *selecting) settle(request *history.Message) {
	if n, ok := s.asked[request]; ok {
		s.mark(n, s.query.Match(request))
		delete(s.asked, request)
	}
}

// speak takes in a piece of a streamed message.
func (s *selecting) speak(first, m *history.Message, n int) {
	of := s.open[first]
	if of == nil {
		of = &spoken{says: make([]bool, len(s.texts))}
		s.open[first] = of
	}
	end := of.tail + fold(m.Piece())
	of.tail = strings.Clone(end[max(0, len(end)-s.longest):])
	for i, t := range s.texts {
		of.says[i] = of.says[i] || t.text.isIn(end)
	}
	if !s.others.Match(m) {
		return
	}
	of.pieces = append(of.pieces, n)
	alone := &subject{Record: m.Record, message: m}
	for _, t := range s.texts {
		of.alone = append(of.alone, t.holds(alone))
	}
}

// finish decides on the pieces of streamed messages that have ended.
func (s *selecting) finish(ended []*history.Message) {
	for _, first := range ended {
		of := s.open[first]
		if of == nil {
			continue
		}
		delete(s.open, first)
		for i, n := range of.pieces {
			alone := of.alone[i*len(s.texts):]
			isMeant := true
			for j, t := range s.texts {
				isMeant = isMeant && (of.says[j] || alone[j]) != t.not
			}
			s.mark(n, isMeant)
		}
	}
}

// end decides on what is left.
func (s *selecting) end() {
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
