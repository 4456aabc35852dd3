package document

import (
	"io"
	"strings"
	"unicode/utf8"

	"acpshim/internal/wire"
)

const dagger = "†"

// A need is what a call reads of the state: one of several paths.
type need struct {
	paths []string
	given bool // it can do without: another alternative comes from outside
}

// appendNeeds appends what a value reads, in any string in it.
func appendNeeds(needs []need, value string) []need {
	if !strings.Contains(value, dagger) && !strings.Contains(value, `\u2020`) {
		return needs
	}
	if text, ok := wire.Text([]byte(value)); ok {
		return appendReferences(needs, text)
	}
	dec := newDecoder(value)
	for {
		token, err := dec.ReadToken()
		if err == io.EOF {
			return needs
		}
		if token.Kind() == '"' {
			needs = appendReferences(needs, token.String())
		}
	}
}

// appendReferences appends what a text reads: †state.a is a need, and
// alternatives with || between them are one.
func appendReferences(needs []need, text string) []need {
	const or = "||"
	first := len(needs)
	end := 0 // of the reference before
	for at := 0; ; {
		i := strings.Index(text[at:], dagger)
		if i < 0 {
			break
		}
		at += i
		root, path, size := reference(text[at:])
		if root != "state" && root != "input" {
			at += len(dagger)
			continue
		}
		between := strings.TrimSpace(text[end:at])
		if len(needs) == first || between != or {
			if len(needs) > first && strings.HasPrefix(between, or) {
				needs[len(needs)-1].given = true
			}
			needs = append(needs, need{given: strings.HasSuffix(between, or)})
		}
		n := &needs[len(needs)-1]
		if root == "input" {
			n.given = true
		} else {
			n.paths = append(n.paths, path)
		}
		at += size
		end = at
	}
	if len(needs) > first && strings.HasPrefix(strings.TrimSpace(text[end:]), or) {
		needs[len(needs)-1].given = true
	}
	return needs
}

// maxParts bounds the depth of a path; what is deeper is one with what it is in.
const maxParts = 16

// reference splits what a text begins with, †ROOT.PATH; size is 0 if it begins
// with no reference. A place in a list, [0], is a part of the path like others.
func reference(text string) (root, path string, size int) {
	rest, found := strings.CutPrefix(text, dagger)
	n := word(rest)
	if !found || n == 0 {
		return "", "", 0
	}
	root, rest = rest[:n], rest[n:]
	var parts []string
	for {
		inside, end := rest, 0
		if strings.HasPrefix(rest, ".") {
			inside = rest[1:]
		} else if strings.HasPrefix(rest, "[") {
			inside, end = rest[1:], 1
		} else {
			break
		}
		n := word(inside)
		if n == 0 || end > 0 && !strings.HasPrefix(inside[n:], "]") {
			break
		}
		if len(parts) < maxParts {
			parts = append(parts, inside[:n])
		}
		rest = inside[n+end:]
	}
	if len(parts) == 0 {
		return "", "", 0
	}
	return root, strings.Join(parts, "."), len(text) - len(rest)
}

// word is how many bytes of a text are a name: letters, digits, _ and - inside.
func word(text string) (n int) {
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if next, _ := utf8.DecodeRuneInString(text[n+size:]); r != '_' && !isWord(r) && (r != '-' || n == 0 || !isWord(next)) {
			break
		}
		n += size
	}
	return n
}
