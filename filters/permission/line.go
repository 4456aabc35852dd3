package permission

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds on what is read of a line. A longer or deeper one is not read.
const (
	maxLine  = 16 << 10 // bytes
	maxDepth = 4        // shells in shells
)

// plain returns the commands that a shell line runs, if nothing in it can mean anything else: the
// words of each are letters, digits and a few signs, and the commands stand between && || ; | & and
// line ends. Shells differ in all other signs, so a line with one of them is not plain, and why
// says with what. If a command is itself a shell with a line, that line is read in its place.
func plain(line string, depth int) (parts []string, why string) {
	if len(line) > maxLine || depth > maxDepth {
		return nil, "more than acpshim reads"
	}
	if i := strings.IndexFunc(line, func(r rune) bool { return !isPlain(r) && !strings.ContainsRune(" \t\n&|;'\"", r) }); i >= 0 {
		return nil, "the sign " + string([]rune(line[i:])[:1])
	}
	file, err := syntax.NewParser(syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
	if err != nil || len(file.Last) > 0 {
		return nil, "what is not a shell line"
	}
	if len(file.Stmts) == 0 {
		return nil, "no word"
	}
	for _, s := range file.Stmts {
		of, why := plainStatement(s, depth)
		if why != "" {
			return nil, why
		}
		parts = append(parts, of...)
	}
	return parts, ""
}

func plainStatement(s *syntax.Stmt, depth int) (parts []string, why string) {
	if s.Negated || s.Coprocess || s.Disown || len(s.Redirs) > 0 || len(s.Comments) > 0 {
		return nil, "more than commands"
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op != syntax.AndStmt && c.Op != syntax.OrStmt && c.Op != syntax.Pipe {
			return nil, "more than commands"
		}
		left, why := plainStatement(c.X, depth)
		right, whyRight := plainStatement(c.Y, depth)
		if why == "" {
			why = whyRight
		}
		return append(left, right...), why
	case *syntax.CallExpr:
		if len(c.Assigns) > 0 {
			return nil, "an assignment"
		}
		var words []string
		for _, word := range c.Args {
			text, isQuoted, isLiteral := literal(word)
			if !isLiteral {
				return nil, "more than words"
			}
			if isQuoted && !startsShell(words) {
				return nil, "quotes"
			}
			words = append(words, text)
		}
		return plainWords(words, depth)
	}
	return nil, "more than commands"
}

// plainWords is plain for the words of one command. Those of a shell must end with its line.
func plainWords(words []string, depth int) (parts []string, why string) {
	if startsShell(words) {
		line, ok := shellLine(words)
		if !ok {
			return nil, "a shell whose line acpshim does not see"
		}
		return plain(line, depth+1)
	}
	for i, word := range words {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !isPlain(r) }) {
			return nil, "words that need quotes"
		}
		if i+1 < len(words) && isShell(word) && strings.ContainsAny(words[i+1][:min(len(words[i+1]), 1)], "-/") {
			return nil, "a shell that another program starts"
		}
	}
	if len(words) == 0 || strings.Contains(words[0], "=") {
		return nil, "an assignment"
	}
	return []string{strings.Join(words, " ")}, ""
}

// isPlain reports whether a rune of a word means itself in every shell.
func isPlain(r rune) bool {
	return unicode.IsLetter(r) || '0' <= r && r <= '9' || strings.ContainsRune("-_./:@+=,%~", r)
}

// literal returns the text of a word, if no shell changes it.
func literal(word *syntax.Word) (text string, isQuoted, isLiteral bool) {
	for _, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			text += p.Value
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", true, false
			}
			text, isQuoted = text+p.Value, true
		case *syntax.DblQuoted:
			isQuoted = true
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok || p.Dollar {
					return "", true, false
				}
				text += lit.Value
			}
		default:
			return "", isQuoted, false
		}
	}
	return text, isQuoted, true
}

// shells are the programs that run a line of text. Those whose lines acpshim reads come first.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "mksh", "rbash", "csh", "tcsh", "nu", "elvish", "xonsh", "pwsh", "powershell", "cmd", "wsl"}

const readable = 6 // of the shells

// isShell reports whether a word names a shell.
func isShell(word string) bool { return slices.Contains(shells, base(word)) }

// base returns the name of a program without its folder and without .exe.
func base(word string) string {
	return strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(word, `\`, "/"))), ".exe")
}

// startsShell reports whether the words of a command start a shell, also through env or busybox.
func startsShell(words []string) bool {
	for i, word := range words {
		switch {
		case isShell(word):
			return true
		case i == 0 && (base(word) == "env" || base(word) == "busybox"):
		case base(words[0]) != "env" || !strings.HasPrefix(word, "-") && !strings.Contains(word, "="):
			return false
		}
	}
	return false
}

// shellLine returns the line that the words of a command give to a shell, such as bash -lc LINE.
// The shell must be the system's, without variables and with options that change nothing else: -i
// reads the aliases of the user.
func shellLine(words []string) (line string, ok bool) {
	if name := base(words[0]); name == "env" || name == "busybox" {
		if !isSystems(words[0]) {
			return "", false
		}
		words = words[1:]
	}
	if len(words) < 3 || !isSystems(words[0]) || !slices.Contains(shells[:readable], path.Base(words[0])) {
		return "", false
	}
	options, hasLine := words[1:len(words)-1], false
	for i, option := range options {
		switch {
		case slices.Contains([]string{"--login", "--noprofile", "--norc"}, option):
		case len(option) > 1 && option[0] == '-' && strings.Trim(option[1:], "lceux") == "":
			hasLine = hasLine || strings.Contains(option, "c") && i == len(options)-1
		default:
			return "", false
		}
	}
	return words[len(words)-1], hasLine
}

// isSystems reports whether a program is found by its name, or in a folder of the system.
func isSystems(program string) bool {
	folder := path.Dir(program)
	return !strings.Contains(program, "/") || slices.Contains([]string{"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"}, folder)
}
