package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/system/otlp/endpoint"
	"acpshim/internal/text/glob"
	"acpshim/internal/text/spelling"
)

// A setting reads and returns the value of a key. Its errors say what is wanted. Errors about parts
// of the value are partErrors.
type setting struct {
	set    func(value any, n *node) error // sets a value from a file; n may be nil unless order or spelling count
	value  func() any                     // returns the value that set accepts
	values []string                       // all allowed values as in a file; nil if there are many
}

// settingOf returns a setting that keeps its value in to.
func settingOf[T any](to *T, set func(any) error) setting {
	return setting{set: func(v any, _ *node) error { return set(v) }, value: func() any { return *to }}
}

func boolean(to *bool) setting {
	s := settingOf(to, func(v any) error {
		b, ok := v.(bool)
		if !ok {
			return fmt.Errorf("want true or false, not %s", describe(v))
		}
		*to = b
		return nil
	})
	s.values = []string{"true", "false"}
	return s
}

func number(to *int, least, most int64) setting {
	return settingOf(to, func(v any) error {
		n, ok := v.(int64)
		if !ok || n < least || n > most {
			return fmt.Errorf("want a whole number from %d to %d, not %s", least, most, describe(v))
		}
		*to = int(n)
		return nil
	})
}

func duration(to *time.Duration) setting {
	s := settingOf(to, func(v any) error {
		text, _ := v.(string)
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 || d > 24*time.Hour {
			return fmt.Errorf(`want a time such as "5s" or "500ms", at most a day, not %s`, describe(v))
		}
		*to = d
		return nil
	})
	s.value = func() any { return to.String() }
	return s
}

// textOf reads a text. Want describes the texts that ok accepts; nil accepts all. Check returns an
// error of its own, and may be nil.
func textOf(to *string, want string, ok func(string) bool, check func(string) error) setting {
	return settingOf(to, func(v any) error {
		text, isText := v.(string)
		if !isText || ok != nil && !ok(text) {
			return fmt.Errorf("want %s, not %s", want, describe(v))
		}
		*to = text
		if check != nil {
			return check(text)
		}
		return nil
	})
}

func notEmpty(text string) bool { return text != "" }

func text(to *string) setting { return textOf(to, "a text in quotes", notEmpty, nil) }

func oneOf(to *string, words ...string) setting {
	s := settingOf(to, func(v any) error {
		text, _ := v.(string)
		if !slices.Contains(words, text) {
			var quoted []string
			for _, word := range words {
				quoted = append(quoted, quote(word))
			}
			return fmt.Errorf("want %s, not %s", spelling.OneOf(quoted), describe(v))
		}
		*to = text
		return nil
	})
	s.values = words
	return s
}

func oneGlob(to *string) setting { return textOf(to, "a glob in quotes", nil, parsed(glob.Compile)) }

// globs reads a glob, or a list of globs of which one has to match.
func globs(to *[]string, example string) setting {
	s := list(to, "globs", func(pattern string) error {
		if pattern == "" {
			return fmt.Errorf("want a glob such as %s, not \"\"", example)
		}
		if strings.HasPrefix(pattern, "!") {
			return errors.New(`want a glob that does not begin with "!", which inverts nothing here`)
		}
		_, err := glob.Compile(pattern)
		return err
	})
	set := s.set
	s.set = func(v any, n *node) error {
		switch all := v.(type) {
		case string:
			v = []any{all}
		case []any:
			if len(all) == 0 {
				return fmt.Errorf("want a glob such as %s, or a list of globs, not an empty list", example)
			}
		default:
			return fmt.Errorf("want a glob such as %s, or a list of globs, not %s", example, describe(v))
		}
		return set(v, n)
	}
	return s
}

// absolutePath reads a path. Otherwise says what "" means.
func absolutePath(to *string, otherwise string) setting {
	isPath := func(path string) bool { return path == "" || filepath.IsAbs(path) }
	return textOf(to, `an absolute path, or "" for `+otherwise, isPath, nil)
}

func folder(to *string) setting {
	isFolder := func(path string) bool { return filepath.IsAbs(path) && checkArgument(path) == nil }
	return textOf(to, "an absolute folder in quotes", isFolder, nil)
}

