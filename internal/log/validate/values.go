package validate

import (
	"maps"
	"slices"

	"acpshim/internal/log/validate/schema"
)

// Values returns the values that a term of a filter may have: all methods for "method", all kinds
// of update for "update". It is empty for other terms.
func Values(term string) (values []string) {
	for _, version := range schema.Load() {
		s := version.Unstable // has what the stable schema has, too
		switch term {
		case "method":
			values = slices.AppendSeq(values, maps.Keys(s.Methods))
		case "update":
			values = slices.AppendSeq(values, maps.Keys(s.Rules["SessionUpdate"].Of))
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}
