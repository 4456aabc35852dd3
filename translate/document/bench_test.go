package document

import (
	"fmt"
	"testing"
)

func BenchmarkRender(b *testing.B) {
	document := "# Plan\n\nSome words.\n\n"
	for i := range 40 {
		document += fmt.Sprintf("- [ ] step %d of the `plan`\n", i)
	}
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		Render(document)
	}
}
