package editor

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A Shim describes how an entry starts acpshim.
type Shim struct {
	Program string // the absolute path of acpshim
	Record  bool
	Path    string // PATH for an env that has none, or ""
}

// Words returns the words before the agent's command.
func (s Shim) Words() []string {
	if s.Record {
		return []string{s.Program, "--record", "--"}
	}
	return []string{s.Program, "--"}
}

// Wrap returns the change that makes an entry start acpshim. The entry must have a command and must
// not be wrapped. program replaces the first word of the command.
func (d *Document) Wrap(e Editor, entry *Entry, s Shim, program string) (Change, error) {
	if entry.Problem != "" {
		return Change{}, errors.New(entry.Problem)
	}
	l := entry.launch
	if e.line && l.command != nil && l.ends == nil && strings.ContainsAny(s.Program, " \t'\"") {
		return Change{}, fmt.Errorf("%s: %s does not accept a space in a command next to args, and %q has one: use argv",
			d.place(l.command.StartOffset), e.Title, s.Program)
	}
	edits := l.swap(1, append(s.Words(), program))
	return d.ofEntry(entry, append(edits, d.addPath(entry, s.Path)...)), nil
}

// Rewrap returns the change that makes a wrapped entry start acpshim from another path and record
// or not. The other flags of acpshim stay. An entry that npx or uvx starts keeps its program.
func (d *Document) Rewrap(entry *Entry, program string, record bool) Change {
	n := shimAt(entry.Command)
	words, end := slices.Clone(entry.Command[:n]), n
	if entry.Shim() != "" {
		words[0] = program
	}
	switch {
	case record && !entry.Recording:
		words = append(words, "--record")
	case !record && entry.Recording:
		end = len(entry.Command) - len(entry.Agent)
		flags := slices.Clone(entry.Command[n:end])
		words = append(words, slices.DeleteFunc(flags, func(word string) bool { return word == "--record" })...)
	}
	return d.ofEntry(entry, entry.launch.swap(end, words))
}

// Unwrap returns the change that removes acpshim from a wrapped entry.
func (d *Document) Unwrap(entry *Entry) (Change, error) {
	if entry.Problem != "" {
		return Change{}, errors.New(entry.Problem)
	}
	return d.ofEntry(entry, entry.launch.swap(len(entry.Command)-len(entry.Agent)+1, entry.Agent[:1])), nil
}

// ofEntry returns the change that makes edits in an entry.
func (d *Document) ofEntry(entry *Entry, edits []edit) Change {
	start, end := entry.value.StartOffset, entry.value.EndOffset
	return d.change(append(edits, edit{start, start, ""}, edit{end, end, ""}))
}

// addPath returns the edits that add PATH to the env of an entry, unless it has one or its env
// cannot be read.
func (d *Document) addPath(entry *Entry, path string) []edit {
	if path == "" {
		return nil
	}
	env, err := d.member(entry.value, "env")
	switch {
	case err != nil:
	case env == nil:
		return []edit{d.insert(entry.value, "env", object{{"PATH", path}})}
	case isNull(env):
		return []edit{{env.StartOffset, env.EndOffset, inline(object{{"PATH", path}})}}
	case env.Value.Kind() == '{':
		if had, err := d.member(*env, "PATH"); had == nil && err == nil {
			return []edit{d.insert(*env, "PATH", path)}
		}
	}
	return nil
}

// Add returns the change that adds an entry that starts acpshim. The name must be new.
func (d *Document) Add(e Editor, on System, name string, s Shim, command []string) (Change, error) {
	return d.add(e, name, e.write(on, recipe{name, append(s.Words(), command...), s.Path}))
}

// Twin is [Document.Add] for an entry without a command, whose agent the editor installs. It copies
// the other members of that entry.
func (d *Document) Twin(e Editor, of *Entry, name string, s Shim, command []string) (Change, error) {
	kind, err := d.member(of.value, "type")
	if err != nil {
		return Change{}, err
	}
	words, sep, at, end := append(s.Words(), command...), " ", of.value.StartOffset+1, ""
	if own := members(of.value); len(own) > 0 {
		at = own[0].Name.StartOffset
		sep = spacing(own[0].Name)
		end = "," + sep
	}
	text := `"command": ` + literal(words[0]) + "," + sep + `"args": ` + inline(words[1:]) + end
	edits := append([]edit{{at, at, text}}, d.addPath(of, s.Path)...)
	if kind != nil {
		edits = append(edits, edit{kind.StartOffset, kind.EndOffset, `"custom"`})
	}
	return d.add(e, name, raw(d.ofEntry(of, edits).New))
}

func (d *Document) add(e Editor, name string, entry any) (Change, error) {
	added, err := d.insertEntry(e, name, entry)
	if err != nil {
		return Change{}, err
	}
	c := d.change([]edit{added})
	changed, err := Parse(c.Apply(d.text))
	if err != nil {
		return Change{}, fmt.Errorf("an entry cannot be added: %w", err)
	}
	got, err := changed.Entry(e, name)
	if err != nil || got == nil {
		return Change{}, errors.Join(fmt.Errorf("an entry %q cannot be added", name), err)
	}
	c.Entry = got.value.StartOffset - c.Start
	return c, nil
}

// Undo returns the change that reverts c in the entry of that name. ok is false if the text no
// longer has what c wrote, or if reverting would harm other entries.
func (d *Document) Undo(e Editor, name string, c Change) (undone Change, ok bool) {
	entry, err := d.Entry(e, name)
	if err != nil || entry == nil || len(c.New) == 0 {
		return Change{}, false
	}
	start := entry.value.StartOffset - c.Entry
	if start < 0 || !strings.HasPrefix(string(d.text[start:]), string(c.New)) {
		return Change{}, false
	}
	undone = Change{Start: start, Old: c.New, New: c.Old}
	rest, err := Parse(undone.Apply(d.text))
	if err != nil {
		return Change{}, false
	}
	now, err1 := d.Entries(e)
	then, err2 := rest.Entries(e)
	if again, _ := rest.Entry(e, name); again == nil {
		now = now[1:] // the entry goes; only the number of entries is compared
	}
	return undone, err1 == nil && err2 == nil && len(now) == len(then)
}

// Remove returns the change that removes an entry and its comma. It removes the space before it,
// too, if nothing else is on its last line.
func (d *Document) Remove(entry *Entry) Change {
	children := elements(entry.list)
	it := children[entry.index]
	cut := edit{start: it.Value.StartOffset, end: it.Value.EndOffset}
	if _, isObject := entry.list.Value.(*hujson.Object); isObject {
		cut.start = it.Name.StartOffset
	}
	var edits []edit
	switch last := entry.index == len(children)-1; {
	case !last || it.Value.AfterExtra != nil:
		cut.end += len(it.Value.AfterExtra) + 1
	case entry.index > 0:
		before := children[entry.index-1].Value
		comma := before.EndOffset + len(before.AfterExtra)
		edits = append(edits, edit{comma, comma + 1, ""})
	}
	if rest, _, found := bytes.Cut(d.text[cut.end:], []byte("\n")); found && len(bytes.TrimSpace(rest)) == 0 {
		cut.start = len(bytes.TrimRight(d.text[:cut.start], " \t\r\n"))
	}
	return d.change(append(edits, cut))
}
