package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Policy says which of several live plans an old client is shown: it has
// room for one list of entries.
type Policy string

const (
	// Checklists shows the structured plans (items and legacy) while there are
	// any, else the documents. A checklist with nothing left open gives way to
	// a document that came after it.
	Checklists Policy = "checklists"
	// All shows every live plan, one behind the other.
	All Policy = "all"
	// Latest shows the plan that changed last.
	Latest Policy = "latest"
)

// A Board holds the live plans of one session. The zero Board is empty and
// ready for use; it is for one goroutine at a time.
type Board struct {
	plans []*plan // in order of first appearance
	clock int     // counts changes
	told  int     // counts documents told, for their message ids
	own   bool    // the agent sends plans of its own

	problem error // with the document that was taken in last
}

type plan struct {
	id      string
	kind    Kind
	uri     string // File
	entries []Entry
	doc     document // Markdown and File
	changed int      // the board's clock when it last changed
}

// document is what the reader may still be owed of a plan.
type document struct {
	sum   [sha256.Size]byte // of the text
	said  string            // the same, however its steps stand: see rendered
	came  int               // the board's clock when that last changed
	text  string
	tell  bool     // the text has not been told
	prose bool     // the text says more than the entries
	told  []string // the sum of the text that was told last, and what it said

	problem error // with the text
}

// Apply takes an update in. The Text of a File update is the file's, read by the
// caller; where it could not be read, Entries say so instead. A Todo update is
// ignored once the agent has sent a plan of its own.
func (b *Board) Apply(u Update) {
	b.problem = nil
	switch {
	case u.Kind == Todo && b.own:
		return
	case u.Kind != Todo && u.Kind != Removed:
		b.Own()
	}
	i := slices.IndexFunc(b.plans, func(p *plan) bool {
		return p.id == u.ID && (p.kind == Legacy) == (u.Kind == Legacy) && (p.kind == Todo) == (u.Kind == Todo)
	})
	if u.Kind == Removed {
		if i >= 0 {
			b.plans = slices.Delete(b.plans, i, i+1)
		}
		return
	}
	if i >= 0 {
		b.plans[i].uri = u.URI
	}
	if u.Delta && i >= 0 && b.plans[i].kind == Markdown {
		u.Text = b.plans[i].doc.text + u.Text
	}
	next := plan{id: u.ID, kind: u.Kind, uri: u.URI, entries: u.Entries}
	if u.Kind == Markdown || u.Kind == File {
		if i >= 0 {
			next.doc = b.plans[i].doc
		}
		if i >= 0 && b.plans[i].kind == u.Kind && u.Text != "" && next.doc.sum == sha256.Sum256([]byte(u.Text)) {
			return // a stream repeats itself: not rendered again
		}
		known := next.doc.problem
		next.write(u, b.clock+1)
		b.problem = news(next.doc.problem, known)
	} else if i >= 0 {
		next.doc.told = b.plans[i].doc.told
	}
	if i < 0 {
		b.plans = append(b.plans, &next)
	} else if p := b.plans[i]; p.kind == next.kind && p.doc.sum == next.doc.sum &&
		Equal(p.entries, next.entries) {
		return
	} else {
		b.plans[i] = &next
	}
	b.clock++
	next.changed = b.clock
	b.trim()
}

// Own notes that the agent sends plans of its own: they say better what its
// todo tools say, which is forgotten for good.
func (b *Board) Own() {
	b.own = true
	b.plans = slices.DeleteFunc(b.plans, func(p *plan) bool { return p.kind == Todo })
}

// HasOwn reports whether the agent has sent a plan of its own.
func (b *Board) HasOwn() bool { return b.own }

// write gives a document its next text, at that clock.
func (p *plan) write(u Update, clock int) {
	d := &p.doc
	d.sum, d.text, d.tell = sha256.Sum256([]byte(u.Text)), u.Text, true
	r := render(u.Text)
	if r.said != d.said {
		d.said, d.came = r.said, clock
	}
	if d.problem = r.problem; u.Text != "" {
		p.entries, d.prose = r.plain(), r.prose
	}
}

// Problem says what is wrong with the document that Apply was given last, for a
// person; nil if that was said of the one before, or while it is written.
func (b *Board) Problem() error { return b.problem }

// news is a problem that has not been told.
func news(problem, known error) error {
	if problem == nil || errors.Is(problem, ErrUnfinished) || known != nil && known.Error() == problem.Error() {
		return nil
	}
	return problem
}

// Bounds on what an agent can make a board keep.
const (
	maxPlans = 64
	maxBytes = 32 << 20
)

// trim forgets the plans that changed longest ago while there are too many.
func (b *Board) trim() {
	for len(b.plans) > 1 && (len(b.plans) > maxPlans || b.Size() > maxBytes) {
		oldest := slices.MinFunc(b.plans, func(p, q *plan) int { return p.changed - q.changed })
		b.plans = slices.DeleteFunc(b.plans, func(p *plan) bool { return p == oldest })
	}
}

