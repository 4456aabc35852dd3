package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A command is what is known of a program that takes secrets as arguments: expressions
// over its name and arguments, each behind a NUL, with the secret as their last group.
type command []rule

type rule struct {
	sub   string // the word that has to be among the arguments, "" for none
	match expression
}

// commands are the programs of the table by their names.
var commands = func() map[string]command {
	all := make(map[string]command)
	for _, row := range commandTable {
		var c command
		for text := range strings.SplitSeq(row.rules, "; ") {
			sub, rest, ok := strings.Cut(text, ">")
			if !ok {
				sub, rest = "", text
			}
			c = append(c, rule{sub, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(argExpression(rest)) })})
		}
		for _, name := range strings.Fields(row.names) {
			all[name] = c
		}
	}
	return all
}()

// argExpression makes an expression of a rule of the table.
func argExpression(rule string) string {
	var all []string
	for _, word := range strings.Fields(rule) {
		last := word[len(word)-1:]
		switch {
		case !strings.Contains(rule, "@") && last == "+":
			all = append(all, `\x00`+regexp.QuoteMeta(word[:len(word)-1])+`([^\x00]+)`)
		case !strings.Contains(rule, "@"):
			value := `([^\x00-][^\x00]*)`
			switch flag := word[:len(word)-1]; {
			case last == "=":
				word, value = flag, `([^\x00=]+=[^\x00]+)`
			case strings.Contains(":%,", last) && strings.HasPrefix(word, "-pass"):
				word, value = flag, `pass:([^\x00]+)`
			case strings.Contains(":%,", last):
				word, value = flag, `[^\x00`+last+`]*`+last+`([^\x00]+)`
			}
			link := `(?:\x00|[=:])`
			if len(word) == 2 && word[0] == '-' {
				link = `\x00?`
			}
			all = append(all, `\x00`+regexp.QuoteMeta(word)+link+value)
		case word[0] == '~':
			all = append(all, `-[^\x00]*`+word[1:]+`[^\x00]*`)
		case word == "@" || word == "!":
			all = append(all, `([^\x00-][^\x00]*)`)
		case word == "." || word == `\`:
			all = append(all, map[string]string{".": `[^\x00-][^\x00]*`, `\`: `\\[^\x00]*`}[word])
		default:
			all = append(all, regexp.QuoteMeta(word))
		}
	}
	if strings.Contains(rule, "@") {
		return `\A\x00[^\x00]*(?:\x00-[^\x00]*)*?\x00` + strings.Join(all, `(?:\x00-[^\x00]*)*?\x00`)
	}
	return strings.Join(all, "|")
}

// secretArgs says where in each of the arguments of a program a secret begins, -1 for
// nowhere. The program's name is among them.
func (r *Redactor) secretArgs(args [][]byte) []int {
	from := make([]int, len(args))
	first := len(args) // of the program that is looked at
	var c command
	var joined []byte // its arguments
	var begins []int  // of them in joined
	tell := func(m []int) {
		if n := len(m); len(m) == 4 || len(m) == 6 && r.isNameOfSecret(joined[m[2]:m[3]]) {
			i, exact := slices.BinarySearch(begins, m[n-2])
			if !exact {
				i--
			}
			from[first+i] = m[n-2] - begins[i]
		}
	}
	end := func() {
		for _, rule := range c {
			if rule.sub == "" || bytes.Contains(joined, []byte("\x00"+rule.sub+"\x00")) {
				for _, m := range rule.match().FindAllSubmatchIndex(joined, -1) {
					trimmed := m[:2]
					for n := 2; n < len(m); n += 2 {
						if m[n] >= 0 {
							trimmed = append(trimmed, m[n], m[n+1])
						}
					}
					tell(trimmed)
				}
			}
		}
	}
	for i, arg := range args {
		from[i] = -1
		var before []byte
		if i > 0 && from[i-1] < 0 {
			before = args[i-1]
		}
		isFlag := len(before) > 1 && before[0] == '-'
		if found := commands[string(programOf(arg[max(0, len(arg)-maxName):]))]; found != nil && (c == nil || string(arg) != "set" && len(before) > 0 && !isFlag) {
			end()
			c, first, joined, begins = found, i, nil, nil
		}
		if c != nil {
			joined = append(joined, 0)
			begins = append(begins, len(joined))
			joined = append(joined, arg...)
		}
		if isFlag && len(before) < maxName && len(arg) > 0 && bytes.IndexByte(before, '=') < 0 {
			if m := userPassword().FindSubmatchIndex(slices.Concat([]byte(" "), before, []byte(" "), arg[:min(len(arg), sure)])); m != nil {
				if at := m[2] - len(before) - 2; looksMade(arg[at:]) {
					from[i] = at
				}
			}
			if arg[0] != '-' && r.isNameOfSecret(before) {
				from[i] = 0
			}
		}
	}
	end()
	for i, at := range from {
		if at >= 0 && (at >= len(args[i]) || args[i][at] == '$' && isPlaceholder(args[i][at:]) || markerEnd(args[i], at) == len(args[i])) {
			from[i] = -1
		}
	}
	return from
}

// isNameOfSecret reports whether the name of a flag or of a setting says that its value
// is a secret.
func (r *Redactor) isNameOfSecret(name []byte) bool {
	switch r.classify(name) {
	case strong, prose, proseText, header:
		return true
	}
	return false
}

// programOf is the name of the program that a word names, without its folder.
func programOf(word []byte) []byte {
	return bytes.TrimSuffix(word[bytes.LastIndexAny(word, `/\`)+1:], []byte(".exe"))
}

// Args returns the arguments of a program without their secrets: what stands behind
// flags that are named so, what known programs take by their own flags and places, and
// what [Redactor.Text] finds in each. The program's name is the first.
func (r *Redactor) Args(args []string) []string {
	raw := make([][]byte, len(args))
	for i, a := range args {
		raw[i] = []byte(a)
	}
	without := make([]string, len(args))
	for i, from := range r.secretArgs(raw) {
		if from < 0 {
			without[i] = string(r.Text(nil, raw[i]))
			continue
		}
		without[i] = string(r.redact(nil, raw[i], func() { r.edits = append(r.edits, edit{from, len(raw[i]), Key, marker(Key), ""}) }))
	}
	return without
}

// called replaces the secrets in the call of a program whose name begins at i.
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
	var args [][]byte
	var spans [][2]int
	for at := i; at < len(s.text); {
		for at < len(s.text) && (s.text[at] == ' ' || s.text[at] == '\t' || bytes.HasPrefix(s.text[at:], []byte("\\\n"))) {
			if s.text[at] == '\\' {
				at++
			}
			at++
		}
		start, inner, next := s.shellWord(at)
		if next == at || start == inner && start == next {
			break
		}
		args, spans = append(args, s.text[start:inner]), append(spans, [2]int{start, inner})
		at = next
		s.callEnd = at
	}
	for n, from := range s.secretArgs(args) {
		if from >= 0 {
			s.edits = append(s.edits, edit{spans[n][0] + from, spans[n][1], Key, marker(Key), ""})
		}
	}
	return i
}

// shellWord reads the word of a shell that begins at i: its text without quotes around it,
// and what comes next.
func (s *scanner) shellWord(i int) (start, end, next int) {
	if inner := quoteEnd(s.text, i); inner > i {
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
