// Package conformance has the rules by which acpshim judges agents and clients, and the report on
// one of them.
package conformance

import (
	"slices"

	"acpshim/internal/chain/wire"
)

// A Level says where a rule comes from.
type Level string

const (
	Must       Level = "MUST"    // a page of the protocol says it
	MustPlus   Level = "MUST+"   // it follows from the schema, JSON-RPC or a definition
	Should     Level = "SHOULD"  // a page says it
	ShouldPlus Level = "SHOULD+" // the protocol does not say it, but peers break
)

// Fails reports whether breaking the rule is a failure, and not only a warning.
func (l Level) Fails() bool { return l == Must || l == MustPlus }

// A Rule is something that an agent or a client has to do.
type Rule struct {
	ID     string
	Level  Level
	Line   string // what is right, as a sentence without a full stop
	Source string // a page of agentclientprotocol.com/protocol/v1, the schema, or JSON-RPC
	Side   wire.Side
}

// Find returns the rule with an id; ok is false if there is none.
func Find(id string) (r Rule, ok bool) {
	i := slices.IndexFunc(table, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return table[i], true
}

// Rules returns the rules for a side, in the order in which reports list them.
func Rules(side wire.Side) (rules []Rule) {
	for _, r := range table {
		if r.Side == side {
			rules = append(rules, r)
		}
	}
	return rules
}

// Names returns the ids of the rules for a side.
func Names(side wire.Side) (names []string) {
	for _, r := range Rules(side) {
		names = append(names, r.ID)
	}
	return names
}
