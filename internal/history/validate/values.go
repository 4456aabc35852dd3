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
			switch name {
			case "method":
				for method := range s.Methods {
					known[method] = true
				}
			case "update":
				addUpdates(known, s.Rules["SessionUpdate"])
			}
		}
	}
	return slices.Sorted(maps.Keys(known))
}

// addUpdates adds the kinds of update that a rule has.
func addUpdates(known map[string]bool, r *schema.Rule) {
	if r == nil {
		return
	}
	if kind := r.Properties["sessionUpdate"]; kind != nil {
		for _, value := range kind.Enum {
			if text, ok := value.(string); ok {
				known[text] = true
			}
		}
	}
	for _, alternative := range slices.Concat(r.All, r.Any, r.One) {
		addUpdates(known, alternative)
	}
}
