package history

// recent has recent messages by the numbers of their entries, for entries that refer to them. The
// zero value is ready for use.
type recent struct {
	messages map[uint64]*Message // the first one of an entry
	order    []*Message
	bytes    int
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
	r.order = append(r.order, m)
	r.bytes += len(m.JSON)
	for len(r.order) > maxRecent || r.bytes > maxRecentBytes && len(r.order) > 1 {
		oldest := r.order[0]
		r.order[0], r.order = nil, r.order[1:]
		r.bytes -= len(oldest.JSON)
		delete(r.messages, oldest.Seq)
	}
}

// of returns the message with that number, or nil.
func (r *recent) of(seq uint64) *Message { return r.messages[seq] }
