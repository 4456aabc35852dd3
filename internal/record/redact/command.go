package redact

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"acpshim/internal/text/glob"
)

// readCall replaces the secrets in the call of a program whose name begins at i. It returns i if
// there is no call. After a call it sets callEnd instead.
func (s *scanner) readCall(i int) int {
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
		if from := c.readArgument(&s.classifier, s.text[start:end]); from >= 0 {
			s.edits = append(s.edits, markSpan(start+from, end, Key))
		}
		s.callEnd = next
	}
}

// shellWord returns the span of the shell word that begins at i, without the quotes around it. The
// next word may begin at next.
func (s *scanner) shellWord(i int) (start, end, next int) {
	if inner := quoteEnd(s.text, i); inner > i {
		end = closingQuote(s.text, inner, s.text[i:inner])
		return inner, end, min(len(s.text), end+inner-i)
	}
	for end = i; end < len(s.text); end++ {
		rest := s.text[end:]
		switch c := rest[0]; {
		case c == '\\' && len(rest) > 1 && (rest[1] == 'n' || isQuote(rest[1])), c <= ' ', c == ';', c == '|', c == '`',
			bytes.HasPrefix(rest, []byte("&&")):
			return i, end, end
		case (c == '"' || c == '\'') && end > i && s.text[end-1] != '\\': // quotes inside a word
			end = min(closingQuote(s.text, end+1, rest[:1]), len(s.text)-1)
		}
	}
	return i, end, end
}

