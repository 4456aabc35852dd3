// Package table has the facts of the protocol's schemas: types, required members,
// constants, unions, and where readers are lenient. It is made of the schemas by
// package generate.
package table

import (
	_ "embed"
	"encoding/json"
	"maps"
	"sync"
)

//go:generate go run ./generate ../../../../../shared/schema table.json

//go:embed table.json
var source []byte

// A Table has a Schema for each version.
type Table map[string]*Version

// A Version is one of the protocol, by its number. Unstable has, of what it has in common
// with Stable, only what differs, until it is loaded.
type Version struct {
	Stable   *Schema `json:"stable"`
	Unstable *Schema `json:"unstable"`
}

// A Schema says what messages are like.
type Schema struct {
	Methods map[string]*Method `json:"methods"`
	Rules   map[string]*Rule   `json:"rules"` // by the names of types
}

// A Method names the rules of its messages; "" is one that there is not. Handlers are
// "agent", "client", "protocol" (either) and "proxy".
type Method struct {
	Request             string `json:"request,omitempty"` // of params
	Result              string `json:"result,omitempty"`
	Handler             string `json:"handler,omitempty"`      // who gets the request
	Notification        string `json:"notification,omitempty"` // of params
	NotificationHandler string `json:"notification_handler,omitempty"`
}

// A Rule is what a value has to be. All that is set has to hold, as in JSON Schema.
type Rule struct {
	Ref        string           `json:"ref,omitempty"` // the name of a rule
	Types      []string         `json:"type,omitempty"`
	Enum       []any            `json:"enum,omitempty"` // strings and numbers
	Properties map[string]*Rule `json:"props,omitempty"`
	Required   []string         `json:"req,omitempty"`
	Values     *Rule            `json:"values,omitempty"` // of members that are not in Properties
	Items      *Rule            `json:"items,omitempty"`
	MinItems   int              `json:"minItems,omitempty"`
	MinLength  int              `json:"minLength,omitempty"` // in runes
	Min        *float64         `json:"min,omitempty"`
	Max        *float64         `json:"max,omitempty"`
	All        []*Rule          `json:"all,omitempty"`
	Any        []*Rule          `json:"any,omitempty"` // at least one holds
	One        []*Rule          `json:"one,omitempty"` // exactly one holds
	Not        *Rule            `json:"not,omitempty"`

	// Readers take the default for a value that breaks the rule, leave out items
	// that do, and take the default for null.
	DefaultOnError bool `json:"lenient,omitempty"`
	SkipInvalid    bool `json:"skip,omitempty"`
	DefaultOnNull  bool `json:"null,omitempty"`
}

// Load returns the table, which must not be changed.
var Load = sync.OnceValue(func() Table {
	var t Table
	if err := json.Unmarshal(source, &t); err != nil {
		panic(err) // a test loads it
	}
	for _, v := range t {
		v.Unstable.Methods = overlaid(v.Stable.Methods, v.Unstable.Methods)
		v.Unstable.Rules = overlaid(v.Stable.Rules, v.Unstable.Rules)
	}
	return t
})

func overlaid[T any](below, above map[string]T) map[string]T {
	all := maps.Clone(below)
	maps.Copy(all, above)
	return all
}
