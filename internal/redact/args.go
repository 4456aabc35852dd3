package redact

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

//go:embed commands.txt
var commandTable string

// A command is what is known of a program: how its arguments look up to a secret, and the secret.
// Most secrets are told by the argument that they are in, or by that and the one before it: near,
// or nil, is for these two; far, or nil, is for all arguments.
type command struct{ near, far expression }

// commands are those of the table by the names of the programs.
var commands = sync.OnceValue(func() map[string]*command {
	all := make(map[string]*command)
	for row := range rows(commandTable) {
		programs, before, _ := strings.Cut(row, " | ")
		var near, far []string
		for field := range strings.FieldsSeq(before) {
			if field[0] == '^' || strings.Contains(field, "~") || strings.Contains(field, ".*") {
				far = append(far, field)
			} else {
				near = append(near, field)
			}
		}
		c := &command{expressionOf(near), expressionOf(far)}
		for name := range strings.FieldsSeq(programs) {
			all[name] = c
		}
	}
	return all
})

// signs are those of the table.
var signs = strings.NewReplacer(";", `\x00`, "...", `[^\x00]*`, "~", `\x00(?:-[^\x00]*\x00)*`,
	"_", `[^\x00-][^\x00]*`, "!", `([^\x00-][^\x00]*)`)

// expressionOf is what fits arguments that look like one of the rows, or nil for none.
func expressionOf(rows []string) expression {
	if len(rows) == 0 {
		return nil
	}
	return lazily("(?s)(?:" + signs.Replace(strings.Join(rows, "|")) + `)([^\x00]+)\z`)
}

// A call reads the arguments of a program one by one, its name among them.
type call struct {
	command *command
	args    []byte // the latest, each behind a byte 0; without the first it begins with a byte 1
	last    int    // where the latest one begins
}

// next reads an argument, and returns where in it a secret begins, or -1.
func (c *call) next(r *Redactor, arg []byte) (from int) {
	before := c.args[c.last:]
	found := commandOf(arg)
	if found != nil && (c.command == nil || found != c.command && string(arg) != "set" && !isFlag(before)) {
		*c = call{command: found, args: c.args[:0]}
		return -1
	}
	if len(c.args) > maxArgs {
		c.args = append(append(c.args[:0], 1, 0), before...)
		before = c.args[2:]
	}
	c.args = append(append(c.args, 0), arg[:min(len(arg), sure)]...)
	c.last = len(c.args) - min(len(arg), sure)
	from = c.secret(r)
	isValue := len(arg) > 0 && isFlag(before) && !isFlag(arg) && bytes.IndexByte(before, '=') < 0
	if from < 0 && isValue && r.namesSecret(before) {
		from = 0
	}
	if from < 0 {
		return -1
	}
	c.last = len(c.args) // it is no flag
	if markerEnd(arg, from) > from || arg[from] == '$' && isPlaceholder(arg[from:]) {
		return -1
	}
	return from
}

// secret is where one begins in the last argument that was read, by those before it, or -1.
func (c *call) secret(r *Redactor) int {
	if c.command == nil {
		return -1
	}
	before := max(0, bytes.LastIndexByte(c.args[:max(0, c.last-1)], 0))
	if from := c.find(r, c.command.near, before); from >= 0 {
		return from
	}
	return c.find(r, c.command.far, 0)
}

// find is where in the last argument a secret begins by an expression, or -1. It looks at the
// arguments from the byte start on.
func (c *call) find(r *Redactor, by expression, start int) int {
	if by == nil {
		return -1
	}
	args := c.args[start:]
	m := by().FindSubmatchIndex(args)
	if m == nil {
		return -1
	}
	from := start + m[len(m)-2] - c.last
	if from == 0 && c.args[c.last] == '-' {
		return -1
	}
	if len(m) > 4 && m[2] >= 0 && slices.Contains([]class{ordinary, environment}, r.classify(args[m[2]:m[3]])) {
		return -1
	}
	return from
}

// maxArgs is how many bytes of arguments are looked at, those of the latest one apart.
const maxArgs = 512

func isFlag(arg []byte) bool { return len(arg) > 1 && arg[0] == '-' }

// namesSecret reports whether a name that stands apart from its value says that it is secret.
func (r *Redactor) namesSecret(name []byte) bool {
	return slices.Contains([]class{strong, prose, proseText, header}, r.classify(name))
}

// commandOf is the program that a word names, in whatever folder, or nil.
func commandOf(word []byte) *command {
	return commands()[string(bytes.TrimSuffix(word[bytes.LastIndexAny(word, `/\`)+1:], []byte(".exe")))]
}

// Args returns the arguments of a program without their secrets: what stands behind
// flags that are named so, what known programs take by their own flags and places, and
// what [Redactor.Redact] finds in each. The program's name is the first.
func (r *Redactor) Args(args []string) (without []string) {
	lenient := jsontext.AllowInvalidUTF8(true)
	line, _ := json.Marshal(args, lenient) // strings have no errors
	json.Unmarshal(r.Redact(nil, line), &without, lenient)
	return without
}

// called replaces the secrets in the call of a program whose name begins at i.
func (s *scanner) called(i int) int {
	if i < s.callEnd || i > 0 && isWord(s.text[i-1]) {
		return i
	}
	name := s.near(i, 32)
	if end := bytes.IndexAny(name, " \t"); end < 0 || commandOf(name[:end]) == nil {
		return i
	}
	var c call
	for at := i; ; at = s.callEnd {
		rest := bytes.TrimLeft(s.text[at:], " \t")
		if next, ok := bytes.CutPrefix(rest, []byte("\\\n")); ok {
			rest = bytes.TrimLeft(next, " \t")
		}
		at = len(s.text) - len(rest)
		start, end, next := s.shellWord(at)
		if next == at {
			return i
		}
		if from := c.next(s.Redactor, s.text[start:end]); from >= 0 {
			s.edits = append(s.edits, edit{start + from, end, Key, marker(Key), ""})
		}
		s.callEnd = next
	}
}

// shellWord reads the word of a shell that begins at i: its text without quotes around it,
// and what comes next.
func (s *scanner) shellWord(i int) (start, end, next int) {
	if inner := quoteEnd(s.text, i); inner > i {
		end = s.closing(inner, s.text[i:inner])
		return inner, end, min(len(s.text), end+inner-i)
	}
	for end = i; end < len(s.text); end++ {
		rest := s.text[end:]
		switch c := rest[0]; {
		case c == '\\' && len(rest) > 1 && (rest[1] == 'n' || isQuote(rest[1])), c <= ' ', c == ';', c == '|', c == '`',
			bytes.HasPrefix(rest, []byte("&&")):
			return i, end, end
		case (c == '"' || c == '\'') && end > i && s.text[end-1] != '\\': // quotes in a word
			end = min(s.closing(end+1, rest[:1]), len(s.text)-1)
		}
	}
	return i, end, end
}