func folders(to *[]string) setting {
	return list(to, "absolute folders", func(path string) error {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("want absolute folders in quotes, not %s", describe(path))
		}
		return nil
	})
}

// list reads a list of texts that check accepts.
func list(to *[]string, what string, check func(string) error) setting {
	return settingOf(to, func(v any) error {
		elements, ok := v.([]any)
		if !ok {
			return fmt.Errorf("want a list of %s in quotes, not %s", what, describe(v))
		}
		var texts []string
		var wrong partErrors
		for i, v := range elements {
			text, ok := v.(string)
			err := fmt.Errorf("want %s in quotes, not %s", what, describe(v))
			if ok {
				err = check(text)
			}
			wrong = wrong.with(i, err)
			texts = append(texts, text)
		}
		*to = texts
		return wrong.orNil()
	})
}

// texts is list for a key that also accepts a single text.
func texts(to *[]string, what string) setting {
	s := list(to, what, func(string) error { return nil })
	set := s.set
	s.set = func(v any, n *node) error {
		if _, ok := v.(string); ok {
			v = []any{v}
		}
		return set(v, n)
	}
	return s
}

// table reads a table. It calls add with each name and its value, in the order of the file.
func table[T any](to *T, example string, add func(name string, value any, n *node) error) setting {
	s := settingOf(to, nil)
	s.set = func(v any, n *node) error {
		members, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("want a table such as %s, not %s", example, describe(v))
		}
		var wrong partErrors
		for _, name := range n.inOrder(members) {
			wrong = wrong.with(name, add(name, members[name], n.member(name)))
		}
		return wrong.orNil()
	}
	return s
}

// put adds to a map, which may be nil.
func put[T any](to *map[string]T, name string, value T) {
	if *to == nil {
		*to = map[string]T{}
	}
	(*to)[name] = value
}

// A partErrors is a list of errors about parts of a value.
type partErrors []partError

type partError struct {
	step any // the name of a member, or the index of an element
	err  error
}

func (ps partErrors) Error() string { return ps[0].err.Error() }

func (ps partErrors) Unwrap() error { return ps[0].err }

// with adds an error about a part, unless err is nil.
func (ps partErrors) with(step any, err error) partErrors {
	if err == nil {
		return ps
	}
	return append(ps, partError{step, err})
}

func (ps partErrors) orNil() error {
	if ps == nil {
		return nil
	}
	return ps
}

// at returns an error about the part to which a path with dots leads.
func at(path string, err error) error {
	names := strings.Split(path, ".")
	for _, name := range slices.Backward(names) {
		err = partErrors{{name, err}}
	}
	return err
}

// in returns the node of the part, below the node of the value.
func (p partError) in(value *node) *node {
	if name, ok := p.step.(string); ok {
		return value.member(name)
	}
	return value.element(p.step.(int))
}

// describe returns a value, or what kind of value it is, in words of the file format.
func describe(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%.60q", v)
	case bool, int64, float64:
		return fmt.Sprint(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "a list of tables"
	}
	return "a date"
}

// parsed checks a text by parsing it.
func parsed[T any](parse func(string) (T, error)) func(string) error {
	return func(text string) error {
		_, err := parse(text)
		return err
	}
}

func checkEndpoint(text string) error {
	if text == "" {
		return nil
	}
	_, err := endpoint.Parse(text)
	return err
}

// isVariable reports whether a text can be the name of an environment variable. A header with its
// value is not a name.
func isVariable(name string) bool { return !strings.ContainsAny(name, "=, \x00") }

func checkPointer(pointer string) error {
	p, err := wire.ParsePointer(pointer)
	if err == nil && len(p) == 0 {
		err = fmt.Errorf(`pointer %q: want one to a member, such as "/rawInput/todos"`, pointer)
	}
	return err
}

func checkName(name string) error {
	if name == "" {
		return errors.New(`want names in quotes, not ""`)
	}
	return nil
}

func checkArgument(text string) error {
	if strings.ContainsRune(text, 0) {
		return errors.New("want a text without NUL bytes")
	}
	return nil
}
