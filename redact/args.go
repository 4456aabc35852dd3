package redact

import (
	"bytes"
	"slices"
)

// secretArgs says where in each of the arguments of a program a secret begins, -1 for
// nowhere. The program's name is among them.
func (r *Redactor) secretArgs(args [][]byte) []int {
	from, begins := make([]int, len(args)), make([]int, len(args))
	joined := []byte{0} // as the table has them
	for i, arg := range args {
		from[i], begins[i] = -1, len(joined)
		joined = append(append(joined, arg...), 0)
	}
	tell := func(at int) {
		i, exact := slices.BinarySearch(begins, at)
		if !exact {
			i--
		}
		if arg := args[i]; from[i] < 0 && !(joined[at] == '$' && isPlaceholder(arg[at-begins[i]:])) && markerEnd(joined, at) < begins[i]+len(arg) {
			from[i] = at - begins[i]
		}
	}
	programs := 0
	for i, arg := range args {
		rules := commands[string(programOf(arg[max(0, len(arg)-maxName):]))]
		if rules != nil && programs < 4 {
			programs++
			for _, rule := range rules {
				for _, m := range rule().FindAllSubmatchIndex(joined[begins[i]-1:], -1) {
					if at := begins[i] - 1; len(m) == 4 || r.isNameOfSecret(joined[at+m[2]:at+m[3]]) {
						tell(at + m[len(m)-2])
					}
				}
			}
		}
		if i == 0 || from[i-1] >= 0 || len(arg) == 0 || len(args[i-1]) < 2 || args[i-1][0] != '-' || len(args[i-1]) > maxName {
			continue
		}
		flag := args[i-1]
		if arg[0] != '-' && bytes.IndexByte(flag, '=') < 0 && r.isNameOfSecret(flag) {
			tell(begins[i])
		} else if m := userPassword().FindSubmatchIndex(joined[begins[i-1]-1 : min(begins[i]+sure, begins[i]+len(arg))]); m != nil && m[2] > len(flag) {
			if at := begins[i-1] - 1 + m[2]; looksMade(joined[at : begins[i]+len(arg)]) {
				tell(at)
			}
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
