package editor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/text/commands"

	"github.com/tailscale/hujson"
)

// An Entry is an agent in the settings of an editor.
type Entry struct {
	Name string `json:"name"`
	// Command starts the agent. It is nil if the entry has none, because the editor installs the
	// agent.
	Command []string `json:"command"`
	// Agent is the command that acpshim starts; nil if the entry is not wrapped.
	Agent []string `json:"agent"`
	// Acpshim is the command that starts acpshim, as one line; "" if the entry is not wrapped.
	Acpshim string `json:"acpshim"`
	// Recording reports that the entry is wrapped with --record.
	Recording bool `json:"recording"`
	// Path is the PATH in the env of the entry, or "".
	Path string `json:"-"`
	// Problem says why the command cannot be read, or is "".
	Problem string `json:"problem,omitempty"`

	launch *launch // nil with a Problem of its own
	value  hujson.Value
	list   hujson.Value // the object or array that has the entry
	index  int          // of the entry in list
}

// Entries returns the entries of an editor in the order of the text.
func (d *Document) Entries(e Editor) ([]Entry, error) {
	var entries []Entry
	preset := false // presetAgents exists, so members at the top are from an older version
	for _, name := range e.lists {
		list := &d.top
		if name != "" {
			var err error
			if list, err = d.member(d.top, name); err != nil {
				return nil, err
			}
		}
		if list == nil || name == "" && preset {
			continue
		}
		preset = preset || name == "presetAgents"
		for i, m := range elements(*list) {
			if entry, ok := d.entry(e, m, name == ""); ok {
				entry.list, entry.index = *list, i
				entries = append(entries, entry)
			}
		}
	}
	return entries, nil
}

// elements returns the members of an object, or the elements of an array with their "id" as name.
func elements(list hujson.Value) []hujson.ObjectMember {
	a, ok := list.Value.(*hujson.Array)
	if !ok {
		return members(list)
	}
	all := make([]hujson.ObjectMember, len(a.Elements))
	for i, v := range a.Elements {
		all[i].Value = v
		for _, m := range members(v) {
			if text(m.Name) == "id" {
				all[i].Name = m.Value
			}
		}
	}
	return all
}

// entry reads a member as an entry. At the top of the file, only members with a command are
// entries.
func (d *Document) entry(e Editor, m hujson.ObjectMember, top bool) (Entry, bool) {
	if _, ok := m.Value.Value.(*hujson.Object); !ok || m.Name.Value == nil {
		return Entry{}, false
	}
	entry := Entry{Name: text(m.Name), value: m.Value}
	l, err := d.launch(e, m.Value)
	if err != nil {
		entry.Problem = err.Error()
		return entry, !top
	}
	entry.launch, entry.Command, entry.Path = l, l.words, d.path(m.Value)
	if n, recording, err := shimmed(l.words); n > 0 {
		entry.Agent, entry.Recording, entry.Acpshim = l.words[n:], recording, Line(l.words[:shimAt(l.words)])
		if err != nil {
			entry.Problem = err.Error()
		}
	}
	return entry, !top || l.words != nil
}

// Text returns the text of an entry's object.
func (d *Document) Text(entry *Entry) []byte {
	return d.text[entry.value.StartOffset:entry.value.EndOffset]
}

// Entry returns the entry of that name, or nil. Two of that name are an error.
func (d *Document) Entry(e Editor, name string) (*Entry, error) {
	entries, err := d.Entries(e)
	if err != nil {
		return nil, err
	}
	var found *Entry
	for i, entry := range entries {
		if entry.Name != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%s: there are two entries %q, the other on %s: remove one of the two",
				d.place(entry.value.StartOffset), name, d.place(found.value.StartOffset))
		}
		found = &entries[i]
	}
	return found, nil
}

// path returns the PATH in the env of an entry, or "".
func (d *Document) path(entry hujson.Value) string {
	env, err := d.member(entry, "env")
	if err != nil || env == nil {
		return ""
	}
	path, err := d.member(*env, "PATH")
	if err != nil || path == nil || !isString(path) {
		return ""
	}
	return text(*path)
}

// Wrapped reports whether an entry starts its agent through acpshim. An entry whose agent is a
// command of acpshim itself, such as "acpshim demo agent", is not wrapped.
func (e *Entry) Wrapped() bool { return shimAt(e.Command) > 0 }

