package wire

import (
	"fmt"
	"iter"
	"strings"
)

// A Selector names values in a line. It is a [Pointer] with two more kinds of step for arrays,
// where RFC 6901 has only numbers and "-". In objects every step is a name.
//
//   - "*" is each element.
//   - "[name=value]" is each element that is an object whose member of that name is the string
//     value, or a number, true, false or null with this spelling.
//
// The methods need a line that is JSON, and do not check it.
type Selector []string

// ParseSelector reads a selector such as "/a/*/b" or "/a/[id=x~1y]/b". ~2 stands for a [ at the
// beginning of a name; only names that contain = or end with ] need it.
func ParseSelector(text string) (Selector, error) {
	if text == "" || text[0] != '/' {
		p, err := ParsePointer(text)
		return Selector(p), err
	}
	s := Selector(strings.Split(text[1:], "/"))
	for i, token := range s {
		rest, isName := strings.CutPrefix(token, "~2")
		if isName {
			token = "[" + rest
		}
		step, ok := unescape(token)
		if !ok {
			return nil, fmt.Errorf("pointer %q: want ~0 for ~ and ~1 for /", text)
		}
		if !isName && isHalfChoice(step) {
			return nil, fmt.Errorf("pointer %q: step %q: %s; write ~2 for a [ at the beginning of a name", text, token, wanted(step))
		}
		s[i] = step
	}
	return s, nil
}

// wanted returns what to write in place of a step that looks like a choice but is not one.
func wanted(step string) string {
	if strings.Contains(step, "=") {
		return "write [NAME=VALUE], as in [modelId=gpt-5], with ~1 for a / in it"
	}
	return "write [NAME=VALUE], as in [modelId=gpt-5], or * for each element, or 0 for the first"
}

// choice reads a step of the form [name=value].
func choice(step string) (name, value string, ok bool) {
	inner, opened := strings.CutPrefix(step, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	name, value, ok = strings.Cut(inner, "=")
	return name, value, ok && opened && closed && name != ""
}

// isHalfChoice reports whether a step looks like a choice but is not one.
func isHalfChoice(step string) bool {
	_, _, ok := choice(step)
	return !ok && strings.HasPrefix(step, "[") && (strings.Contains(step, "=") || strings.HasSuffix(step, "]"))
}

func (s Selector) String() string {
	var b strings.Builder
	for _, step := range s {
		text := Pointer{step}.String()
		if isHalfChoice(step) {
			text = "/~2" + text[len("/["):]
		}
		b.WriteString(text)
	}
	return b.String()
}

// Choice returns the name and the value of a step that chooses elements by a member; ok is false
// for any other step.
func (s Selector) Choice(step int) (name, value string, ok bool) { return choice(s[step]) }

// Selects reports whether a step may name several elements.
func (s Selector) Selects(step int) bool {
	_, _, ok := choice(s[step])
	return ok || s[step] == "*"
}

// IsMany reports whether the selector may name several values.
func (s Selector) IsMany() bool {
	for i := range s {
		if s.Selects(i) {
			return true
		}
	}
	return false
}

// Each yields the spans of the values that the selector names in a line, in order. It yields an
// error for an object on the way that it cannot read: ErrAmbiguous or ErrMany, as in [Parse].
// Arrays may have any number of elements.
func (s Selector) Each(line []byte) iter.Seq2[Span, error] {
	return func(yield func(Span, error) bool) {
		if len(s) == 0 {
			yield(Span{0, len(line)}, nil)
			return
		}
		w := newWalk(line, s)
		w.failed = func(err error) bool { return yield(Span{}, err) }
		w.object = func(o *Object, name string) bool {
			m := o.Get(name)
			return m == nil || yield(m.Value, nil)
		}
		w.array = func(at int) bool {
			return w.chosen(at, func(element Span) bool { return yield(element, nil) })
		}
		w.run()
	}
}

// Find returns the first value that the selector names, as it stands in the line. The error is
// ErrNoValue if no such value exists, or the first one of [Selector.Each].
func (s Selector) Find(line []byte) ([]byte, error) {
	for value, err := range s.Each(line) {
		return line[value.Start:value.End], err
	}
	return nil, ErrNoValue
}
