package record

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acpshim/internal/record/store"
	"acpshim/proxy"
)

// BenchmarkRecording measures a burst through two pipes and a pump, with and
// without a record in turn, so that both see the same machine.
func BenchmarkRecording(b *testing.B) {
	for _, c := range []struct{ size, count int }{{250, 20_000}, {250, 400_000}, {8 << 10, 20_000}, {1 << 20, 200}} {
		b.Run(fmt.Sprintf("%dx%d", c.count, c.size), func(b *testing.B) {
			block := messages(c.size)
			total := c.count * c.size / len(block) * len(block)
			var plain, recorded time.Duration
			dir := b.TempDir()
			n := 0
			for b.Loop() {
				n++
				plain += burst(b, block, total, nil)
				r := begin(b, Options{Dir: dir, KeepBytes: 200 << 20})
				recorded += burst(b, block, total, r.Tap(Agent))
				if err := r.Close(Outcome{}); err != nil {
					b.Fatal(err)
				}
				paths, _ := store.Parts(filepath.Join(dir, r.Name()))
				for _, p := range paths {
					os.Remove(p)
				}
			}
			mb := float64(total) * float64(n) / 1e6
			b.ReportMetric(mb/plain.Seconds(), "plain-MB/s")
			b.ReportMetric(mb/recorded.Seconds(), "recorded-MB/s")
			b.ReportMetric(plain.Seconds()/recorded.Seconds(), "ratio")
		})
	}
}

// messages is about a megabyte of lines of that size.
func messages(size int) []byte {
	const head = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_0","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`
	text := strings.Repeat(`Some words of an answer, \"quoted\". `, size/36+1)[:size-len(head)-len(`"}}}}`)-1]
	if strings.HasSuffix(text, `\`) {
		text = text[:len(text)-1] + "."
	}
	return bytes.Repeat([]byte(head+text+`"}}}}`+"\n"), max(1, (1<<20)/size))
}

// burst sends total bytes through a pump and returns how long it took.
func burst(t testing.TB, block []byte, total int, tap proxy.Tap) time.Duration {
	t.Helper()
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	go func() {
		for n := 0; n < total; n += len(block) {
			inW.Write(block)
		}
		inW.Close()
	}()
	go func() {
		proxy.RelayTapped(outW, inR, nil, tap, 16<<20)
		outW.Close()
	}()
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{outR}, make([]byte, 256<<10))
	if err != nil || int(n) != total {
		t.Fatalf("%d of %d bytes, %v", n, total, err)
	}
	return time.Since(began)
}