// Connects reports whether an entry runs "acpshim connect".
func (e *Entry) Connects() bool { return e.flags().name != "" }

// CanRecord reports whether "acpshim wrap" can turn recording on or off in an entry. Its Problem
// may be that acpshim does not know the agent's command.
func (e *Entry) CanRecord() bool { return e.Problem == "" || e.Connects() || e.flags().starts }

// flags returns what the words after acpshim say; zero if the entry is not wrapped.
func (e *Entry) flags() shimFlags {
	n := shimAt(e.Command)
	if n == 0 {
		return shimFlags{}
	}
	return readFlags(e.Command[n:])
}

// Shim returns the word of a wrapped entry that starts acpshim, or "" if npx or uvx starts it.
func (e *Entry) Shim() string {
	if shimAt(e.Command) != 1 {
		return ""
	}
	return e.Command[0]
}

// shimAt returns the number of words up to and including an acpshim that starts an agent, or 0.
func shimAt(words []string) int {
	if len(words) == 0 {
		return 0
	}
	n := launcher(words) + 1
	if !isShim(words[n-1]) {
		return 0
	}
	if name := readFlags(words[n:]).name; name != "" && name != "connect" {
		return 0
	}
	return n
}

// shimFlags describes the words after acpshim.
type shimFlags struct {
	agent             int    // where the agent's command begins; the number of words if it does not
	name              string // the command of acpshim that they run, or ""
	recording, starts bool   // --record, --start
}

func readFlags(words []string) (f shimFlags) {
	for ; f.agent < len(words); f.agent++ {
		switch word := words[f.agent]; {
		case word == "--" && f.agent+1 < len(words):
			f.agent++
			return f
		case !strings.HasPrefix(word, "-"):
			if commands.IsName(word) && !f.starts {
				f.name = word
				f.recording = f.recording || word == "connect" && slices.Contains(words[f.agent:], "--record")
			}
			return f
		case word == "--record":
			f.recording = true
		case word != "--count-rules":
			name, _, hasValue := strings.Cut(word, "=")
			if f.starts = f.starts || name == "--start"; !hasValue {
				f.agent++ // its value
			}
		}
	}
	return f
}

// shimmed reads a command that starts acpshim. The agent's own command begins at word n; n is 0 if
// the command does not start acpshim. A command without an agent is an error.
func shimmed(words []string) (n int, recording bool, err error) {
	if n = shimAt(words); n == 0 {
		return 0, false, nil
	}
	f := readFlags(words[n:])
	switch n += f.agent; {
	case f.starts:
		err = fmt.Errorf("acpshim's own configuration names the agent: %s", Line(words))
	case f.name != "": // its headers may be secret
		err = errors.New("it runs acpshim connect, which has no agent here: change it by hand")
	case n >= len(words):
		err = fmt.Errorf("it starts acpshim without an agent: %s", Line(words))
	default:
		return n, f.recording, nil
	}
	return len(words), f.recording, err
}

// launcher returns the number of words before the program: 0, or npx or uvx and its flags.
func launcher(words []string) int {
	if base := base(words[0]); base != "npx" && base != "uvx" {
		return 0
	}
	for n := 1; n < len(words); n++ {
		switch word := words[n]; {
		case !strings.HasPrefix(word, "-"):
			return n
		case takesValue(word):
			n++
		}
	}
	return 0
}

// takesValue reports whether a flag of npx or uvx has its value in the next word.
func takesValue(flag string) bool {
	switch flag {
	case "-p", "--package", "-c", "--call", "-w", "--workspace", "--registry", "--cache", "--userconfig", // npx
		"--from", "--with", "--with-editable", "--with-requirements", "--python", "--index", "--default-index", "--directory", "--project": // uvx
		return true
	}
	return false
}

// isShim reports whether a word names acpshim, also as acpshim@latest, acpshim-linux-amd64 or
// acpshim_0.1.0.
func isShim(word string) bool {
	rest, ok := strings.CutPrefix(base(word), "acpshim")
	return ok && (rest == "" || strings.ContainsAny(rest[:1], "@-_.0123456789"))
}

// base returns the name of a program without its folder and its suffix.
func base(word string) string {
	name := strings.ToLower(word[1+strings.LastIndexAny(word, `/\`):])
	for _, ending := range []string{".exe", ".cmd"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}
