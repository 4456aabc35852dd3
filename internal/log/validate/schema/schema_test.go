package schema

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestUnknownKeyword(t *testing.T) {
	text := `{"1":{"stable":{"$defs":{"Error":{"type":["object"],"properties":{"code":{"multipleOf":2}}}}},"unstable":{}}}`
	if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), `"multipleOf"`) {
		t.Errorf("error %v", err)
	}
}

// Each method has rules for its messages, and each rule that another one refers to exists.
func TestRulesAreThere(t *testing.T) {
	for version, v := range Load() {
		for _, s := range []*Schema{v.Stable, v.Unstable} {
			if len(s.Methods) < 15 || s.Rules["Error"] == nil {
				t.Errorf("version %s has %d methods", version, len(s.Methods))
			}
			for name, m := range s.Methods {
				if (m.Request == "") != (m.Result == "") || m.Request == "" && m.Notification == "" {
					t.Errorf("version %s: %s is %+v", version, name, m)
				}
			}
			for name, rule := range s.Rules {
				eachRef(rule, func(ref string) {
					if s.Rule(ref) == nil {
						t.Errorf("version %s: %s refers to %s, which does not exist", version, name, ref)
					}
				})
			}
		}
	}
}

func eachRef(r *Rule, do func(ref string)) {
	if r.Ref != "" {
		do(r.Ref)
	}
	eachChild(r, func(child *Rule) { eachRef(child, do) })
}

func eachChild(r *Rule, do func(child *Rule)) {
	for _, child := range slices.Concat(r.Any, r.One, []*Rule{r.Values, r.Items, r.Others}, slices.Collect(maps.Values(r.Properties)), slices.Collect(maps.Values(r.Of))) {
		if child != nil {
			do(child)
		}
	}
}
