package translate

import (
	"errors"
	"fmt"
	"slices"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/translate/entry"
)

// A Kind is the type of a plan update.
type Kind int

const (
	Legacy   Kind = iota + 1 // sessionUpdate plan: the one list of entries of version 1
	Items                    // plan_update with a list of entries
	Markdown                 // plan_update with a document
	File                     // plan_update with the URI of a document
	Removed                  // plan_removed
	Todo                     // the list of the agent's todo tools; Decode never returns it
)

// An Update is a decoded plan update. It owns its bytes.
type Update struct {
	Kind    Kind
	ID      string        // planId or id; empty for the legacy plan, or if the agent sent none
	Entries []entry.Entry // Legacy, Items, Todo
	Text    string        // Markdown
	Delta   bool          // Markdown: append Text to the document
	Path    string        // Markdown: the file that holds the plan, for people; it is not read
	URI     string        // File
	IsRead  bool          // File: acpshim read the file again; the agent sent no update
	Flawed  bool          // Legacy: some clients would refuse it, or show only a part
	Meta    []byte        // _meta of the update, else of its plan, else nil
}

// Name returns a name for people: the plan's id, "todos" or "plan".
func (u Update) Name() string {
	switch {
	case u.ID != "":
		return u.ID
	case u.Kind == Todo:
		return "todos"
	}
	return "plan"
}

// ClearsTodos reports whether an update has an empty plan. Some agents send one before they
// have a plan, or when the list of their todo tools is finished.
func (u Update) ClearsTodos() bool {
	return (u.Kind == Legacy || u.Kind == Items || u.Kind == Markdown) && len(u.Entries) == 0 && u.Text == ""
}

// Paths are the objects of a message that [wire.Parse] has to open for [Decode].
var Paths = []string{"params", "params.update", "params.update.plan"}

// Decode reads the value of params.update. It accepts both planId and id. It reads a plan of an
// unknown type by the members that it has. The error says what is missing. The update shares no
// bytes with the object.
func Decode(update *wire.Object) (Update, error) {
	kind, _ := update.Text("sessionUpdate")
	u := Update{Meta: meta(update)}
	switch kind {
	case acp.Plan:
		u.Kind = Legacy
		if update.Get("entries") == nil {
			return u, errors.New("plan: no entries")
		}
		var legal bool // reference readers take a value that is not an array for an empty one
		u.Entries, legal, _ = decodeEntries(update.Raw("entries"))
		u.Flawed = !legal || hasOthers(update, "sessionUpdate", "entries", "_meta")
		return u, nil
	case acp.PlanRemoved:
		u.Kind, u.ID = Removed, planID(update)
		return u, nil
	case acp.PlanUpdate:
		return decodePlan(u, update, update.Open("plan"))
	}
	return u, errors.New("not a plan update")
}

// maxURI is the maximum length of a path or a URI in bytes, twice the longest path of common
// systems.
const maxURI = 8 << 10

// decodePlan reads the plan of a plan_update into u.
func decodePlan(u Update, update, plan *wire.Object) (Update, error) {
	if plan == nil {
		return u, errors.New("plan_update: plan is not an object")
	}
	u.ID = planID(plan)
	if u.Meta == nil {
		u.Meta = meta(plan)
	}
	kind, _ := plan.Text("type")
	known := kind == acp.PlanItems || kind == acp.PlanMarkdown || kind == acp.PlanFile
	may := func(as string) bool { return kind == as || !known }
	entries, _, hasEntries := decodeEntries(plan.Raw("entries"))
	text, hasText := plan.Text("content")
	uri, hasURI := plan.Text("uri")
	switch {
	case hasEntries && may(acp.PlanItems):
		u.Kind, u.Entries = Items, entries
	case hasText && may(acp.PlanMarkdown):
		u.Kind, u.Text = Markdown, text
		if path, _ := plan.Text("path"); len(path) <= maxURI {
			u.Path = path
		}
		if more, ok := delta(update); ok && text == "" {
			u.Text, u.Delta = more, true
		}
	case len(uri) > maxURI:
		return u, fmt.Errorf("plan_update: a uri of %d bytes: want %d at most", len(uri), maxURI)
	case hasURI && may(acp.PlanFile):
		u.Kind, u.URI = File, uri
	case kind == acp.PlanItems && string(plan.Raw("entries")) == "null":
		u.Kind = Items // reference readers take null for an empty list
	default:
		return u, fmt.Errorf("plan_update: a plan of type %q without its content: want entries for items, content for markdown or uri for file", kind)
	}
	return u, nil
}

// delta returns the text that agents append to a document, if the JetBrains client announced
// support for that.
func delta(update *wire.Object) (text string, ok bool) {
	return wire.Text(wire.Pointer{"jetbrains", "air", "contentDelta"}.Raw(update.Raw("_meta")))
}

// planID returns planId if that is a string, else id, which peers from before July 2026 send.
// Messages that package dialect changed have both.
func planID(o *wire.Object) string {
	if id, ok := o.Text("planId"); ok {
		return id
	}
	id, _ := o.Text("id")
	return id
}

// meta returns a copy of _meta if that is an object, else nil.
func meta(o *wire.Object) []byte {
	if raw := o.Raw("_meta"); wire.IsObject(raw) {
		return slices.Clone(raw)
	}
	return nil
}

// maxItems is the maximum number of entries of one plan. The last one says how many more there
// are.
const maxItems = 10_000

// decodeEntries reads a list of plan entries. Ok is false if raw is not an array. Like other
// readers, it omits elements that are not entries, or are empty. Legal is true if each element is
// an entry of version 1; strict clients refuse the whole plan, or the turn, for one that is not.
func decodeEntries(raw []byte) (entries []entry.Entry, legal, ok bool) {
	entries, legal = []entry.Entry{}, true
	more, open := 0, false // entries beyond maxItems, and whether one of them is not completed
	for span, err := range wire.EachElement(raw) {
		if err != nil {
			return nil, false, false
		}
		o, err := wire.Parse(raw[span.Start:span.End])
		e, unchanged, ok := decodeEntry(o)
		legal = legal && unchanged && err == nil
		switch {
		case !ok || err != nil && !errors.Is(err, wire.ErrAmbiguous):
		case len(entries) < maxItems:
			entries = append(entries, e)
		default:
			more++
			open = open || e.Status != entry.Completed
		}
	}
	if more > 0 {
		last := &entries[maxItems-1]
		*last = entry.More(more+1, open || last.Status != entry.Completed)
	}
	return entries, legal, true
}

// decodeEntry returns the entry in an object. Ok is false if it has no content. Legal is true if
// nothing had to be changed or omitted.
func decodeEntry(o *wire.Object) (e entry.Entry, legal, ok bool) {
	content, _ := o.Text("content")
	priority, _ := o.Text("priority")
	status, _ := o.Text("status")
	e, ok = entry.New(content, entry.Priority(priority), entry.Status(status), meta(o))
	legal = ok && string(e.Priority) == priority && string(e.Status) == status &&
		(o.Get("_meta") == nil || e.Meta != nil) && !hasOthers(o, "content", "priority", "status", "_meta")
	return e, legal, ok
}

// hasOthers reports whether an object has members with other names.
func hasOthers(o *wire.Object, names ...string) bool {
	return slices.ContainsFunc(o.Members, func(m wire.Member) bool { return !slices.Contains(names, m.Name) })
}
