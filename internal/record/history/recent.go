package history

// recent has recent messages by the numbers of their entries, for entries that refer to them. The
// zero value is ready for use.
type recent struct {
	messages map[uint64]*Message // the first one of an entry
	order    []recentMessage
	bytes    int
}

type recentMessage struct {
	seq   uint64
	bytes int // of its JSON when it was added, because its owner may drop that
}

// Limits of recent. Entries do not refer further back: see docs/record.md.
const (
	maxRecent      = 1 << 14
	maxRecentBytes = 32 << 20
)

func (r *recent) add(m *Message) {
	if r.messages[m.Seq] != nil {
		return
	}
	if r.messages == nil {
		r.messages = map[uint64]*Message{}
	}
	r.messages[m.Seq] = m
	r.order = append(r.order, recentMessage{m.Seq, len(m.JSON)})
	r.bytes += len(m.JSON)
	for len(r.order) > maxRecent || r.bytes > maxRecentBytes && len(r.order) > 1 {
		oldest := r.order[0]
		r.order = r.order[1:]
		r.bytes -= oldest.bytes
		delete(r.messages, oldest.seq)
	}
}

// of returns the message with that number, or nil.
func (r *recent) of(seq uint64) *Message { return r.messages[seq] }
