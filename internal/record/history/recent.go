package history

// recent has recent messages by the numbers of their entries, because later entries refer to them.
// The zero value is ready for use.
type recent struct {
	messages map[uint64]*Message // the first message of each entry
	order    []recentMessage
	bytes    int
}

type recentMessage struct {
	seq   uint64
	bytes int // the length of its JSON when it was added; its owner may drop the JSON later
}

// Limits of recent. Entries do not refer to older ones: see docs/record.md.
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

// find returns the message with a number, or nil.
func (r *recent) find(seq uint64) *Message { return r.messages[seq] }
