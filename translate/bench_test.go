package translate

import (
	"fmt"
	"testing"
)

// BenchmarkCompose: what one update of a list costs, with other plans beside it.
func BenchmarkCompose(b *testing.B) {
	var board PlanSet
	for i := range 8 {
		board.Apply(list(Items, fmt.Sprint("plan", i), "one", "two", "three", "four", "five"))
	}
	var dst []byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		board.Apply(list(Items, "plan3", fmt.Sprint("step ", i), "two"))
		dst = AppendPlan(dst[:0], board.Compose(Checklists), nil)
	}
}
