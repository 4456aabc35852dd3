// Package schema holds the protocol's JSON Schemas without their prose: the rules for messages, and
// what readers do with wrong values.
package schema

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
)

// source is made from published schemas by .ci/schemas: of the crate agent-client-protocol-schema,
// which has the Apache License 2.0. It has one definition a line, and one form for each keyword and
// union. Of an unstable schema it has only the definitions that differ from the stable one.
//
//go:embed schema.json
var source []byte

// A Version is a version of the protocol.
type Version struct {
	Release  string  `json:"release"` // of the schemas, such as 1.20.0
	Stable   *Schema `json:"stable"`
	Unstable *Schema `json:"unstable"`
}

// A Schema describes the messages of a version.
type Schema struct {
	Rules   map[string]*Rule   `json:"$defs"` // by the names of types
	Methods map[string]*Method `json:"-"`
}

// A Method names the rules for the messages of a method. A name is "" if the method has no such
// message. Handlers are "agent", "client", "protocol" (either) and "proxy".
type Method struct {
	Request             string // the params of a request
	Result              string
	Handler             string // who gets the request
	Notification        string // the params of a notification
	NotificationHandler string
}

// A Rule is a JSON Schema. A value must satisfy everything that is set.
type Rule struct {
	Ref        string           `json:"$ref,omitempty"` // see [Schema.Rule]
	Types      []string         `json:"type,omitempty"`
	Enum       []any            `json:"enum,omitempty"` // strings and numbers
	Properties map[string]*Rule `json:"properties,omitempty"`
	Required   []string         `json:"required,omitempty"`
	Without    []string         `json:"x-without,omitempty"`            // members that the object must not have
	Values     *Rule            `json:"additionalProperties,omitempty"` // for members that are not in Properties
	Items      *Rule            `json:"items,omitempty"`
	MinItems   int              `json:"minItems,omitempty"`
	MinLength  int              `json:"minLength,omitempty"` // in runes
	MaxLength  int              `json:"maxLength,omitempty"`
	Min        *float64         `json:"minimum,omitempty"`
	Max        *float64         `json:"maximum,omitempty"`
	Any        []*Rule          `json:"anyOf,omitempty"` // the value satisfies at least one
	One        []*Rule          `json:"oneOf,omitempty"` // the value satisfies exactly one

	// The value of the member Tag chooses a rule from Of. Others is for all other values. It may be
	// nil: then Properties names the values that are allowed.
	Tag    string           `json:"x-tag,omitempty"`
	Of     map[string]*Rule `json:"x-of,omitempty"`
	Others *Rule            `json:"x-others,omitempty"`

	// What readers do with a value that breaks the rule: they use the default, or skip the wrong
	// items. With DefaultOnNull they use the default for null only.
	DefaultOnError bool `json:"x-deserialize-default-on-error,omitempty"`
	SkipInvalid    bool `json:"x-deserialize-skip-invalid-items,omitempty"`
	DefaultOnNull  bool `json:"x-deserialize-default-on-null,omitempty"`

	// For the params or the result of a method: the method, and who gets the request or
	// notification.
	Method  string `json:"x-method,omitempty"`
	Handler string `json:"x-side,omitempty"`

	// Who knows the names of the rule: its members, the strings that it lists, its tags, and its
	// method. Only the rules of an unstable schema say it.
	Draft []string `json:"x-draft,omitempty"` // the stable schema does not have these
	New   []string `json:"x-new,omitempty"`   // the stable schema has these since its release
	Gone  []string `json:"x-gone,omitempty"`  // strings that only schemas before the release list
}

// Chosen returns the rule that the tag of a value chooses, or nil.
func (r *Rule) Chosen(value any) *Rule {
	object, _ := value.(map[string]any)
	tag, _ := object[r.Tag].(string)
	return cmp.Or(r.Of[tag], r.Others)
}

// Rule returns the rule that a Ref, such as "#/$defs/Plan", names. It returns nil for an unknown
// name.
func (s *Schema) Rule(ref string) *Rule { return s.Rules[strings.TrimPrefix(ref, "#/$defs/")] }

// Load returns the versions of the protocol by their numbers. The caller must not change them.
// The first call takes some milliseconds.
var Load = sync.OnceValue(func() map[string]*Version {
	versions, err := Parse(source)
	if err != nil {
		panic(err) // a test loads them
	}
	return versions
})

// Parse reads schemas in the form of schema.json. An unknown keyword is an error, because the
// validation would ignore it.
func Parse(text []byte) (versions map[string]*Version, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&versions); err != nil {
		return nil, fmt.Errorf("reading the schemas: %w", err)
	}
	for _, v := range versions {
		if v.Stable == nil || v.Unstable == nil {
			return nil, errors.New("reading the schemas: want a stable and an unstable one")
		}
		rules := maps.Clone(v.Stable.Rules)
		maps.Copy(rules, v.Unstable.Rules)
		v.Unstable.Rules = rules
		v.Stable.findMethods()
		v.Unstable.findMethods()
	}
	return versions, nil
}

// findMethods fills Methods from the rules that name a method.
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
