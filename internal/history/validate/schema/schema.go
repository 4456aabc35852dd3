// Package schema has the protocol's JSON Schemas without their prose: what a message has
// to be, and what readers do about one that is otherwise.
package schema

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
)

// source is made of the published schemas, and held against them, by TestSchemas: each
// keyword in one spelling, a definition a line, of the unstable ones what differs.
//
//go:embed schema.json
var source []byte

// A Version is one of the protocol.
type Version struct {
	Stable   *Schema `json:"stable"`
	Unstable *Schema `json:"unstable"`
}

// A Schema says what messages are like.
type Schema struct {
	Rules   map[string]*Rule   `json:"$defs"` // by the names of types
	Methods map[string]*Method `json:"-"`
}

// A Method names the rules of its messages; "" is one that there is not. Handlers are
// "agent", "client", "protocol" (either) and "proxy".
type Method struct {
	Request             string // of params
	Result              string
	Handler             string // who gets the request
	Notification        string // of params
	NotificationHandler string
}

// A Rule is what a value has to be: a JSON Schema. All that is set has to hold.
type Rule struct {
	Ref        string           `json:"$ref"` // see [Schema.Rule]
	Types      []string         `json:"type"`
	Enum       []any            `json:"enum"` // strings and numbers
	Properties map[string]*Rule `json:"properties"`
	Required   []string         `json:"required"`
	Values     *Rule            `json:"additionalProperties"` // of members that are not in Properties
	Items      *Rule            `json:"items"`
	MinItems   int              `json:"minItems"`
	MinLength  int              `json:"minLength"` // in runes
	Min        *float64         `json:"minimum"`
	Max        *float64         `json:"maximum"`
	All        []*Rule          `json:"allOf"`
	Any        []*Rule          `json:"anyOf"` // at least one holds
	One        []*Rule          `json:"oneOf"` // exactly one holds
	Not        *Rule            `json:"not"`

	// Readers take the default for a value that breaks the rule, leave out items
	// that do, and take the default for null.
	DefaultOnError bool `json:"x-deserialize-default-on-error"`
	SkipInvalid    bool `json:"x-deserialize-skip-invalid-items"`
	DefaultOnNull  bool `json:"x-deserialize-default-on-null"`

	// Of a type that is the params or the result of a method: its name, and who gets
	// the request or notification.
	Method  string `json:"x-method"`
	Handler string `json:"x-side"`
}

// Rule returns the rule that a Ref, such as "#/$defs/Plan", names; nil if there is none.
func (s *Schema) Rule(ref string) *Rule { return s.Rules[strings.TrimPrefix(ref, "#/$defs/")] }

// Load returns the versions of the protocol by their numbers. They must not be changed.
// The first call takes some milliseconds, the others nothing.
var Load = sync.OnceValue(func() map[string]*Version {
	versions, err := parse(source)
	if err != nil {
		panic(err) // a test loads them
	}
	return versions
})

// parse reads schemas as they are in source. A keyword that it does not know is an
// error: what it means would be lost.
func parse(text []byte) (versions map[string]*Version, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&versions); err != nil {
		return nil, fmt.Errorf("reading the schemas: %w", err)
	}
	for _, v := range versions {
		whole := maps.Clone(v.Stable.Rules)
		maps.Copy(whole, v.Unstable.Rules)
		v.Unstable.Rules = whole
		v.Stable.findMethods()
		v.Unstable.findMethods()
	}
	return versions, nil
}

// findMethods fills Methods by what the rules say that they are of.
func (s *Schema) findMethods() {
	s.Methods = map[string]*Method{}
	for name, rule := range s.Rules {
		if rule.Method == "" {
			continue
		}
		m := s.Methods[rule.Method]
		if m == nil {
			m = &Method{}
			s.Methods[rule.Method] = m
		}
		switch {
		case strings.HasSuffix(name, "Request"):
			m.Request, m.Handler = name, rule.Handler
		case strings.HasSuffix(name, "Response"):
			m.Result = name
		case strings.HasSuffix(name, "Notification"):
			m.Notification, m.NotificationHandler = name, rule.Handler
		}
	}
}
