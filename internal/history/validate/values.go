package validate

import (
	"maps"
	"slices"

	"acpshim/internal/history/validate/schema"
)

// Values returns what the protocol has for a term of a filter: the methods, or the kinds of update.
func Values(name string) []string {
	known := map[string]bool{}
	for _, version := range schema.Load() {
		for _, s := range []*schema.Schema{version.Stable, version.Unstable} {
			switch updates := s.Rules["SessionUpdate"]; {
			case name == "method":
				for method := range s.Methods {
					known[method] = true
				}
			case name == "update" && updates != nil:
				for update := range updates.Of {
					known[update] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(known))
}
