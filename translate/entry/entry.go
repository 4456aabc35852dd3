// Package entry has the entries of a plan as protocol version 1 knows them.
//
// Everything that makes entries (updates, documents, todo tools) makes them with
// [New], so that every client accepts them.
package entry

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"acpshim/internal/wire"
)

// A Status is the state of an entry, as protocol version 1 spells it.
type Status string

// The statuses of version 1, and Cancelled, which is none: see [New].
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Completed  Status = "completed"
	Cancelled  Status = "cancelled"
)

// A Priority is the priority of an entry, as protocol version 1 spells it.
type Priority string

// The priorities of version 1.
const (
	High   Priority = "high"
	Medium Priority = "medium"
	Low    Priority = "low"
)

// An Entry is a plan entry that every client accepts: Content is not empty, and
// Priority and Status are those of version 1. Meta is the entry's _meta as the
// agent wrote it, or nil.
type Entry struct {
	Content  string
	Priority Priority
	Status   Status
	Meta     []byte
}

// CancelledPrefix begins the content of an entry that was cancelled. Version 1 has
// no status for it, and clients drop an entry with a status that they do not know.
const CancelledPrefix = "[cancelled] "

// New returns an entry of what somebody wrote. A status that is unknown or empty
// becomes pending, such a priority medium, and a cancelled entry a completed one
// whose content begins with [CancelledPrefix]. It reports false for a content that
// is only space. The entry shares content and meta.
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

// More returns the entry that stands for n entries for which a list has no room.
// It is pending if one of them is open, which means not completed.
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

// Append appends entries as a list in JSON on one line.
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

// A Digest stands for a list of entries: lists that are not equal have other digests. That of an
// empty list is zero.
type Digest [sha256.Size]byte

// DigestOf returns the digest of a list. It writes no JSON: plans are large, and most are written
// for their digest alone.
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

// Item returns an entry as an item of a list in markdown, with the line's end.
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
