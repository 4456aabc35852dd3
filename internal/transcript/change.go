package transcript

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"acpshim/internal/wire"
)

// A Change is a place at which two messages differ. Before is "" if there is
// nothing, and After likewise.
type Change struct {
	Pointer       string // "" is the whole message
	Before, After string // as JSON on one line, names sorted
}

// Where is the place in words.
func (c Change) Where() string {
	if c.Pointer == "" {
		return "the whole message"
	}
	return c.Pointer
}

// Changes returns the places at which two messages differ, in their order by
// name. There are none if the two say the same in another spelling. Ok is false
// if one of them is no JSON.
func Changes(before, after []byte) (changes []Change, ok bool) {
	b, okBefore := value(before)
	a, okAfter := value(after)
	if !okBefore || !okAfter {
		return nil, false
	}
	return difference(nil, nil, b, a), true
}

// value reads a message. Numbers stay as they are spelled.
func value(line []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))))
	d.UseNumber()
	err := d.Decode(&v)
	return v, err == nil
}

// difference appends the changes at and below a place.
func difference(changes []Change, at wire.Pointer, before, after any) []Change {
	if reflect.DeepEqual(before, after) {
		return changes
	}
	names, ok := members(before, after)
	if !ok {
		return append(changes, Change{at.String(), text(before), text(after)})
	}
	for _, name := range names {
		below := append(slices.Clip(at), name)
		was, had := member(before, name)
		is, has := member(after, name)
		switch {
		case !has:
			changes = append(changes, Change{below.String(), text(was), ""})
		case !had:
			changes = append(changes, Change{below.String(), "", text(is)})
		default:
			changes = difference(changes, below, was, is)
		}
	}
	return changes
}

// members are the names of what is in two objects, or two lists; not ok is anything else.
func members(before, after any) (names []string, ok bool) {
	switch b := before.(type) {
	case map[string]any:
		a, ok := after.(map[string]any)
		all := maps.Clone(b)
		maps.Copy(all, a)
		return slices.Sorted(maps.Keys(all)), ok
	case []any:
		a, ok := after.([]any)
		for i := range max(len(a), len(b)) {
			names = append(names, strconv.Itoa(i))
		}
		return names, ok
	}
	return nil, false
}

// member is that of a name, in an object or a list.
func member(of any, name string) (v any, ok bool) {
	if list, isList := of.([]any); isList {
		i, _ := strconv.Atoi(name)
		if i >= len(list) {
			return nil, false
		}
		return list[i], true
	}
	v, ok = of.(map[string]any)[name]
	return v, ok
}

// text is a value as JSON on one line.
func text(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(v)
	return string(bytes.TrimSpace(b.Bytes()))
}
