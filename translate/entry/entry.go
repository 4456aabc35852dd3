// Package entry has the entries of a plan in version 1 of the protocol.
//
// All code that makes entries uses [New], so that every client accepts them.
package entry

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// A Status is the status of an entry.
type Status string

// The statuses of version 1, and Cancelled, which version 1 does not have: see [New].
const (
	Pending    Status = acp.EntryPending
	InProgress Status = acp.EntryInProgress
	Completed  Status = acp.EntryCompleted
	Cancelled  Status = acp.EntryCancelled
)

// A Priority is the priority of an entry.
type Priority string

// The priorities of version 1.
const (
	High   Priority = acp.PriorityHigh
	Medium Priority = acp.PriorityMedium
	Low    Priority = acp.PriorityLow
)

// An Entry is a plan entry that every client accepts. Content is not empty, and Priority and Status
// are those of version 1. Meta is the entry's _meta as raw JSON, or nil.
type Entry struct {
	Content  string
	Priority Priority
	Status   Status
	Meta     []byte
}

// CancelledPrefix begins the content of a cancelled entry. Version 1 has no status for it, and
// clients drop entries with an unknown status.
const CancelledPrefix = "[cancelled] "

// New returns an entry. An unknown or empty status becomes pending, and an unknown or empty
// priority becomes medium. A cancelled entry becomes a completed one whose content begins with
// [CancelledPrefix]. New reports false for a content that is only space. The entry shares meta.
func New(content string, p Priority, s Status, meta []byte) (Entry, bool) {
	if strings.TrimSpace(content) == "" {
		return Entry{}, false
	}
	e := Entry{content, Medium, Pending, meta}
	if p == High || p == Low {
		e.Priority = p
	}
	switch s {
	case InProgress, Completed:
		e.Status = s
	case Cancelled:
		e.Status = Completed
		if !strings.HasPrefix(content, CancelledPrefix) {
			e.Content = CancelledPrefix + content
		}
	}
	return e, true
}

// More returns the last entry of a list that has no room for n more entries. It is pending if open
// says that one of them is not completed.
func More(n int, open bool) Entry {
	e := Entry{Content: fmt.Sprintf("… and %d more", n), Priority: Medium, Status: Completed}
	if open {
		e.Status = Pending
	}
	return e
}

// Equal reports whether two entries are the same, _meta included.
func (e Entry) Equal(f Entry) bool {
	return e.Content == f.Content && e.Priority == f.Priority && e.Status == f.Status && bytes.Equal(e.Meta, f.Meta)
}

// Append appends entries to dst as a JSON array on one line.
func Append(dst []byte, entries []Entry) []byte {
	dst = append(dst, '[')
	for i, e := range entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = wire.Quote(append(dst, `{"content":`...), e.Content)
		dst = append(append(dst, `,"priority":"`...), e.Priority...)
		dst = append(append(append(dst, `","status":"`...), e.Status...), '"')
		if e.Meta != nil {
			dst = append(append(dst, `,"_meta":`...), e.Meta...)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// A Digest identifies a list of entries. The digest of an empty list is zero.
type Digest [sha256.Size]byte

// DigestOf returns the digest of a list. It does not write JSON, because most lists are only
// compared.
func DigestOf(entries []Entry) (d Digest) {
	if len(entries) == 0 {
		return d
	}
	h := sha256.New()
	var b []byte
	for _, e := range entries {
		b = strconv.AppendInt(b[:0], int64(len(e.Content)), 10)
		b = strconv.AppendInt(append(b, ' '), int64(len(e.Meta)), 10)
		b = append(append(append(b, ' '), e.Priority...), ' ')
		b = append(append(append(b, e.Status...), ' '), e.Content...)
		h.Write(append(b, e.Meta...))
	}
	h.Sum(d[:0])
	return d
}

// Item returns an entry as an item of a markdown list, with the line end.
func (e Entry) Item() string {
	box, note := "[ ]", ""
	switch e.Status {
	case Completed:
		box = "[x]"
	case InProgress:
		note = " (in progress)"
	}
	return "- " + box + " " + strings.ReplaceAll(e.Content, "\n", "\n  ") + note + "\n"
}
