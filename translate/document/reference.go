package document

import (
	"io"
	"strings"
	"unicode/utf8"
)

// dagger begins a reference in a plan of tool calls.
const dagger = "†"

// A need is a value of the state that a call reads from one of several paths.
type need struct {
	paths    []string
	optional bool // there is an alternative outside of the state
}

func (n need) String() string {
	return dagger + "state." + strings.Join(n.paths, " or "+dagger+"state.")
}

// appendNeeds appends the needs in all strings of a raw value.
func appendNeeds(needs []need, value string) []need {
	if !strings.Contains(value, dagger) && !strings.Contains(value, `\u2020`) {
		return needs
	}
	dec := newDecoder(value)
	for {
		token, err := dec.ReadToken()
		if err == io.EOF {
			return needs
		}
		needs = appendReferences(needs, token.String())
	}
}

// appendReferences appends the needs in a text. †state.a is a need. Alternatives, separated by
// ||, are one need. †input.a and words are alternatives outside of the state.
func appendReferences(needs []need, text string) []need {
	const or = "||"
	first := len(needs)
	for text != "" {
		at, size, root, path := findReference(text)
		between := strings.TrimSpace(text[:at])
		follows := len(needs) > first && strings.HasPrefix(between, or)
		if follows && (between != or || size == 0) {
			needs[len(needs)-1].optional = true
		}
		if size == 0 {
			break
		}
		if !follows || between != or {
			needs = append(needs, need{optional: strings.HasSuffix(between, or)})
		}
		n := &needs[len(needs)-1]
		if root == "input" {
			n.optional = true
		} else {
			n.paths = append(n.paths, path)
		}
		text = text[at+size:]
	}
	return needs
}

// findReference finds the first reference to the state or the input in a text. Without one, size is
// 0 and at is the end of the text.
func findReference(text string) (at, size int, root, path string) {
	for {
		i := strings.Index(text[at:], dagger)
		if i < 0 {
			return len(text), 0, "", ""
		}
		at += i
		if root, path, size = cutReference(text[at:]); root == "state" || root == "input" {
			return at, size, root, path
		}
		at += len(dagger)
	}
}

// maxParts is the maximum depth of a path. Deeper parts are ignored.
const maxParts = 16

// cutReference splits the reference †ROOT.PATH at the beginning of a text. Size is 0 if the text
// does not begin with a reference. An index of a list, such as [0], is a part of the path.
func cutReference(text string) (root, path string, size int) {
	rest, found := strings.CutPrefix(text, dagger)
	n := nameSize(rest)
	if !found || n == 0 {
		return "", "", 0
	}
	root, rest = rest[:n], rest[n:]
	var parts []string
	for rest != "" && (rest[0] == '.' || rest[0] == '[') {
		end := 1 + nameSize(rest[1:])
		part := rest[1:end]
		if rest[0] == '[' {
			end++
		}
		if part == "" || end > len(rest) || rest[0] == '[' && rest[end-1] != ']' {
			break
		}
		if len(parts) < maxParts {
			parts = append(parts, part)
		}
		rest = rest[end:]
	}
	if len(parts) == 0 {
		return "", "", 0
	}
	return root, strings.Join(parts, "."), len(text) - len(rest)
}

// nameSize returns the bytes of the name at the beginning of a text: letters, digits, _, and -
// inside.
func nameSize(text string) (n int) {
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if next, _ := utf8.DecodeRuneInString(text[n+size:]); r != '_' && !isWord(r) && (r != '-' || n == 0 || !isWord(next)) {
			break
		}
		n += size
	}
	return n
}
