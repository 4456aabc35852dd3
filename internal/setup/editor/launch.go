package editor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// A launch describes how an entry starts its agent. Its words come from command and args, from
// argv, or from a command that is a whole line.
type launch struct {
	words   []string
	command *hujson.Value // or nil
	args    *hujson.Value // args or argv, or nil
	ends    []int         // where each word ends in the line; nil if the command is not a line
	between string        // the space before a new member after the command
}

// launch reads the members of an entry. It returns no words if there is no command.
func (d *Document) launch(e Editor, entry hujson.Value) (*launch, error) {
	command, err1 := d.member(entry, "command")
	args, err2 := d.member(entry, "args")
	argv, err3 := d.member(entry, "argv")
	kind, err4 := d.member(entry, "type")
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	l := &launch{command: command, args: args}
	switch {
	case argv != nil:
		l.command, l.args = nil, argv
	case kind != nil && text(*kind) == "registry":
		return l, nil
	case command == nil:
		return l, nil
	case !isString(command):
		return nil, fmt.Errorf("%s: the command has to be a string", d.place(command.StartOffset))
	default:
		l.words = []string{text(*command)}
		l.between = separator(entry, command)
	}
	read := d.addArgs
	if e.line && l.args == nil {
		read = d.splitLine
	}
	if err := read(l); err != nil {
		return nil, err
	}
	if len(l.words) == 0 || strings.TrimSpace(l.words[0]) == "" {
		return nil, fmt.Errorf("%s: the command is empty", d.place(entry.StartOffset))
	}
	return l, nil
}

// addArgs adds the elements of args or argv to the words.
func (d *Document) addArgs(l *launch) error {
	if l.args == nil || isNull(l.args) {
		return nil
	}
	array, ok := l.args.Value.(*hujson.Array)
	if !ok {
		return fmt.Errorf("%s: the arguments have to be an array of strings", d.place(l.args.StartOffset))
	}
	for _, arg := range array.Elements {
		if !isString(&arg) {
			return fmt.Errorf("%s: an argument has to be a string", d.place(arg.StartOffset))
		}
		l.words = append(l.words, text(arg))
	}
	return nil
}

// splitLine reads the command as a line of words.
func (d *Document) splitLine(l *launch) error {
	var ok bool
	if l.words, l.ends, ok = words(text(*l.command)); !ok {
		return fmt.Errorf("%s: the command has a quote that is not closed", d.place(l.command.StartOffset))
	}
	return nil
}

// separator returns the space before the name of the member with that value.
func separator(of hujson.Value, value *hujson.Value) string {
	for _, m := range members(of) {
		if m.Value.StartOffset == value.StartOffset {
			return spacing(m.Name)
		}
	}
	return " "
}

// spacing returns the space before a name, or one space if there is none or a comment.
func spacing(name hujson.Value) string {
	if name.BeforeExtra.IsStandard() && len(name.BeforeExtra) > 0 {
		return string(name.BeforeExtra)
	}
	return " "
}

// swap returns the edits that replace the first n words. There is at least one old and one new
// word.
func (l *launch) swap(n int, words []string) []edit {
	switch {
	case l.ends != nil:
		line := text(*l.command)
		return []edit{{l.command.StartOffset, l.command.EndOffset, literal(Line(words) + line[l.ends[n-1]:])}}
	case l.command == nil:
		return swapElements(*l.args, n, words)
	}
	edits := []edit{{l.command.StartOffset, l.command.EndOffset, literal(words[0])}}
	switch {
	case len(words) == 1 && n == 1:
	case l.args == nil:
		edits = append(edits, edit{l.command.EndOffset, l.command.EndOffset, "," + l.between + `"args": ` + inline(words[1:])})
	case isNull(l.args):
		edits = append(edits, edit{l.args.StartOffset, l.args.EndOffset, inline(words[1:])})
	default:
		edits = append(edits, swapElements(*l.args, n-1, words[1:])...)
	}
	return edits
}

// swapElements replaces the first n elements of an array with words.
func swapElements(array hujson.Value, n int, words []string) []edit {
	elements := array.Value.(*hujson.Array).Elements
	if len(elements) == 0 {
		text := inline(words)
		return []edit{{array.StartOffset + 1, array.StartOffset + 1, text[1 : len(text)-1]}}
	}
	sep := " "
	if extra := elements[0].BeforeExtra; extra.IsStandard() && strings.Contains(string(extra), "\n") {
		sep = string(extra) // each has its line
	}
	text, start := list(words, ","+sep), elements[0].StartOffset
	switch {
	case n == 0 && len(words) == 0:
		return nil
	case n == 0:
		return []edit{{start, start, text + "," + sep}}
	case len(words) > 0:
		return []edit{{start, elements[n-1].EndOffset, text}}
	case n < len(elements):
		return []edit{{start, elements[n].StartOffset, ""}}
	}
	last := elements[n-1]
	end := last.EndOffset
	if last.AfterExtra != nil { // the text before a trailing comma
		end += len(last.AfterExtra) + 1
	}
	return []edit{{start, end, ""}}
}
