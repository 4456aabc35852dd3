package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A suspect is what a shell line runs, or may run, for rules that reject or ask.
type suspect struct {
	runs   []string // commands, as words with one space between them, and as they are written
	may    []string // parts of the text that may be commands
	hidden bool     // some of what it runs is not in the text, or too long
	tried  int      // bytes of both lists
}

// launchers run a command that their own words name. Appenders also add words to it that are not in
// the text, and containers run one only with exec or run.
var (
	launchers = append(strings.Fields("sudo doas env command exec builtin nohup nice ionice time timeout stdbuf setsid watch busybox find eval ssh su chroot unshare nsenter script "+
		"taskset flock strace ltrace firejail bwrap pkexec runuser sg setpriv systemd-run chrt noglob nocorrect repeat"), appenders...)
	appenders  = []string{"xargs", "parallel"}
	containers = []string{"docker", "podman"}
)

// launches reports whether a program runs a command that its own words name.
func launches(words []string) bool {
	name := base(words[0])
	return slices.Contains(launchers, name) ||
		slices.Contains(containers, name) && (slices.Contains(words, "exec") || slices.Contains(words, "run"))
}

// Bounds on what is tried of a command. What is beyond them counts as hidden.
const (
	maxTried    = 256 << 10 // bytes of runs and may
	maxLaunched = 32        // words before a command that another one starts
)

// try adds commands to a list, while there is room.
func (s *suspect) try(list *[]string, commands ...string) {
	for _, command := range commands {
		if s.tried += len(command) + 16; s.tried > maxTried {
			s.hidden = true
			return
		}
		*list = append(*list, command)
	}
}

// line adds what a shell line runs: its commands, and those in its quotes, substitutions, groups
// and loops.
func (s *suspect) line(line string, depth int) {
	if len(line) > maxLine || depth > maxDepth {
		s.hidden = true
		return
	}
	s.try(&s.runs, strings.TrimSpace(line))
	s.pieces(line)
	s.pieces(strings.NewReplacer(`\`, "", `"`, "", "'", "").Replace(line))
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		s.hidden = true
		return
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		if s.tried > maxTried {
			return false
		}
		switch n := node.(type) {
		case *syntax.Stmt:
			if _, isList := n.Cmd.(*syntax.BinaryCmd); !isList {
				s.try(&s.runs, strings.TrimRight(source(line, n), " \t;&|"))
			}
		case *syntax.CallExpr:
			var words []string
			for _, word := range n.Args {
				text, _, isLiteral := literal(word)
				if !isLiteral || strings.ContainsAny(text, `\*?[{`) {
					s.hidden = true
				}
				if !isLiteral {
					text = source(line, word)
				}
				words = append(words, strings.ReplaceAll(text, `\`, ""))
			}
			s.words(words, depth)
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ParamExp, *syntax.ArithmExp, *syntax.FuncDecl, *syntax.Assign:
			s.hidden = true
		}
		return true
	})
}

// source returns the text of a node.
func source(line string, n syntax.Node) string {
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	return line[min(start, len(line)):max(min(start, len(line)), min(end, len(line)))]
}

// words adds the words of a command, and the command that it starts.
func (s *suspect) words(words []string, depth int) {
	if len(words) == 0 {
		return
	}
	isOfShell, adds, isEnv := startsShell(words), false, false
	if isOfShell {
		_, ok := shellLine(words)
		s.hidden = s.hidden || !ok
	}
	isLauncher := isOfShell || launches(words)
	for i, word := range words {
		if i > 0 && !isLauncher {
			break
		}
		if i == maxLaunched {
			s.hidden = true
			break
		}
		of := words[i:]
		s.try(&s.runs, strings.Join(of, " "), strings.Join(append([]string{base(of[0])}, of[1:]...), " "))
		if adds {
			s.try(&s.runs, base(word)+" "+strings.Join(append(of[1:len(of):len(of)], ""), " "))
		}
		if i > 0 && strings.ContainsFunc(word, func(r rune) bool { return !isPlain(r) }) {
			s.line(word, depth+1)
			s.hidden = s.hidden || word[0] == '-' // an option with a line, such as su -c'rm x'
		}
		if i > 0 && !isOfShell && isShell(word) {
			_, ok := shellLine(of)
			s.hidden = s.hidden || !ok
		}
		s.hidden = s.hidden || isEnv && strings.HasPrefix(word, "-") && strings.ContainsAny(word, "Ss") // env -Srm
		adds = adds || isLauncher && slices.Contains(appenders, base(word))
		isEnv = isEnv || base(word) == "env"
		s.hidden = s.hidden || adds
	}
}

// pieces adds the parts of a text between signs that can end a command.
func (s *suspect) pieces(text string) {
	for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("&|;\n\r(){}`$<>\"'", r) }) {
		words := strings.Fields(piece)
		isLauncher := len(words) > 0 && (launches(words) || isShell(words[0]))
		for i := range words {
			if i > 0 && !isLauncher && !strings.Contains(words[i-1], "=") && !isControl(words[i-1]) {
				break
			}
			if i == maxLaunched || s.tried > maxTried {
				s.hidden = true
				return
			}
			s.try(&s.may, strings.Join(words[i:], " "), strings.Join(append([]string{base(words[i])}, words[i+1:]...), " "))
		}
	}
}

// isControl reports whether a command can follow a word.
func isControl(word string) bool {
	return slices.Contains([]string{"!", "if", "then", "elif", "else", "while", "until", "do", "and", "or", "not", "begin"}, word)
}
