// Package translate turns the plans of new agents into the one plan that old
// clients know: bytes and values in, bytes and values out. It reads no file,
// starts nothing and logs nothing.
//
// The way of a plan: [Decode] reads a session update, [Render] reads a
// document, [Todos] read the calls of a [Tool], a [PlanSet] keeps what is live in
// a session and composes it, and [AppendPlan] writes the legacy update.
package translate

import (
	"bytes"
	"crypto/sha256"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/wire"
)

// A Status is the state of a plan entry, as protocol version 1 spells it.
type Status string

const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Completed  Status = "completed"
)

// A Priority is the priority of a plan entry, as protocol version 1 spells it.
type Priority string

const (
	High   Priority = "high"
	Medium Priority = "medium"
	Low    Priority = "low"
)

// An Entry is one plan entry that every client accepts: Content is not empty
// and the other two are legal. Meta is the entry's _meta as the agent wrote
// it, or nil.
type Entry struct {
	Content  string
	Priority Priority
	Status   Status
	Meta     []byte
}

// Equal reports whether two lists show the same plan.
func Equal(a, b []Entry) bool { return slices.EqualFunc(a, b, Entry.equal) }

// A Digest tells lists of entries apart. That of an empty list is zero.
type Digest [sha256.Size]byte

// DigestOf returns the digest of a list.
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

// UnreadableFile is the entry that stands for a file plan that cannot be read.
func UnreadableFile(uri string) Entry {
	name := uri
	if u, err := url.Parse(uri); err == nil && u.Scheme == "file" && u.Host == "" && u.Path != "" {
		name = u.Path
	}
	name = strings.Join(strings.Fields(name), " ")
	return Entry{Content: "Plan file: " + name[:min(len(name), 1000)], Priority: Medium, Status: Pending}
}

func (e Entry) equal(f Entry) bool {
	return e.Content == f.Content && e.Priority == f.Priority && e.Status == f.Status && bytes.Equal(e.Meta, f.Meta)
}

// cancelled marks an entry that the agent gave up: version 1 has no such
// status, and clients drop an entry that carries it.
const cancelled = "[cancelled] "

// legalEntry makes an entry of what an agent sent; ok is false if there is no
// content to show. An unknown status is pending and an unknown or missing
// priority is medium.
func legalEntry(content, priority, status string, meta []byte) (e Entry, ok bool) {
	if strings.TrimSpace(content) == "" {
		return Entry{}, false
	}
	e = Entry{Content: content, Priority: Medium, Status: Pending, Meta: meta}
	switch p := Priority(priority); p {
	case High, Low:
		e.Priority = p
	}
	switch s := Status(status); s {
	case InProgress, Completed:
		e.Status = s
	case "cancelled":
		e.Status = Completed
		if !strings.HasPrefix(content, cancelled) {
			e.Content = cancelled + content
		}
	}
	return e, true
}

// AppendPlan appends the legacy plan update, the object that goes under
// params.update, as one line of JSON. Meta is the update's _meta or nil.
func AppendPlan(dst []byte, entries []Entry, meta []byte) []byte {
	dst = append(dst, `{"sessionUpdate":"plan","entries":[`...)
	for i, e := range entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"content":`...)
		dst = wire.Quote(dst, e.Content)
		dst = append(dst, `,"priority":"`...)
		dst = append(dst, e.Priority...)
		dst = append(dst, `","status":"`...)
		dst = append(dst, e.Status...)
		dst = append(dst, '"')
		dst = appendMeta(dst, e.Meta)
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	return append(appendMeta(dst, meta), '}')
}

func appendMeta(dst, meta []byte) []byte {
	if meta == nil {
		return dst
	}
	dst = append(dst, `,"_meta":`...)
	return append(dst, meta...)
}

// AppendMessage appends a message chunk of that kind of update, the object that
// goes under params.update, as one line of JSON. Clients that know no message
// ids put it behind the chunk before it and the next one behind it: blank lines
// keep it apart from both.
func AppendMessage(dst []byte, update string, t Message) []byte {
	dst = append(dst, `{"sessionUpdate":`...)
	dst = wire.Quote(dst, update)
	dst = append(dst, `,"messageId":`...)
	dst = wire.Quote(dst, t.MessageID)
	dst = append(dst, `,"content":{"type":"text","text":`...)
	dst = wire.Quote(dst, "\n\n"+strings.Trim(t.Text, "\n")+"\n\n")
	return append(dst, `}}`...)
}
