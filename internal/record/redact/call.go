package redact

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A call reads the arguments of a program one by one, its name among them.
type call struct {
	command *command
	next    uint64 // the steps of the command that may take the next argument, as bits
	before  []byte // the argument before, unless it had a secret
}

// read reads an argument, and returns where in it a secret begins, or -1.
func (c *call) read(r *Redactor, arg []byte) (from int) {
	before := c.before
	found := commandOf(arg)
	if found != nil && (c.command == nil || found != c.command && string(arg) != "set" && !isFlag(before)) {
		*c = call{command: found, next: found.first}
		return -1
	}
	c.before = arg[:min(len(arg), sure)]
	from = c.advance(r, c.before)
	isValue := len(arg) > 0 && isFlag(before) && !isFlag(arg) && bytes.IndexByte(before, '=') < 0
	if from < 0 && isValue && r.namesSecret(before) {
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
func (c *call) advance(r *Redactor, arg []byte) (from int) {
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
		if isTaken && (!s.isName || !slices.Contains([]class{ordinary, environment}, r.classify(arg))) {
			c.next |= 1 << (n + 1)
		}
		from = max(from, start)
	}
	return from
}

func isFlag(arg []byte) bool { return len(arg) > 1 && arg[0] == '-' }

// Args returns the arguments of a program, its name first, without their secrets: values of flags
// that are named like secrets, what the usages of known programs say, and what [Redactor.Redact]
// finds in each.
func (r *Redactor) Args(args []string) (without []string) {
	lenient := jsontext.AllowInvalidUTF8(true)
	line, _ := json.Marshal(args, lenient) // strings have no errors
	json.Unmarshal(r.Redact(nil, line), &without, lenient)
	return without
}

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
		if from := c.read(s.Redactor, s.text[start:end]); from >= 0 {
			s.edits = append(s.edits, edit{start: start + from, end: end, kind: Key, with: marker(Key)})
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
