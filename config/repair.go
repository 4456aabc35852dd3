package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// maxRepairs bounds how often a source is read again.
const maxRepairs = 20

// decode reads the source. What the parser would stop at is reported and taken out,
// as far as it is a value without quotes or a key that is there twice: the rest is
// looked at, too. Ok is false if that was not possible.
func (f *configFile) decode() (tree map[string]any, root *node, ok bool) {
	source, last := f.source, -2 // last is where the parser stopped, -1 if it did not say
	for range maxRepairs {
		s := newScanner(source)
		root = s.scan()
		if s.deep != (position{}) {
			f.report(s.deep, fmt.Sprintf("is more than %d tables and lists deep", maxDepth), "")
			return nil, nil, false
		}
		tree = map[string]any{}
		_, err := toml.Decode(source, &tree)
		target := s.againAt
		var syntax toml.ParseError
		switch {
		case errors.As(err, &syntax):
			if target = syntax.Position.Start; target <= last {
				return nil, nil, false // it stops at what was made of the fault
			}
			last = target
		case err != nil:
			f.reportSyntax(err)
			return nil, nil, false
		case s.again == (position{}):
			return tree, root, true
		}
		wrong := faultAt(source, target)
		isTwice := err == nil || strings.Contains(syntax.Message, "already")
		if wrong.first > 0 && !isTwice {
			wrong.end = 0 // what follows a key or header that is none is not clear
		}
		if wrong.first > 0 && isTwice {
			f.report(wrong.at, fmt.Sprintf("the key is set already, or one that it goes through, in line %d", wrong.first), "")
		} else {
			f.reportSyntax(err)
		}
		if wrong.end == 0 {
			return nil, nil, false
		}
		f.broken = append(f.broken, wrong.at)
		source = wrong.without(source)
	}
	return nil, nil, false
}

// A fault is a part of a source that the parser does not take: a value that is no
// string, or a key with its value, or a header with what is below it, that is there
// for the second time.
type fault struct {
	start, end int // end is 0 if there is none
	at         position
	first      int // the line in which the key is set, too; 0 for a value

	open bool // a header of which the end is not found yet
}

// faultAt returns the fault that has a byte of the source in its value, key or
// header.
func faultAt(source string, target int) fault {
	s := newScanner(source)
	s.target = target
	s.scan()
	return s.fault
}

// fails notes that a key, or a header, begins at start and ends here, and leads to
// n; it reports whether the target is in it.
func (s *scanner) fails(start int, n *node, header bool) bool {
	if s.target < start || s.target >= s.at {
		return false
	}
	s.fault = fault{start: start, at: s.named, first: n.key.line, open: header}
	if s.through != nil {
		s.fault.first = s.through.key.line
	}
	return true
}

// close ends a fault that is open at a header, or at the end of the source.
func (f *fault) close(at int, isHeader bool) {
	if f.open && isHeader {
		f.open, f.end = false, at
	}
}

// without returns the source with space in place of the fault, and a number in place
// of a value. Each byte stays where it is.
func (f fault) without(source string) string {
	end := f.end
	if rest := strings.TrimLeft(source[end:], " \t\r\n"); f.first > 0 && strings.HasPrefix(rest, ",") {
		end = len(source) - len(rest) + 1
	}
	blank := []byte(source[f.start:end])
	for i, c := range blank {
		if c != '\n' {
			blank[i] = ' '
		}
	}
	if f.first == 0 && len(blank) > 0 {
		blank[0] = '0'
	}
	return source[:f.start] + string(blank) + source[end:]
}

// isBroken reports whether what stands at a place was taken out.
func (f *configFile) isBroken(at position) bool {
	return at != (position{}) && slices.Contains(f.broken, at)
}
