package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"acpshim/filters/rule"

	"github.com/go-json-experiment/json/jsontext"
)

func places(to *[]rule.Setting) setting {
	return table(to, `{ "/params/cwd" = "/srv" }`, func(pointer string, v any, n *node) error {
		value, err := toJSON(v, n)
		*to = append(*to, rule.Setting{Pointer: pointer, Value: value})
		return err
	})
}

func renamings(to *[]rule.Renaming) setting {
	return table(to, `{ "/params/planId" = "id" }`, func(pointer string, v any, _ *node) error {
		name, err := inQuotes(v, "the new name")
		if err == nil {
			*to = append(*to, rule.Renaming{Pointer: pointer, Name: name})
		}
		return err
	})
}

func jsonTable(to *map[string]jsontext.Value) setting {
	return table(to, `{ "/params/update/status" = "failed" }`, func(pointer string, v any, n *node) error {
		value, err := toJSON(v, n)
		put(to, pointer, value)
		return err
	})
}

func textTable(to *map[string]string) setting {
	return table(to, `{ "/params/update/title" = "Read *" }`, func(pointer string, v any, _ *node) error {
		text, err := inQuotes(v, "a text")
		if err == nil {
			put(to, pointer, text)
		}
		return err
	})
}

// inQuotes returns a value that has to be a string.
func inQuotes(v any, what string) (string, error) {
	text, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("want %s in quotes, not %s", what, describe(v))
	}
	return text, nil
}

// reply reads one part of a reply, to which of returns a pointer.
func reply(to **rule.Reply, of func(*rule.Reply) *jsontext.Value) setting {
	s := setting{value: func() any {
		if *to == nil {
			return jsontext.Value(nil)
		}
		return *of(*to)
	}}
	s.set = func(v any, n *node) error {
		value, err := toJSON(v, n)
		if err != nil {
			return err
		}
		if *to == nil {
			*to = &rule.Reply{}
		}
		*of(*to) = value
		return nil
	}
	return s
}

// inOrder returns the names of a table in the order of the file.
func (n *node) inOrder(table map[string]any) []string {
	return slices.SortedFunc(maps.Keys(table), func(a, b string) int {
		at, bt := n.member(a).key, n.member(b).key
		return cmp.Or(cmp.Compare(at.line, bt.line), cmp.Compare(at.column, bt.column), cmp.Compare(a, b))
	})
}

// toJSON returns a value as JSON, with members in the order of the file, numbers in the spelling of
// the file if JSON allows it, and dates as strings. It returns an error for inf and nan.
func toJSON(value any, n *node) (jsontext.Value, error) { return appendJSON(nil, value, n) }

func appendJSON(b jsontext.Value, value any, n *node) (jsontext.Value, error) {
	var wrong partErrors
	switch v := value.(type) {
	case string:
		return jsontext.AppendQuote(b, v)
	case bool:
		return strconv.AppendBool(b, v), nil
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case float64:
		number, err := floatToJSON(v, n.text)
		return append(b, number...), err
	case map[string]any:
		b = append(b, '{')
		for i, name := range n.inOrder(v) {
			var err error
			b, _ = jsontext.AppendQuote(comma(b, i), name)
			b, err = appendJSON(append(b, ':'), v[name], n.member(name))
			wrong = wrong.with(name, err)
		}
		return append(b, '}'), wrong.orNil()
	case []map[string]any:
		elements := make([]any, len(v))
		for i := range v {
			elements[i] = v[i]
		}
		return appendJSON(b, elements, n)
	case []any:
		b = append(b, '[')
		for i, element := range v {
			var err error
			b, err = appendJSON(comma(b, i), element, n.element(i))
			wrong = wrong.with(i, err)
		}
		return append(b, ']'), wrong.orNil()
	}
	return jsontext.AppendQuote(b, n.text)
}

// comma appends a comma unless i is 0.
func comma(b jsontext.Value, i int) jsontext.Value {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

// floatToJSON returns a number in the spelling of the file, if JSON allows it.
func floatToJSON(v float64, text string) (jsontext.Value, error) {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil, fmt.Errorf("JSON has no %s", text)
	}
	spelled := jsontext.Value(strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+"))
	if !spelled.IsValid() {
		return json.Marshal(v)
	}
	return spelled, nil
}

// fromJSON returns a value of toJSON as TOML.
func fromJSON(value jsontext.Value) string {
	d := jsontext.NewDecoder(bytes.NewReader(value))
	return nextFromJSON(d)
}

func nextFromJSON(d *jsontext.Decoder) string {
	switch d.PeekKind() {
	case '{':
		var members [][2]string
		for d.ReadToken(); d.PeekKind() != '}'; {
			token, _ := d.ReadToken()
			name := token.String() // the next token invalidates this one
			members = append(members, [2]string{name, nextFromJSON(d)})
		}
		d.ReadToken()
		return braces(members, func(m [2]string) (string, string) { return m[0], m[1] })
	case '[':
		var elements []string
		for d.ReadToken(); d.PeekKind() != ']'; {
			elements = append(elements, nextFromJSON(d))
		}
		d.ReadToken()
		return brackets(elements, strings.Clone)
	case '"':
		token, _ := d.ReadToken()
		return quote(token.String())
	}
	number, _ := d.ReadValue()
	return string(number)
}
