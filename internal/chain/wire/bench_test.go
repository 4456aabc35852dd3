package wire

import (
	"fmt"
	"strings"
	"testing"
)

func update(size int) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":%q}}}}`+"\n", strings.Repeat("words ", size/6))
}

func BenchmarkPeekHead(b *testing.B) {
	line := update(250)
	stop := func(h Head) bool { return h.SessionUpdate != nil }
	b.ReportAllocs()
	for b.Loop() {
		PeekHead(line, stop)
	}
}

func BenchmarkParse(b *testing.B) {
	for _, size := range []int{250, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			line := update(size)
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(line, "params", "params.update", "params.update.plan"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSplice(b *testing.B) {
	line := update(250)
	msg, err := Parse(line, "params")
	if err != nil {
		b.Fatal(err)
	}
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = Splice(dst[:0], line, Edit{msg.Open("params").Get("update").Value, []byte(`{}`)})
	}
}
