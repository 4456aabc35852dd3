package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"acpshim/filters/rule"

	"github.com/go-json-experiment/json/jsontext"
)

// texts is list for what may be a single text, too.
func texts(to *[]string, what string) setting {
	s := list(to, what, func(string) error { return nil })
	set := s.set
	s.set = func(v any) error {
		if _, ok := v.(string); ok {
			v = []any{v}
		}
		return set(v)
	}
	return s
}

// table reads a table: add is called with each name and its value, in the order of the file.
func table[T any](to *T, example string, add func(name string, value any, n *node) error) setting {
	s := settingOf(to, nil)
	s.setAt = func(v any, n *node) error {
		members, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("want a table such as %s, not %s", example, describe(v))
		}
		var wrong inside
		for _, name := range n.inOrder(members) {
			if err := add(name, members[name], n.member(name)); err != nil {
				wrong = append(wrong, part{name, err})
			}
		}
		if wrong != nil {
			return wrong
		}
		return nil
	}
	return s
}

func places(to *[]rule.Setting) setting {
	return table(to, `{ "/params/cwd" = "/srv" }`, func(pointer string, v any, n *node) error {
		value, err := toJSON(v, n)
		*to = append(*to, rule.Setting{Pointer: pointer, Value: value})
		return err
	})
}

func renamings(to *[]rule.Renaming) setting {
	return table(to, `{ "/params/planId" = "id" }`, func(pointer string, v any, _ *node) error {
		name, ok := v.(string)
		if !ok {
			return fmt.Errorf("want the new name in quotes, not %s", describe(v))
		}
		*to = append(*to, rule.Renaming{Pointer: pointer, Name: name})
		return nil
	})
}

// mapping is table for a map. What is in it already stays.
func mapping[V any](to *map[string]V, example string, read func(name string, v any, n *node) (V, error)) setting {
	return table(to, example, func(name string, v any, n *node) error {
		value, err := read(name, v, n)
		if *to == nil {
			*to = map[string]V{}
		}
		(*to)[name] = value
		return err
	})
}

func jsonTable(to *map[string]jsontext.Value) setting {
	return mapping(to, `{ "/params/update/status" = "failed" }`, func(_ string, v any, n *node) (jsontext.Value, error) {
		return toJSON(v, n)
	})
}

func textTable(to *map[string]string) setting {
	return mapping(to, `{ "/params/update/title" = "Read *" }`, func(_ string, v any, _ *node) (text string, err error) {
		err = typed(&text, "a text in quotes", nil).set(v)
		return text, err
	})
}

// reply reads the part of a reply that of returns.
func reply(to **rule.Reply, of func(*rule.Reply) *jsontext.Value) setting {
	s := setting{value: func() any {
		if *to == nil {
			return jsontext.Value(nil)
		}
		return *of(*to)
	}}
	s.setAt = func(v any, n *node) error {
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

// read sets the setting.
func (s setting) read(value any, n *node) error {
	if s.setAt != nil {
		return s.setAt(value, n)
	}
	return s.set(value)
}

// inOrder returns the names of a table in the order of the file.
func (n *node) inOrder(table map[string]any) []string {
	return slices.SortedFunc(maps.Keys(table), func(a, b string) int {
		at, bt := n.member(a).key, n.member(b).key
		return cmp.Or(cmp.Compare(at.line, bt.line), cmp.Compare(at.column, bt.column), cmp.Compare(a, b))
	})
}

// toJSON returns a value as JSON: members in the order of the file, numbers as
// they are spelled there as far as JSON has that, dates as strings. Infinity and
// what is no number are errors.
func toJSON(value any, n *node) (jsontext.Value, error) {
	switch v := value.(type) {
	case string:
		return jsontext.AppendQuote(nil, v)
	case bool:
		return strconv.AppendBool(nil, v), nil
	case int64:
		return strconv.AppendInt(nil, v, 10), nil
	case float64:
		return floatToJSON(v, n.text)
	case map[string]any:
		return joinJSON('{', '}', n.inOrder(v), func(b jsontext.Value, name string) (jsontext.Value, error) {
			b, _ = jsontext.AppendQuote(b, name)
			value, err := toJSON(v[name], n.member(name))
			if err != nil {
				err = inside{{name, err}}
			}
			return append(append(b, ':'), value...), err
		})
	case []map[string]any:
		return joinJSON('[', ']', v, elementToJSON[map[string]any](n))
	case []any:
		return joinJSON('[', ']', v, elementToJSON[any](n))
	}
	return jsontext.AppendQuote(nil, n.text)
}

// joinJSON puts between brackets what add appends of each element.
func joinJSON[T any](open, end byte, elements []T, add func(jsontext.Value, T) (jsontext.Value, error)) (jsontext.Value, error) {
	b := jsontext.Value{open}
	var wrong inside
	for i, element := range elements {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = add(b, element); err != nil {
			var parts inside
			errors.As(err, &parts)
			wrong = append(wrong, parts...)
		}
	}
	if wrong != nil {
		return nil, wrong
	}
	return append(b, end), nil
}

// elementToJSON appends the next element of the list n.
func elementToJSON[T any](n *node) func(jsontext.Value, T) (jsontext.Value, error) {
	i := -1
	return func(b jsontext.Value, element T) (jsontext.Value, error) {
		i++
		value, err := toJSON(any(element), n.element(i))
		if err != nil {
			err = inside{{i, err}}
		}
		return append(b, value...), err
	}
}

// floatToJSON returns a number as it is spelled in a file.
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

// fromJSON is a value that toJSON returned, as it stands in a file.
func fromJSON(value jsontext.Value) string {
	d := jsontext.NewDecoder(bytes.NewReader(value))
	var read func() string
	read = func() string {
		var parts []string
		switch d.PeekKind() {
		case '{':
			for d.ReadToken(); d.PeekKind() != '}'; {
				name, _ := d.ReadToken()
				text := quoteKey(name.String()) // the token is gone with the next
				parts = append(parts, text+" = "+read())
			}
			d.ReadToken()
			return braces(parts)
		case '[':
			for d.ReadToken(); d.PeekKind() != ']'; {
				parts = append(parts, read())
			}
			d.ReadToken()
			return "[" + strings.Join(parts, ", ") + "]"
		case '"':
			token, _ := d.ReadToken()
			return quote(token.String())
		}
		token, _ := d.ReadValue()
		return string(token)
	}
	return read()
}