// quoteEnd returns the end of the quote that begins at i, including backslashes before it, or i if
// no quote begins there.
func quoteEnd(text []byte, i int) int {
	near := text[i:min(len(text), i+64)]
	quote := bytes.TrimLeft(near, `\`)
	if len(quote) > 0 && isQuote(quote[0]) {
		return i + len(near) - len(quote) + 1
	}
	return i
}

// A call reads the arguments of a program one by one, starting with the program's name.
type call struct {
	command  *command
	next     uint64 // a bit for each step of the command that may match the next argument
	previous []byte // the previous argument, unless it had a secret
}

// readArgument reads an argument. It returns where a secret begins in it, or -1.
func (c *call) readArgument(names *classifier, arg []byte) (from int) {
	before := c.previous
	found := commandOf(arg)
	if found != nil && (c.command == nil || found != c.command && string(arg) != "set" && !isFlag(before)) {
		*c = call{command: found, next: found.first}
		return -1
	}
	c.previous = arg[:min(len(arg), longValue)]
	from = c.advance(names, c.previous)
	isValue := len(arg) > 0 && isFlag(before) && !isFlag(arg) && bytes.IndexByte(before, '=') < 0
	if from < 0 && isValue && names.namesSecret(before) {
		from = 0
	}
	if from < 0 {
		return -1
	}
	// "-pass" may be the value of -p, or a flag with its own value. Both values are replaced.
	if isWord := len(bytes.Trim(arg[1:], letters)) == 0; !isFlag(arg) || !isWord {
		c.previous = nil
	}
	if markerEnd(arg, from) > from || arg[from] == '$' && isPlaceholder(arg[from:]) {
		return -1
	}
	return from
}

// advance moves each usage of the command forward by an argument. It returns where a secret begins
// in the argument, or -1.
func (c *call) advance(names *classifier, arg []byte) (from int) {
	from = -1
	if c.command == nil {
		return from
	}
	steps := c.next
	c.next = 0
	for n := range c.command.steps {
		s := &c.command.steps[n]
		if steps>>n&1 == 0 {
			continue
		}
		if s.gap == anyGap || s.gap == gapOfFlags && bytes.HasPrefix(arg, []byte("-")) {
			c.next |= 1 << n
		}
		start, isMatch := s.match(arg)
		if isMatch && (!s.isName || !slices.Contains([]class{ordinary, environment}, names.classify(arg))) {
			c.next |= 1 << (n + 1)
		}
		from = max(from, start)
	}
	return from
}

func isFlag(arg []byte) bool { return len(arg) > 1 && arg[0] == '-' }

// match reports whether an argument is the word or the flag of the step. It returns where the
// secret begins in the argument, or -1.
func (s *step) match(arg []byte) (from int, isMatch bool) {
	switch {
	case s.flags != nil:
		return s.matchFlag(arg)
	case !s.isSecret:
		return -1, s.word.Match(string(arg))
	}
	from = secretStart(arg, s.prefix)
	if from == 0 && arg[0] == '-' { // a flag where the secret was expected
		return -1, false
	}
	return from, false
}

// matchFlag is match for a step with flags. A value in the same argument follows "=" or ":" if the
// flag is longer than one letter.
func (s *step) matchFlag(arg []byte) (from int, isMatch bool) {
	for _, flag := range s.flags {
		value, ok := bytes.CutPrefix(arg, []byte(flag))
		if ok && len(value) == 0 {
			return -1, true
		}
		if isLong := flag[0] == '/' || len(flag) > len("-p"); ok && isLong {
			value, ok = value[1:], value[0] == '=' || value[0] == ':'
		}
		if from := secretStart(value, s.prefix); ok && from >= 0 {
			return len(arg) - len(value) + from, false
		}
	}
	return -1, false
}

// secretStart returns where the secret begins in an argument, or -1. For prefix, see step.
func secretStart(arg []byte, before string) int {
	from := len(before)
	if sign, isAny := strings.CutPrefix(before, "*"); isAny {
		from = bytes.Index(arg, []byte(sign)) + len(sign)
		if from < len(sign) {
			return -1
		}
	} else if !bytes.HasPrefix(arg, []byte(before)) {
		return -1
	}
	if from == len(arg) {
		return -1
	}
	return from
}

//go:embed commands.txt
var commandsTXT string

// A command has the steps of all usages of a program, one usage after the other.
type command struct {
	steps []step
	first uint64 // a bit for each step that begins a usage
}

// A step is an argument of a usage: a word, a flag with a secret value, or a secret.
type step struct {
	gap      gap // the arguments that may stand before it
	word     glob.Glob
	isName   bool     // the word must be a secret name
	flags    []string // the secret follows one of these, in the same argument or the next
	isSecret bool     // the secret is in the argument
	prefix   string   // the text before the secret; after "*", the text that ends there
}

// A gap says which arguments may stand before the argument of a step.
type gap uint8

const (
	noGap gap = iota
	gapOfFlags
	anyGap
)

// commands returns the commands of the table by the names of their programs.
var commands = sync.OnceValue(func() map[string]*command {
	all, c := make(map[string]*command), new(command)
	for _, line := range tableLines(commandsTXT) {
		if usage, isUsage := strings.CutPrefix(line, "  "); isUsage {
			c.addUsage(usage)
			continue
		}
		if len(c.steps) > 0 {
			c = new(command)
		}
		for program := range strings.FieldsSeq(line) {
			all[program] = c
		}
	}
	return all
})

// addUsage adds the steps of a usage in the table.
func (c *command) addUsage(usage string) {
	c.first |= 1 << len(c.steps)
	gap := gapOfFlags
	var flags []string // of the previous word
	for word := range strings.FieldsSeq(usage) {
		if word == "..." {
			gap = anyGap
			continue
		}
		s := step{gap: gap}
		isFlag := strings.IndexByte("-/", strings.TrimLeft(word, "{")[0]) >= 0
		if isFlag {
			s.gap = anyGap
		}
		if s.prefix, s.isSecret = strings.CutSuffix(word, "SECRET"); !s.isSecret {
			if s.isName = word == "NAME"; s.isName || word == "WORD" {
				word = `[^\-]*`
			}
			s.word = mustGlob(word)
		} else if flags != nil {
			flag := &c.steps[len(c.steps)-1]
			flag.flags, flag.prefix, s.gap = flags, s.prefix, noGap
		}
		gap, flags = gapOfFlags, nil
		if isFlag {
			flags = s.word.Texts()
		}
		c.steps = append(c.steps, s)
	}
}

// commandOf returns the command of the program that a word names, in any folder, or nil.
func commandOf(word []byte) *command {
	return commands()[string(bytes.TrimSuffix(word[bytes.LastIndexAny(word, `/\`)+1:], []byte(".exe")))]
}