// Size is about how many bytes the board keeps.
func (b *Board) Size() int {
	size := 0
	for _, p := range b.plans {
		size += 256 + len(p.id) + len(p.uri) + len(p.doc.text)
		for _, e := range p.entries {
			size += 128 + len(e.Content) + len(e.Meta)
		}
	}
	return size
}

// A FilePlan names a live plan that is a file.
type FilePlan struct{ ID, URI string }

// Files returns the live plans that are files.
func (b *Board) Files() []FilePlan {
	var files []FilePlan
	for _, p := range b.plans {
		if p.kind == File {
			files = append(files, FilePlan{p.id, p.uri})
		}
	}
	return files
}

// OnlyLegacy reports whether the agent's own legacy plan is all there is, so
// that nothing has to be composed with it.
func (b *Board) OnlyLegacy() bool {
	return !slices.ContainsFunc(b.plans, func(p *plan) bool { return p.kind != Legacy })
}

// Compose returns the entries of the plans that the policy shows.
func (b *Board) Compose(policy Policy) []Entry {
	var entries []Entry
	for _, p := range b.shown(policy) {
		entries = append(entries, p.entries...)
	}
	return entries
}

func (b *Board) shown(policy Policy) []*plan {
	live := slices.DeleteFunc(slices.Clone(b.plans), func(p *plan) bool { return len(p.entries) == 0 })
	switch {
	case len(live) == 0 || policy == All:
		return live
	case policy == Latest:
		return []*plan{slices.MaxFunc(live, func(p, q *plan) int { return p.changed - q.changed })}
	}
	newest := 0 // when a document last came, or changed its text
	for _, p := range live {
		if !p.structured() {
			newest = max(newest, p.doc.came)
		}
	}
	displaced := 0 // when a checklist that gives way last changed
	for _, p := range live {
		switch {
		case !p.structured():
		case p.finished() && p.changed < newest:
			displaced = max(displaced, p.changed)
		default:
			return slices.DeleteFunc(live, func(p *plan) bool { return !p.structured() })
		}
	}
	// Documents from before a finished checklist are done with, like it.
	return slices.DeleteFunc(live, func(p *plan) bool { return p.structured() || p.doc.came < displaced })
}

func (p *plan) structured() bool { return p.kind == Legacy || p.kind == Items || p.kind == Todo }

func (p *plan) finished() bool {
	return !slices.ContainsFunc(p.entries, func(e Entry) bool { return e.Status != Completed })
}

// A Telling is the full text of a document that the reader has not seen.
type Telling struct {
	MessageID string // unique in the session
	Text      string // of a plan in JSON, what it says for people
}

// Owed reports whether Tell may have something to tell. It may say so of a
// text in which only boxes were ticked.
func (b *Board) Owed(policy Policy) bool {
	shown := b.shown(policy)
	return slices.ContainsFunc(b.plans, func(p *plan) bool { return p.owed(shown) })
}

// Tell returns the documents that the reader is owed, because they say more
// than their entries or their entries are not on show, and takes them as told:
// each changed text is returned once. Ticking a box that is on show is no such
// change. Session is the session's id.
func (b *Board) Tell(policy Policy, session string) []Telling {
	var tellings []Telling
	shown := b.shown(policy)
	for _, p := range b.plans {
		if !p.owed(shown) {
			continue
		}
		d := &p.doc
		same := string(d.sum[:])
		if slices.Contains(shown, p) {
			same = d.said
		}
		text := outline(d.text, slices.Contains(shown, p))
		if text != "" && !slices.Contains(d.told, same) {
			b.told++
			tellings = append(tellings, Telling{messageID(session, p.id, b.told, d.said), text})
		}
		d.told, d.tell = []string{string(d.sum[:]), d.said}, false
	}
	return tellings
}

func (p *plan) owed(shown []*plan) bool {
	return p.doc.tell && p.doc.text != "" && (p.doc.prose || len(p.entries) > 0 && !slices.Contains(shown, p))
}

// OnlyDocuments reports whether what the policy shows comes from documents only.
func (b *Board) OnlyDocuments(policy Policy) bool {
	return !slices.ContainsFunc(b.shown(policy), (*plan).structured)
}

// Checklist returns what the policy shows as a text in markdown. Session is the
// session's id.
func (b *Board) Checklist(policy Policy, session string) Telling {
	var text strings.Builder
	text.WriteString("**Plan**\n\n")
	for _, e := range b.Compose(policy) {
		box, doing := "[ ]", ""
		switch e.Status {
		case Completed:
			box = "[x]"
		case InProgress:
			doing = " (in progress)"
		}
		fmt.Fprintf(&text, "- %s %s%s\n", box, strings.ReplaceAll(e.Content, "\n", "\n  "), doing)
	}
	b.told++
	return Telling{messageID(session, "", b.told, text.String()), text.String()}
}

// messageID names a message of ours: like no message of the agent's, and
// another one for each telling.
func messageID(session, id string, n int, text string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%s", session, id, n, text))
	return "acpshim-plan-" + hex.EncodeToString(sum[:8])
}
