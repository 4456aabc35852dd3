package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
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

// toJSON returns a value as JSON: members in the order of the file, numbers as they are spelled there
// as far as JSON has that, dates as strings. Infinity and what is no number are errors.
func toJSON(value any, n *node) (jsontext.Value, error) {
	var b bytes.Buffer
	err := encode(jsontext.NewEncoder(&b), value, n)
	if err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// encode is toJSON that goes on behind an error.
func encode(e *jsontext.Encoder, value any, n *node) error {
	var wrong inside
	below := func(step any, value any, n *node) {
		if err := encode(e, value, n); err != nil {
			wrong = append(wrong, part{step, err})
		}
	}
	switch v := value.(type) {
	case string:
		return e.WriteToken(jsontext.String(v))
	case bool:
		return e.WriteToken(jsontext.Bool(v))
	case int64:
		return e.WriteToken(jsontext.Int(v))
	case float64:
		number, err := floatToJSON(v, n.text)
		if err != nil {
			number = jsontext.Value("null")
		}
		return cmp.Or(err, e.WriteValue(number))
	case map[string]any:
		e.WriteToken(jsontext.BeginObject)
		for _, name := range n.inOrder(v) {
			e.WriteToken(jsontext.String(name))
			below(name, v[name], n.member(name))
		}
		e.WriteToken(jsontext.EndObject)
	case []map[string]any, []any:
		e.WriteToken(jsontext.BeginArray)
		for i, element := range elements(v) {
			below(i, element, n.element(i))
		}
		e.WriteToken(jsontext.EndArray)
	default: // a date
		return e.WriteToken(jsontext.String(n.text))
	}
	if wrong != nil {
		return wrong
	}
	return nil
}

// elements returns those of a list, which may be one of tables.
func elements(list any) (all []any) {
	all, _ = list.([]any)
	tables, _ := list.([]map[string]any)
	for _, table := range tables {
		all = append(all, table)
	}
	return all
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
