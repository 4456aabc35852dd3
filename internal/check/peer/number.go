package peer

import (
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/store"
)

// number gives messages the numbers that they have in the record. The record has each line of each
// side once, in the order of the side, and lines of standard error between them.
func (p *Process) number() {
	p.transcript.markPieces()
	if p.Record() == "" {
		return
	}
	parts, err := store.Parts(p.Record())
	if err != nil {
		return
	}
	files, err := store.Open(parts...)
	if err != nil {
		return
	}
	defer files.Close()
	var numbers [2][]uint64
	reader := record.NewReader(files)
	for {
		r, err := reader.Next()
		switch {
		case err != nil:
			p.transcript.number(numbers)
			return
		case r.Message != nil:
			side := r.Message.Dir.Index()
			numbers[side] = append(numbers[side], r.Seq)
		case r.Gap != nil && (r.Gap.Stream == string(wire.Client) || r.Gap.Stream == string(wire.Agent)):
			side := wire.Side(r.Gap.Stream).Index()
			for range r.Gap.Count {
				numbers[side] = append(numbers[side], r.Seq)
			}
		}
	}
}

// number sets the numbers of messages from those of all lines of the sides.
func (t *transcript) number(numbers [2][]uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.messages {
		if of := numbers[m.From.Index()]; m.ordinal < len(of) {
			m.Number = of[m.ordinal]
		}
	}
}

// markPieces marks the lines from which messages were put together.
func (t *transcript) markPieces() {
	t.mu.Lock()
	defer t.mu.Unlock()
	pieces := map[int]bool{}
	for _, m := range t.messages {
		for i := range m.Pieces {
			pieces[m.ordinal+i] = true
		}
	}
	for _, m := range t.messages {
		m.IsPiece = m.From == wire.Agent && m.Pieces == 0 && pieces[m.ordinal]
	}
}

// History returns the messages of a process that has ended as they are in a record, without
// anything taken out of them.
func (p *Process) History() *history.History {
	var h history.History
	var c history.Conversation
	for _, m := range p.Messages() {
		if m.IsPiece {
			continue
		}
		r := record.Record{Kind: "message", Seq: m.Number, Time: m.At, Mono: m.At.Sub(p.begun)}
		r.Message = &record.Message{Dir: m.From, Line: m.Line, Len: int64(m.Size) + 1}
		h.Messages = append(h.Messages, c.Add(r)...)
	}
	return &h
}
