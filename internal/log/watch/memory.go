package watch

import (
	"cmp"
	"slices"

	"acpshim/internal/log/view"
	"acpshim/internal/record/history"
)

// How much of a run is kept, in bytes, and what a row and a message take in addition to their
// texts.
const (
	maxRows     = 16 << 20
	maxMessages = 48 << 20
	rowCost     = 1600 // with a message that was dropped
	messageCost = 1200
)

// A memory keeps the last rows and messages of a run, up to a weight in bytes for each kind. It
// drops the oldest ones.
type memory struct {
	rows                   []view.Row
	messages               []*history.Message // in the order of their numbers
	rowBytes, messageBytes int
	mostRows, mostMessages int
	dropped                int // rows
}

// addRows keeps rows, and returns how many old ones it dropped.
func (k *memory) addRows(rows []view.Row) (dropped int) {
	for _, row := range rows {
		k.rows = append(k.rows, row)
		k.rowBytes += weightOfRow(row)
	}
	if k.rowBytes <= k.mostRows {
		return 0
	}
	for ; dropped < len(k.rows)-1 && k.rowBytes > k.mostRows-k.mostRows/8; dropped++ {
		k.rowBytes -= weightOfRow(k.rows[dropped])
	}
	k.rows = slices.Delete(k.rows, 0, dropped)
	k.dropped += dropped
	return dropped
}

func weightOfRow(row view.Row) int {
	n := rowCost + len(row.Text)
	for _, line := range slices.Concat(row.By, row.Reasons, row.Below) {
		n += len(line) + 16
	}
	return n
}

// addMessage keeps a message. It also removes the texts of the messages that it drops, because
// other messages may still point to them.
func (k *memory) addMessage(m *history.Message) {
	k.messages = append(k.messages, m)
	if k.messageBytes += weightOf(m); k.messageBytes <= k.mostMessages {
		return
	}
	n := 0
	for ; n < len(k.messages)-1 && k.messages[n].Seq != m.Seq && k.messageBytes > k.mostMessages-k.mostMessages/8; n++ {
		k.messageBytes -= weightOf(k.messages[n])
	}
	for n > 0 && k.messages[n].Seq == k.messages[n-1].Seq { // the messages of a batch share their line
		n--
		k.messageBytes += weightOf(k.messages[n])
	}
	for _, old := range k.messages[:n] {
		old.JSON, old.Message.Line, old.Message.Head = nil, nil, nil
	}
	k.messages = slices.Delete(k.messages, 0, n)
}

func weightOf(m *history.Message) int {
	if m.JSON != nil {
		return messageCost + len(m.JSON)
	}
	return messageCost + len(m.Message.Line) + len(m.Message.Head)
}

// place is the index of the first message with a number, or where that would be.
func (k *memory) place(seq uint64) (place int, found bool) {
	return slices.BinarySearchFunc(k.messages, seq, func(m *history.Message, seq uint64) int { return cmp.Compare(m.Seq, seq) })
}

// message is the first message with a number; nil if it is not kept.
func (k *memory) message(seq uint64) *history.Message {
	if i, ok := k.place(seq); ok {
		return k.messages[i]
	}
	return nil
}

// line returns the messages of a line that came, with those that acpshim sent instead, given the
// number of one of them.
func (k *memory) line(seq uint64) (messages []*history.Message) {
	m := k.message(seq)
	if m != nil && m.Message.Of > 0 && k.message(m.Message.Of) != nil {
		seq = m.Message.Of
	}
	from, _ := k.place(seq)
	for _, m := range k.messages[from:] {
		if m.Seq == seq || m.Message.Of == seq {
			messages = append(messages, m)
		}
	}
	return messages
}
