package proxy

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"acpshim/internal/chain/wire"
)

// BenchmarkRelay measures lines that pass.
func BenchmarkRelay(b *testing.B) {
	for _, size := range []int{250, 8 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			block := bytes.Repeat(append(bytes.Repeat([]byte("x"), size-1), '\n'), max(1, (1<<20)/size))
			p := pump{to: io.Discard, look: wire.Base{}, limit: 1 << 24, buf: make([]byte, 0, bufferSize)}
			b.SetBytes(int64(len(block)))
			b.ReportAllocs()
			for b.Loop() {
				for rest := block; len(rest) > 0; {
					n := min(len(rest), bufferSize)
					p.buf = append(p.buf[:0], rest[:n]...)
					rest = rest[n:]
					p.forward(false)
				}
			}
		})
	}
}
