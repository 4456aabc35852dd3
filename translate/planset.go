package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
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

// A PlanSet holds the live plans of one session. The zero PlanSet is empty and
// ready for use; it is for one goroutine at a time.
//
// Apply costs what the update costs. Documents are rendered when somebody asks
// for what they say, once for all updates that came before.
type PlanSet struct {
	plans []*plan // in order of first appearance
	clock int     // counts changes
	told  int     // counts documents told, for their message ids
	own   bool    // the agent sends plans of its own
	size  int     // of all plans

	problem error // with a document that was rendered since Problem was asked
}

type plan struct {
	id      string
	kind    Kind
	uri     string // File
	entries []Entry
	open    bool     // an entry is not completed
	doc     document // Markdown and File
	changed int      // the board's clock when it last changed
	size    int      // about how many bytes it takes
}

// document is what the reader may still be owed of a plan.
type document struct {
	text     []byte // up to maxText
	more     int    // how many bytes there are behind it
	rendered bool   // the entries, and what follows, are those of the text
	said     string // the text, however its steps stand: see rendered
	came     int    // the board's clock when that last changed
	tell     bool   // the text has not been told
	prose    bool   // the text says more than the entries
	told     string // said, of the text that was told last
	toldAt   int    // what changed was of the plan then

	problem error // with the text
}

// Bounds on what an agent can make a board keep, besides [PlanSet.EvictOldest].
const (
	maxPlans = 64
	maxText  = 512 << 10 // bytes of one document; what is behind is counted only
)

// maxEager is the longest text, in bytes, that is rendered for being replaced. Of
// a longer one in which only a box was ticked it is not known that it is no newer
// than what came between.
const maxEager = 32 << 10

// Apply takes an update in. The Text of a File update is the file's, read by the
// caller; where it could not be read, Entries say so instead. A Todo update is
// ignored once the agent has sent a plan of its own. An empty plan before
// that is none yet, but takes back what its todo tools made.
func (b *PlanSet) Apply(u Update) {
	switch {
	case u.Kind == Todo && b.own:
		return
	case u.ClearsTodos() && !b.own:
		b.clearTodos()
		return
	case u.Kind != Todo && u.Kind != Removed:
		b.MarkOwn()
	}
	i := slices.IndexFunc(b.plans, func(p *plan) bool {
		return p.id == u.ID && (p.kind == Legacy) == (u.Kind == Legacy) && (p.kind == Todo) == (u.Kind == Todo)
	})
	if u.Kind == Removed {
		if i >= 0 {
			b.remove(i)
		}
		return
	}
	if i < 0 {
		i = len(b.plans)
		b.plans = append(b.plans, &plan{id: strings.Clone(u.ID)})
	}
	p := b.plans[i]
	if p.changed < b.clock && len(p.doc.text) <= maxEager {
		b.renderPlan(p) // whether its text is another one counts by what came between
	}
	if p.take(u) {
		b.clock++
		p.changed = b.clock
	}
	b.weigh(p)
	if len(b.plans) > maxPlans {
		b.EvictOldest()
	}
}

// take makes an update the plan's state, and reports whether that is a change.
func (p *plan) take(u Update) (changed bool) {
	isNew := p.kind != u.Kind
	wasMarkdown := p.kind == Markdown
	p.kind, p.uri = u.Kind, u.URI
	if u.Kind != Markdown && u.Kind != File {
		if !isNew && Equal(p.entries, u.Entries) {
			return false
		}
		p.doc = document{rendered: true, told: p.doc.told}
		p.enter(u.Entries)
		return true
	}
	d := &p.doc
	switch {
	case u.Delta && wasMarkdown:
		if u.Text == "" {
			return false // a stream repeats itself: not rendered again
		}
		d.write(u.Text)
	case !isNew && d.more == 0 && string(d.text) == u.Text && (u.Text != "" || Equal(p.entries, u.Entries)):
		return false
	default:
		d.text, d.more = nil, 0
		d.write(u.Text)
	}
	d.rendered, d.tell = false, true
	if len(d.text) == 0 {
		p.enter(u.Entries)
	}
	return true
}

// write appends to the text as much as there is room for.
func (d *document) write(text string) {
	fits := min(len(text), maxText-len(d.text))
	if d.more > 0 {
		fits = 0
	}
	for fits < len(text) && fits > 0 && !utf8.RuneStart(text[fits]) {
		fits--
	}
	d.text = append(d.text, text[:fits]...)
	d.more += len(text) - fits
}

func (p *plan) enter(entries []Entry) {
	p.entries = entries
	p.open = slices.ContainsFunc(entries, func(e Entry) bool { return e.Status != Completed })
}

// render reads the documents that changed since they were read last.
func (b *PlanSet) render() {
	for _, p := range b.plans {
		b.renderPlan(p)
	}
}

func (b *PlanSet) renderPlan(p *plan) {
	d := &p.doc
	if d.rendered || p.structured() {
		return
	}
	d.rendered = true
	known := d.problem
	r := render(string(d.text))
	if r.said != d.said {
		d.said, d.came = r.said, p.changed
	}
	if d.problem = r.problem; len(d.text) > 0 {
		p.enter(r.plain())
		d.prose = r.prose || d.more > 0
	}
	if err := news(d.problem, known); err != nil {
		b.problem = err
	}
	b.weigh(p)
}

// MarkOwn notes that the agent sends plans of its own: they say better what its
// todo tools say, which is forgotten for good.
func (b *PlanSet) MarkOwn() {
	b.own = true
	b.clearTodos()
}

