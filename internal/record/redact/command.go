package redact

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"acpshim/internal/text/glob"
)

// readCall replaces the secrets in the call of a program whose name begins at i.
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

// shellWord returns the span of the word of a shell that begins at i, without quotes around it, and
// where the next one may begin.
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
		case (c == '"' || c == '\'') && end > i && s.text[end-1] != '\\': // quotes in a word
			end = min(closingQuote(s.text, end+1, rest[:1]), len(s.text)-1)
		}
	}
	return i, end, end
}

// quoteEnd returns the end of the quote that begins at i, with the backslashes before it, or i.
func quoteEnd(text []byte, i int) int {
	near := text[i:min(len(text), i+64)]
	quote := bytes.TrimLeft(near, `\`)
	if len(quote) > 0 && isQuote(quote[0]) {
		return i + len(near) - len(quote) + 1
	}
	return i
}

// A call reads the arguments of a program one by one, its name among them.
type call struct {
	command *command
	next    uint64 // the steps of the command that may take the next argument, as bits
	before  []byte // the argument before, unless it had a secret
}

// readArgument reads one, and returns where in it a secret begins, or -1.
func (c *call) readArgument(names *classifier, arg []byte) (from int) {
	before := c.before
	found := commandOf(arg)
	if found != nil && (c.command == nil || found != c.command && string(arg) != "set" && !isFlag(before)) {
		*c = call{command: found, next: found.first}
		return -1
	}
	c.before = arg[:min(len(arg), sure)]
	from = c.advance(names, c.before)
	isValue := len(arg) > 0 && isFlag(before) && !isFlag(arg) && bytes.IndexByte(before, '=') < 0
	if from < 0 && isValue && names.namesSecret(before) {
		from = 0
	}
	if from < 0 {
		return -1
	}
	// "-pass" may be the value of -p, or a flag with a value of its own. Both values are replaced.
	if isWord := len(bytes.Trim(arg[1:], letters)) == 0; !isFlag(arg) || !isWord {
		c.before = nil
	}
	if markerEnd(arg, from) > from || arg[from] == '$' && isPlaceholder(arg[from:]) {
		return -1
	}
	return from
}

// advance moves each usage of the command on by an argument. It returns where in the argument a
// secret begins, or -1.
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
		start, isTaken := s.take(arg)
		if isTaken && (!s.isName || !slices.Contains([]class{ordinary, environment}, names.classify(arg))) {
			c.next |= 1 << (n + 1)
		}
		from = max(from, start)
	}
	return from
}

func isFlag(arg []byte) bool { return len(arg) > 1 && arg[0] == '-' }

// take reports whether an argument is the word or the flag of the step, and where the secret begins
// in it, or -1.
func (s *step) take(arg []byte) (from int, isTaken bool) {
	switch {
	case s.flags != nil:
		return s.takeFlag(arg)
	case !s.isSecret:
		return -1, s.word.Match(string(arg))
	}
	from = secretStart(arg, s.before)
	if from == 0 && arg[0] == '-' { // a flag where the secret was expected
		return -1, false
	}
	return from, false
}

// takeFlag is take for a step with flags. A flag of several letters ends with a sign.
func (s *step) takeFlag(arg []byte) (from int, isTaken bool) {
	for _, flag := range s.flags {
		value, ok := bytes.CutPrefix(arg, []byte(flag))
		if ok && len(value) == 0 {
			return -1, true
		}
		if isLong := flag[0] == '/' || len(flag) > len("-p"); ok && isLong {
			value, ok = value[1:], value[0] == '=' || value[0] == ':'
		}
		if from := secretStart(value, s.before); ok && from >= 0 {
			return len(arg) - len(value) + from, false
		}
	}
	return -1, false
}

// secretStart is where the secret begins in an argument, or -1.
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

// A command has the usages of a program, as the steps of all of them in a row.
type command struct {
	steps []step
	first uint64 // those that begin a usage, as bits
}

// A step is what a usage has for an argument: a word, a flag with a secret value, or a secret.
type step struct {
	gap      gap // before it
	word     glob.Glob
	isName   bool     // the word has to be the name of a secret
	flags    []string // the secret follows one of them, in the argument or in the next
	isSecret bool     // the secret is in the argument
	before   string   // the secret in its argument: a text, or "*" and the text where it begins
}

// A gap says which arguments may stand before the one of a step.
type gap uint8

const (
	noGap gap = iota
	gapOfFlags
	anyGap
)

// commands are those of the table, by the names of their programs.
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

// addUsage adds the steps of a usage of the table.
func (c *command) addUsage(usage string) {
	c.first |= 1 << len(c.steps)
	gap := gapOfFlags
	var flags []string // of the word before
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
		if s.before, s.isSecret = strings.CutSuffix(word, "SECRET"); !s.isSecret {
			if s.isName = word == "NAME"; s.isName || word == "WORD" {
				word = `[^\-]*`
			}
			s.word = mustGlob(word)
		} else if flags != nil {
			flag := &c.steps[len(c.steps)-1]
			flag.flags, flag.before, s.gap = flags, s.before, noGap
		}
		gap, flags = gapOfFlags, nil
		if isFlag {
			flags = s.word.Texts()
		}
		c.steps = append(c.steps, s)
	}
}

// commandOf is the program that a word names, in whatever folder, or nil.
func commandOf(word []byte) *command {
	return commands()[string(bytes.TrimSuffix(word[bytes.LastIndexAny(word, `/\`)+1:], []byte(".exe")))]
}
