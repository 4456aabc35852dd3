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

func difference(changes []Change, at wire.Pointer, before, after any) []Change {
	if reflect.DeepEqual(before, after) {
		return changes
	}
	below := func(name string) wire.Pointer { return append(slices.Clip(at), name) }
	b, isObject := before.(map[string]any)
	a, isStill := after.(map[string]any)
	if isObject && isStill {
		all := maps.Clone(b)
		maps.Copy(all, a)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			was, had := b[name]
			is, has := a[name]
			switch {
			case !has:
				changes = append(changes, Change{below(name).String(), text(was), ""})
			case !had:
				changes = append(changes, Change{below(name).String(), "", text(is)})
			default:
				changes = difference(changes, below(name), was, is)
			}
		}
		return changes
	}
	was, isList := before.([]any)
	is, isStill := after.([]any)
	if isList && isStill {
		for i := range max(len(was), len(is)) {
			here := below(strconv.Itoa(i))
			switch {
			case i >= len(is):
				changes = append(changes, Change{here.String(), text(was[i]), ""})
			case i >= len(was):
				changes = append(changes, Change{here.String(), "", text(is[i])})
			default:
				changes = difference(changes, here, was[i], is[i])
			}
		}
		return changes
	}
	return append(changes, Change{at.String(), text(before), text(after)})
}

func text(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(v)
	return string(bytes.TrimSpace(b.Bytes()))
}