func (b *PlanSet) clearTodos() {
	if i := slices.IndexFunc(b.plans, func(p *plan) bool { return p.kind == Todo }); i >= 0 {
		b.remove(i)
	}
}

// HasOwn reports whether the agent has sent a plan of its own.
func (b *PlanSet) HasOwn() bool { return b.own }

// Problem says what is wrong with a document that was taken in since it was
// asked last, for a person; nil if that was said before, or while the document
// is written.
func (b *PlanSet) Problem() error {
	b.render()
	problem := b.problem
	b.problem = nil
	return problem
}

// news is a problem that has not been told.
func news(problem, known error) error {
	if problem == nil || errors.Is(problem, ErrUnfinished) || known != nil && known.Error() == problem.Error() {
		return nil
	}
	return problem
}

// EvictOldest forgets the plan that changed longest ago, and reports whether there
// was one.
func (b *PlanSet) EvictOldest() bool {
	if len(b.plans) == 0 {
		return false
	}
	oldest := 0
	for i, p := range b.plans {
		if p.changed < b.plans[oldest].changed {
			oldest = i
		}
	}
	b.remove(oldest)
	return true
}

func (b *PlanSet) remove(i int) {
	b.size -= b.plans[i].size
	b.plans = slices.Delete(b.plans, i, i+1)
}

// weigh counts what a plan of the board takes by now.
func (b *PlanSet) weigh(p *plan) {
	size := 512 + len(p.id) + len(p.uri) + cap(p.doc.text)
	for _, e := range p.entries {
		size += 128 + len(e.Content) + len(e.Meta)
	}
	b.size += size - p.size
	p.size = size
}

// Size is about how many bytes the board keeps.
func (b *PlanSet) Size() int { return b.size }

// A FilePlan names a live plan that is a file.
type FilePlan struct{ ID, URI string }

// Files returns the live plans that are files.
func (b *PlanSet) Files() []FilePlan {
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
func (b *PlanSet) OnlyLegacy() bool {
	return !slices.ContainsFunc(b.plans, func(p *plan) bool { return p.kind != Legacy })
}

// Compose returns the entries of the plans that the policy shows.
func (b *PlanSet) Compose(policy Policy) []Entry {
	var entries []Entry
	for _, p := range b.shown(policy) {
		entries = append(entries, p.entries...)
	}
	return entries
}

func (b *PlanSet) shown(policy Policy) []*plan {
	b.render()
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
		case !p.open && p.changed < newest:
			displaced = max(displaced, p.changed)
		default:
			return slices.DeleteFunc(live, func(p *plan) bool { return !p.structured() })
		}
	}
	// Documents from before a finished checklist are done with, like it.
	return slices.DeleteFunc(live, func(p *plan) bool { return p.structured() || p.doc.came < displaced })
}

func (p *plan) structured() bool { return p.kind == Legacy || p.kind == Items || p.kind == Todo }

// A Message is the full text of a document that the reader has not seen.
type Message struct {
	MessageID string // unique in the session
	Text      string // of a plan in JSON, what it says for people
}

// HasMessages reports whether Tell may have something to tell. It may say so of a
// text in which only boxes were ticked.
func (b *PlanSet) HasMessages(policy Policy) bool {
	shown := b.shown(policy)
	return slices.ContainsFunc(b.plans, func(p *plan) bool { return p.owed(shown) })
}

// Messages returns the documents that the reader is owed, because they say more
// than their entries or their entries are not on show, and takes them as told:
// each changed text is returned once. A step that moves on is no such change.
// Drawn says that the client draws the entries of those on show, so that a plan
// in JSON need not repeat them. Session is the session's id.
func (b *PlanSet) Messages(policy Policy, session string, drawn bool) []Message {
	var tellings []Message
	shown := b.shown(policy)
	for _, p := range b.plans {
		if !p.owed(shown) {
			continue
		}
		d := &p.doc
		d.tell = false
		if d.told == d.said {
			continue
		}
		text := outline(string(d.text), drawn && slices.Contains(shown, p))
		if d.more > 0 {
			text += fmt.Sprintf("\n\n… and %d more bytes", d.more)
		}
		if text != "" {
			b.told++
			tellings = append(tellings, Message{messageID(session, p.id, b.told, d.said), text})
		}
		d.told, d.toldAt = d.said, p.changed
	}
	return tellings
}

func (p *plan) owed(shown []*plan) bool {
	return p.doc.tell && len(p.doc.text) > 0 && (p.doc.prose || len(p.entries) > 0 && !slices.Contains(shown, p))
}

// Checklist returns what the policy shows as a text in markdown, but for the
// documents whose text has been told as it is now; ok is false if that is
// nothing. Session is the session's id.
func (b *PlanSet) Checklist(policy Policy, session string) (t Message, ok bool) {
	var text strings.Builder
	text.WriteString("**Plan**\n\n")
	for _, p := range b.shown(policy) {
		if !p.structured() && p.doc.toldAt == p.changed {
			continue
		}
		for _, e := range p.entries {
			ok = true
			box, doing := "[ ]", ""
			switch e.Status {
			case Completed:
				box = "[x]"
			case InProgress:
				doing = " (in progress)"
			}
			fmt.Fprintf(&text, "- %s %s%s\n", box, strings.ReplaceAll(e.Content, "\n", "\n  "), doing)
		}
	}
	if ok {
		b.told++
	}
	return Message{messageID(session, "", b.told, text.String()), text.String()}, ok
}

// messageID names a message of ours: like no message of the agent's, and
// another one for each telling.
func messageID(session, id string, n int, text string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%s", session, id, n, text))
	return "acpshim-plan-" + hex.EncodeToString(sum[:8])
}
