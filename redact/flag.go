package redact

import "bytes"

// flag looks for the value of the flag that begins at i, behind a space.
func (s *scanner) flag(i int) int {
	start := i
	for start < len(s.text) && start < i+4 && s.text[start] == '-' {
		start++
	}
	end := start
	for end < len(s.text) && end < start+maxName && isWord(s.text[end]) {
		end++
	}
	if end == start || end == len(s.text) || s.text[end] != ' ' && s.text[end] != '=' {
		return i
	}
	v := s.valueAt(end + 1)
	if v.end <= v.start || isReference(s.text[v.start:v.end]) {
		return i
	}
	if n := passwordAt(s.text[i:end], s.text[v.start:v.end], s.commandBefore(i)); n > 0 {
		if done := markerEnd(s.text, v.start+n); done > v.start+n {
			return s.keep(done)
		}
		return s.replace(v.start+n, v.end, Key)
	}
	if s.text[end] != ' ' || s.text[v.start] == '-' || s.classify(s.text[start:end]) != secret || markerEnd(s.text, v.start) > v.start {
		return i
	}
	if !v.quoted && !looksMade(s.text[v.start:v.end]) {
		return i
	}
	return s.replace(v.start, v.end, Key)
}

// passwordAt returns where the password begins in the value of a flag that takes
// a user with one, such as curl's -u; 0 for none. Many programs mean a group by it, or
// something else: unless the command before it fetches from a server, it has to look
// like a password.
func passwordAt(flag, value, command []byte) int {
	sure := false
	switch string(flag) {
	case "--proxy-user":
		sure = true
	case "-u", "-U", "--user":
		sure = fetches(command)
	case "-a", "--auth":
	default:
		return 0
	}
	n := bytes.IndexByte(value, ':') + 1
	user, password := value[:max(n-1, 0)], value[n:]
	switch {
	case len(user) == 0 || len(password) == 0 || password[0] == '/' || password[0] == '$',
		wordEnd(user, 0) < len(user) && bytes.IndexByte(user, '@') < 0 && bytes.IndexByte(user, '.') < 0,
		isDecimal(user) && isDecimal(password), // ids of a user and a group
		!sure && !looksMade(password):
		return 0
	}
	return n
}

func isDecimal(text []byte) bool { return len(bytes.Trim(text, "0123456789")) == 0 }

// dashP looks for the password behind the -p at i, which most programs mean
// otherwise.
func (s *scanner) dashP(i int) int {
	if i > s.floor && s.text[i-1] != ' ' {
		return i
	}
	apart, joined := takesPassword(s.commandBefore(i))
	v := s.valueAt(i + 2)
	if !apart && !(joined && !v.spaced) || v.end <= v.start {
		return i
	}
	if done := markerEnd(s.text, v.start); done > v.start {
		return s.keep(done)
	}
	if value := s.text[v.start:v.end]; isReference(value) || isDecimal(value) && len(value) <= 5 { // a port
		return i
	}
	return s.replace(v.start, v.end, Key)
}

// commandReach is how far before a flag its program is looked for, in bytes.
const commandReach = 160

// commandBefore is the command that the flag at i belongs to, as far as it is near.
func (s *scanner) commandBefore(i int) []byte {
	line := s.text[max(s.floor, i-commandReach):i]
	return line[bytes.LastIndexAny(line, "\n;|&")+1:]
}

// fetches reports whether a command is one of a client of HTTP, or names a URL.
func fetches(command []byte) bool {
	return bytes.Contains(command, []byte("curl")) || bytes.Contains(command, []byte("wget")) || bytes.Contains(command, []byte("http"))
}

// takesPassword reports whether -p has a password behind it in a command that
// begins so: behind a space, or only joined to it.
func takesPassword(command []byte) (apart, joined bool) {
	has := func(word string) bool { return bytes.Contains(command, []byte(word)) }
	switch {
	case has("sshpass"), has("login") && (has("docker") || has("podman") || has("helm")):
		return true, true
	case has("mysql"), has("mariadb"):
		return false, true
	}
	return false, false
}

// password looks for what stands behind the word at i in prose and in ~/.netrc.
func (s *scanner) password(i int) int {
	word, ok := bytes.CutPrefix(s.text[i:], []byte("password"))
	if !ok || len(word) == 0 || word[0] > ' ' || !starts(s.text, i) {
		return i
	}
	v := s.valueAt(i + len("password") + 1)
	value := s.text[v.start:v.end]
	if markerEnd(s.text, v.start) > v.start || len(value) == 0 {
		return i
	}
	if before := s.text[max(s.floor, i-commandReach):i]; !bytes.Contains(before, []byte("login ")) || !bytes.Contains(before, []byte("machine ")) && !bytes.Contains(before, []byte("default ")) {
		if !looksMade(value) || value[0] == '*' { // a parameter of a function
			return i
		}
	}
	return s.replace(v.start, v.end, Key)
}
