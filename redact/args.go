package redact

import (
	"bytes"
	"strings"
)

// A command is what is known of a program that takes secrets as arguments.
type command struct {
	flags []flagRule
	words [][]string // arguments by their place, as in the table
}

// A flagRule is a flag with a secret in its value.
type flagRule struct {
	flag  string
	sub   string // the word that has to be among the arguments before, "" for none
	mode  byte   // 0, '+' for one that is joined to its value only, '=' for a value with that sign
	after byte   // what the secret stands behind in the value, 0 for its beginning
}

// commands are the programs of the table by their names.
var commands = func() map[string]*command {
	all := make(map[string]*command)
	for _, row := range commandTable {
		c := &command{}
		for _, rule := range strings.Split(row.rules, "; ") {
			if strings.Contains(rule, "@") {
				c.words = append(c.words, strings.Fields(rule))
				continue
			}
			for _, flag := range strings.Fields(rule) {
				f := flagRule{}
				if sub, rest, ok := strings.Cut(flag, ">"); ok {
					f.sub, flag = sub, rest
				}
				switch last := flag[len(flag)-1]; last {
				case '+', '=':
					f.mode, flag = last, flag[:len(flag)-1]
				case ':', '%', ',':
					f.after, flag = last, flag[:len(flag)-1]
				}
				f.flag = flag
				c.flags = append(c.flags, f)
			}
		}
		for _, name := range strings.Fields(row.names) {
			all[name] = c
		}
	}
	return all
}()

// A call reads the arguments of a program one by one, its name among them.
type call struct {
	command *command
	args    [][]byte // the latest, behind the program's name
	before  []byte   // the one before
}

// maxArgs is how many arguments are counted for those that are known by their place.
const maxArgs = 12

// next reads an argument, and returns where in it a secret begins, or -1. The bytes are
// kept until the next but one.
func (c *call) next(r *Redactor, arg []byte) (from int) {
	before := c.before
	c.before = arg
	if found := commands[string(programOf(arg[max(0, len(arg)-maxName):]))]; found != nil && (c.command == nil || string(arg) != "set" && found != c.command && len(before) > 0 && before[0] != '-') {
		c.command, c.args, c.before = found, c.args[:0], nil
		return -1
	}
	if len(c.args) < maxArgs {
		c.args = append(c.args, arg)
	}
	from = -1
	isFlag := len(before) > 1 && before[0] == '-'
	if c.command != nil {
		from = c.command.secretIn(r, before, arg, c.args)
	}
	switch {
	case from >= 0:
	case isFlag && len(before) < maxName && bytes.IndexByte(before, '=') < 0 && len(arg) > 0 && arg[0] != '-' && r.isFlagOfSecret(before):
		from = 0
	case isFlag && (c.command == nil || c.command.flags == nil):
		if m := userPassword.FindSubmatchIndex(append(append(append([]byte{' '}, before...), ' '), arg[:min(len(arg), sure)]...)); m != nil && looksMade(arg[m[2]-len(before)-2:]) {
			from = m[2] - len(before) - 2
		}
	}
	if from >= 0 {
		c.before = nil
	}
	if from >= len(arg) || from >= 0 && arg[from] == '$' && isPlaceholder(arg[from:]) {
		return -1
	}
	return from
}

// isFlagOfSecret reports whether the name of a flag says that its value is a secret.
func (r *Redactor) isFlagOfSecret(flag []byte) bool {
	switch r.classify(flag) {
	case strong, prose, proseText, header:
		return true
	}
	return false
}

// secretIn is where a secret begins in an argument behind the one before, or -1.
func (c *command) secretIn(r *Redactor, before, arg []byte, args [][]byte) int {
	for _, f := range c.flags {
		if f.sub != "" && !hasWord(args, f.sub) {
			continue
		}
		value, from := arg, 0
		switch rest, ok := bytes.CutPrefix(arg, []byte(f.flag)); {
		case string(before) == f.flag && f.mode != '+':
			if len(arg) > 0 && arg[0] == '-' {
				continue
			}
		case ok && len(rest) > 0 && len(f.flag) == 2 && f.flag[0] == '-':
			value, from = rest, 2
		case ok && len(rest) > 1 && (rest[0] == '=' || rest[0] == ':'):
			value, from = rest[1:], len(f.flag)+1
		default:
			continue
		}
		switch {
		case f.mode == '=' && bytes.IndexByte(value, '=') <= 0:
			continue
		case f.after != 0:
			n := bytes.IndexByte(value, f.after)
			if n < 0 || n+1 == len(value) || f.flag[:2] == "-p" && string(value[:n]) != "pass" {
				continue
			}
			from += n + 1
		}
		return from
	}
	for _, rule := range c.words {
		if places(r, rule, args) {
			return 0
		}
	}
	return -1
}

