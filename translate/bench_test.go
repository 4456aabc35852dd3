package translate

import (
	"fmt"
	"testing"
)

// BenchmarkCompose measures one update of a list next to other plans.
func BenchmarkCompose(b *testing.B) {
	var set PlanSet
	for i := range 8 {
		set.Apply(list(Items, fmt.Sprint("plan", i), "one", "two", "three", "four", "five"))
	}
	var dst []byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		set.Apply(list(Items, "plan3", fmt.Sprint("step ", i), "two"))
		dst = AppendPlan(dst[:0], set.Compose(Checklists), nil)
	}
}
