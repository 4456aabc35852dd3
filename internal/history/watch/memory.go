package watch

import (
	"slices"

	"acpshim/internal/history"
	"acpshim/internal/history/view"
)

// How much is kept of a run, in bytes: of the rows, and of the messages that they can open.
const (
	maxRows     = 8 << 20
	maxMessages = 32 << 20
)

// What a row and a message take besides their texts, in bytes.
const (
	rowCost     = 400
	messageCost = 1200
)

// A memory keeps the last rows and messages of a run. The oldest ones make room for the next ones.
type memory struct {
	rows             []view.Row
	messages         []*history.Message // in the order of their numbers
	rowBytes, bytes  int
	mostRows, mostOf int // the bounds of both
	dropped          int // rows
}

func newMemory() memory { return memory{mostRows: maxRows, mostOf: maxMessages} }

// addRows keeps rows, and returns how many old ones made room.
func (k *memory) addRows(rows []view.Row) (dropped int) {
	for _, row := range rows {
		k.rows = append(k.rows, row)
		k.rowBytes += weightOfRow(row)
	}
	if k.rowBytes <= k.mostRows {
		return 0
	}
	for dropped < len(k.rows)-1 && k.rowBytes > k.mostRows-k.mostRows/8 {
		k.rowBytes -= weightOfRow(k.rows[dropped])
		dropped++
	}
	k.rows = slices.Delete(k.rows, 0, dropped)
	k.dropped += dropped
	return dropped
}

func weightOfRow(row view.Row) int {
	n := rowCost + len(row.Text) + len(row.What)
	for _, lines := range [][]string{row.By, row.Why, row.Below} {
		for _, line := range lines {
			n += len(line) + 16
		}
	}
	return n
}

// addMessage keeps a message. Others may still point to those that make room, so they lose what is
// long of them.
func (k *memory) addMessage(m *history.Message) {
	k.messages = append(k.messages, m)
	if k.bytes += weight(m); k.bytes <= k.mostOf {
		return
	}
	n := 0
	for n < len(k.messages)-1 && k.bytes > k.mostOf-k.mostOf/8 {
		for seq := k.messages[n].Seq; n < len(k.messages)-1 && k.messages[n].Seq == seq; n++ {
			k.bytes -= weight(k.messages[n])
		}
	}
	for _, old := range k.messages[:n] {
		old.JSON, old.Message.Line, old.Message.Head = nil, nil, nil
	}
	k.messages = slices.Delete(k.messages, 0, n)
}

// weight is what a message takes. Those of a batch share a line.
func weight(m *history.Message) int {
	if m.JSON != nil {
		return messageCost + len(m.JSON)
	}
	return messageCost + len(m.Message.Line) + len(m.Message.Head)
}

// at is the place of the first message with a number, or where it would be.
func (k *memory) at(seq uint64) (place int, found bool) {
	return slices.BinarySearchFunc(k.messages, seq, func(m *history.Message, seq uint64) int {
		return int(int64(m.Seq) - int64(seq))
	})
}

// message is the first message with a number; nil if it is not kept.
func (k *memory) message(seq uint64) *history.Message {
	if i, ok := k.at(seq); ok {
		return k.messages[i]
	}
	return nil
}

// line is the messages of a line that came, with what took its place, given the number of one.
func (k *memory) line(seq uint64) (messages []*history.Message) {
	m := k.message(seq)
	if m == nil {
		return nil
	}
	origin := seq
	if of := m.Message.Of; of > 0 && k.message(of) != nil {
		origin = of
	}
	from, _ := k.at(origin)
	for _, m := range k.messages[from:] {
		if m.Seq == origin || m.Message.Of == origin {
			messages = append(messages, m)
		}
	}
	return messages
}