func hasWord(args [][]byte, word string) bool {
	for _, a := range args {
		if string(a) == word {
			return true
		}
	}
	return false
}

// places reports whether the last of the arguments is the secret of a rule.
func places(r *Redactor, rule []string, args [][]byte) bool {
	if len(args) == 0 || len(args[len(args)-1]) == 0 {
		return false
	}
	at := 0
	for i, a := range args {
		if at == len(rule) {
			return false
		}
		switch want := rule[at]; {
		case want[0] == '~':
			if len(a) == 0 || a[0] != '-' || !bytes.Contains(a, []byte(want[1:])) {
				return false
			}
		case len(a) > 0 && a[0] == '-' && want[0] != '-':
			continue // a flag
		case want == "@":
			return i == len(args)-1
		case want == "!":
			if c := r.classify(a); c == ordinary || c == environment {
				return false
			}
		case want == `\`:
			if a[0] != '\\' {
				return false
			}
		case want != "." && want != string(a):
			return false
		}
		at++
	}
	return false
}

// programOf is the name of the program that a word names, without its folder.
func programOf(word []byte) []byte {
	if i := bytes.LastIndexAny(word, `/\`); i >= 0 {
		word = word[i+1:]
	}
	return bytes.TrimSuffix(word, []byte(".exe"))
}

// Args returns the arguments of a program without their secrets: what stands behind
// flags that are named so, what known programs take by their own flags and places, and
// what [Redactor.Text] finds in each. The program's name is the first.
func (r *Redactor) Args(args []string) []string {
	without := make([]string, len(args))
	var c call
	for i, a := range args {
		switch from := c.next(r, []byte(a)); {
		case from >= 0 && a[from:] != marker(Key):
			without[i] = a[:from] + marker(Key)
			r.marks = nil
			r.note(edit{kind: Key})
			r.count()
		case from < 0:
			without[i] = string(r.Text(nil, []byte(a)))
		default:
			without[i] = a
		}
	}
	return without
}

// called plans to replace the secrets in the call of a program whose name begins at i.
func (s *scanner) called(i int) int {
	if i < s.callEnd || i > 0 && isWord(s.text[i-1]) {
		return i
	}
	end := i
	for end < min(len(s.text), i+32) && (isWord(s.text[end]) || s.text[end] == '.') {
		end++
	}
	if end == len(s.text) || s.text[end] != ' ' && s.text[end] != '\t' || commands[string(programOf(s.text[i:end]))] == nil {
		return i
	}
	var c call
	for at := i; at < len(s.text); {
		for at < len(s.text) && (s.text[at] == ' ' || s.text[at] == '\t' || s.text[at] == '\\' && at+1 < len(s.text) && s.text[at+1] == '\n') {
			if s.text[at] == '\\' {
				at++
			}
			at++
		}
		start, inner, next := s.shellWord(at)
		if next == at || start == inner && start == next {
			break
		}
		if from := c.next(s.Redactor, s.text[start:inner]); from >= 0 && markerEnd(s.text, start+from) == start+from {
			s.planned = append(s.planned, edit{start: start + from, end: inner, kind: Key, with: marker(Key)})
		}
		at = next
		s.callEnd = at
	}
	return i
}

// shellWord reads the word of a shell that begins at i: its text without quotes around it,
// and what comes next.
func (s *scanner) shellWord(i int) (start, end, next int) {
	if inner, quote := quoteEnd(s.text, i); quote != 0 && inner > i {
		end = s.closing(inner, s.text[i:inner])
		return inner, end, min(len(s.text), end+inner-i)
	}
	for end = i; end < len(s.text); end++ {
		c := s.text[end]
		if end > i && (c == '"' || c == '\'') && s.text[end-1] != '\\' { // quotes in a word
			end = min(s.closing(end+1, s.text[end:end+1]), len(s.text)-1)
			continue
		}
		if c <= ' ' || c == ';' || c == '|' || c == '`' || c == '&' && end+1 < len(s.text) && s.text[end+1] == '&' ||
			c == '\\' && end+1 < len(s.text) && (s.text[end+1] == 'n' || isQuote(s.text[end+1])) {
			break
		}
	}
	return i, end, end
}
