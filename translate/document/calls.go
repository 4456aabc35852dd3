package document

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"acpshim/internal/chain/wire"

	"github.com/go-json-experiment/json/jsontext"
)

// A call is a tool call in a plan.
type call struct {
	step
	n      int // its number in the list, from 1
	name   string
	writes string // the path of its result in the state, such as "x.y", or ""
	needs  []need
}

func (c *call) String() string { return fmt.Sprintf("%d (%s)", c.n, clip(c.name, 40)) }

func (r *planReader) addCall(n int, e element) {
	c := call{step: step{line: e.line}, n: n, name: e.members.text("_tool")}
	if c.name == "" {
		r.problems.add("element %d: _tool does not name a tool", n)
		return
	}
	var arguments members
	for _, m := range e.members {
		switch {
		case m.name == "_tool" || m.name == "_outputPath" && (c.writes != "" || m.value == "null"):
		case m.name == "_outputPath":
			path, _ := wire.Text([]byte(m.value))
			if root, name, size := cutReference(path); root == "state" && size == len(path) {
				c.writes = name
			} else {
				r.problems.add("call %s: _outputPath %s: want %q", &c, quoted(path), dagger+"state.NAME")
			}
		default:
			arguments = append(arguments, m)
			c.needs = appendNeeds(c.needs, m.value)
		}
	}
	c.content = describe(c.name, arguments)
	r.calls = append(r.calls, c)
}

// maxArgument is the maximum length of an argument's name, and of its value, in characters.
const maxArgument = 60

// describe returns the text of a call: NAME(argument: value, ...).
func describe(name string, arguments members) string {
	text := name + "("
	for i, a := range arguments {
		if i > 0 {
			text += ", "
		}
		text += clip(oneLine(a.name), maxArgument) + ": " + brief(a.value)
		if utf8.RuneCountInString(text) > maxContent {
			break
		}
	}
	return shorten(text + ")")
}

// brief returns a shortened value on one line. It quotes a string only if that could be mistaken
// for something else.
func brief(value string) string {
	text, ok := wire.Text([]byte(value))
	if !ok {
		return clip(strings.ToValidUTF8(oneLine(value), "\ufffd"), maxArgument)
	}
	text = clip(oneLine(text), maxArgument)
	if text == "" || jsontext.Value(text).IsValid() || strings.ContainsAny(text, `,()[]{}"`) || strings.Contains(text, ": ") {
		return string(wire.Quote(nil, text))
	}
	return text
}
