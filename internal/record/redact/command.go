package redact

import (
	"bytes"
	_ "embed"
	"strings"
	"sync"

	"acpshim/internal/text/glob"
)

//go:embed commands.txt
var commandTable string

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
	for _, line := range lines(commandTable) {
		if usage, isUsage := strings.CutPrefix(line, "  "); isUsage {
			c.add(usage)
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

// add adds the steps of a usage of the table.
func (c *command) add(usage string) {
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
			s.word, s.isName = mustGlob(word), word == "NAME"
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

// mustGlob compiles a word of the table. What is not a flag is a word or the name of one.
func mustGlob(word string) glob.Glob {
	if word == "WORD" || word == "NAME" {
		word = `[^\-]*`
	}
	g, err := glob.Compile(word)
	if err != nil {
		panic(err) // a test compiles the table
	}
	return g
}

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

// takeFlag is take for a step with flags. One of several letters ends with a sign.
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

// commandOf is the program that a word names, in whatever folder, or nil.
func commandOf(word []byte) *command {
	return commands()[string(bytes.TrimSuffix(word[bytes.LastIndexAny(word, `/\`)+1:], []byte(".exe")))]
}
