package permission

import (
	"bytes"
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// A command is what a call runs, as far as its rawInput says so.
type command struct {
	isFound  bool     // rawInput has a command
	mayRun   bool     // the call runs one, although none is found
	parts    []string // of a command that is plain: all that it runs
	notPlain string   // what else it has; "" if it is plain
	suspect
	text string // for people
}

// unmet returns the condition on the command of a call that a rule has, if the call does not meet
// it. A rule that allows must match each part of a plain command. For any other rule, one part is
// enough, and a command that may have such a part is unclear.
func (r *Rule) unmetCommand(c *call) unmet {
	if len(r.Command) == 0 {
		return unmet{}
	}
	if c.command == nil {
		c.command = commandOf(c.kind, c.rawInput, c.isInputKnown)
	}
	cmd := c.command
	isMatch := func(text string) bool { return matchesOne(r.Command, text) }
	not := unmet{"command", strings.Join(r.Command, ", "), cmd.text, false}
	if !r.Allows() {
		if !cmd.isFound {
			not.isUnclear = cmd.mayRun
		} else if slices.ContainsFunc(cmd.runs, isMatch) {
			return unmet{}
		} else {
			not.isUnclear = cmd.hidden || slices.ContainsFunc(cmd.may, isMatch)
		}
		return not
	}
	switch {
	case c.kind.text != acp.KindExecute && c.kind.text != acp.KindOther:
		return unmet{"kind", "execute or other, for a command", c.kind.text, false}
	case !cmd.isFound:
		not.isUnclear = true
	case cmd.notPlain != "":
		return unmet{key: "command has " + cmd.notPlain + ", so it is not allowed"}
	case len(cmd.parts) > 0 && !slices.ContainsFunc(cmd.parts, func(part string) bool { return !isMatch(part) }):
		return unmet{}
	}
	return not
}

// unmetTool is unmetCommand for the names of the call's tool. If the agent gives it several names,
// a rule that allows must match them all.
func (r *Rule) unmetTool(c *call) unmet {
	if len(r.Tool) == 0 {
		return unmet{}
	}
	matching := 0
	for _, name := range c.tools {
		if matchesOne(r.Tool, name) {
			matching++
		}
	}
	if matching > 0 && (matching == len(c.tools) || !r.Allows()) {
		return unmet{}
	}
	return unmet{"tool", strings.Join(r.Tool, ", "), strings.Join(c.tools, ", "), !c.isToolKnown}
}

func matchesOne(patterns []string, text string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, text) })
}

// lines and lists are the members of rawInput that agents use for a shell line or its words, and
// for several lines.
// Read: claude-agent-acp, codex-acp, opencode ("command"), codex-rs ("cmd"), cline ("commands")
var (
	lines = []string{"command", "cmd", "commandLine", "command_line", "CommandLine", "shell_command"}
	lists = []string{"commands"}
)

// commandOf reads rawInput. Every command in it counts.
func commandOf(kind member, rawInput []byte, isKnown bool) *command {
	c := &command{mayRun: !isKnown || !kind.isKnown || kind.text == acp.KindExecute || kind.text == acp.KindOther && wire.IsAbsent(rawInput)}
	input, err := wire.Parse(rawInput)
	switch {
	case !isKnown || wire.IsAbsent(rawInput):
		return c
	case err != nil: // a text or a list is the command itself
		if wire.IsObject(rawInput) {
			c.add(nil, nil) // ambiguous
		} else if _, isList := wire.Elements(rawInput); isList || wire.IsString(rawInput) || kind.text == acp.KindExecute {
			c.add(rawInput, nil)
		}
		if kind.text != acp.KindExecute {
			c.also(nil, "a form that acpshim knows only of the kind execute")
		}
		return c
	}
	args, more := input.Raw("args"), input.Raw("arguments")
	if isNone(args) {
		args = more
	} else if !isNone(more) {
		c.add(nil, nil) // ambiguous
	}
	for _, name := range lines {
		if raw := input.Raw(name); !wire.IsAbsent(raw) {
			c.add(raw, args)
		}
	}
	for _, name := range lists {
		raw := input.Raw(name)
		all, ok := wire.Elements(raw)
		for _, line := range all {
			if wire.IsString(line) {
				c.add(line, nil)
			} else {
				c.add(nil, nil)
			}
		}
		if !wire.IsAbsent(raw) && (!ok || len(all) == 0) {
			c.add(nil, nil)
		}
	}
	for _, name := range []string{"env", "environment"} {
		if raw := input.Raw(name); c.isFound && !wire.IsAbsent(raw) && len(bytes.Trim(raw, " \t\r\n{}[]")) > 0 {
			c.notPlain = "variables of its own"
		}
	}
	if shell, ok := input.Text("shell"); c.isFound && input.Get("shell") != nil && (!ok || !isSystems(shell) || !slices.Contains(shells[:readable], base(shell))) {
		c.notPlain = "a shell of its own"
	}
	return c
}

// add adds a command: a line, or a list of words. Args are more words; nil if there are none.
func (c *command) add(raw, args []byte) {
	words, isList := texts(raw)
	line, isLine := wire.Text(raw)
	more, hasMore := texts(args)
	if (isLine || isList && len(words) > 0) && isNone(args) && strings.TrimSpace(line+strings.Join(words, "")) == "" {
		return // it says nothing
	}
	c.isFound = true
	switch {
	case isLine && (wire.IsAbsent(args) || hasMore && len(more) == 0):
		c.text = line
		c.line(line, 0)
		parts, why := plain(line, 0)
		c.also(parts, why)
		return
	case isLine && hasMore:
		words, isList = append([]string{line}, more...), true
	case isList && !wire.IsAbsent(args) && len(more) > 0, isList && !wire.IsAbsent(args) && !hasMore:
		isList = false
	}
	if !isList || len(words) == 0 {
		c.hidden = true
		c.also(nil, "a form that acpshim does not know")
		return
	}
	c.text = strings.Join(words, " ")
	if len(c.text) > maxLine {
		c.hidden = true
		c.also(nil, "more than acpshim reads")
		return
	}
	c.words(words, 0)
	c.pieces(c.text)
	parts, why := plainWords(words, 0)
	c.also(parts, why)
}

func (c *command) also(parts []string, why string) {
	c.parts = append(c.parts, parts...)
	if c.notPlain == "" {
		c.notPlain = why
	}
}

// isNone reports whether there are no more words.
func isNone(args []byte) bool {
	all, ok := wire.Elements(args)
	return wire.IsAbsent(args) || ok && len(all) == 0
}

// texts returns the texts of a list, or false if it is not a list of texts.
func texts(raw []byte) (all []string, ok bool) {
	elements, ok := wire.Elements(raw)
	for _, e := range elements {
		text, isText := wire.Text(e)
		all, ok = append(all, text), ok && isText
	}
	return all, ok
}
