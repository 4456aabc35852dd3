package telemetry_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"acpshim/internal/record"
	"acpshim/internal/record/telemetry"
	"acpshim/internal/system/otlp"
)

// Long method names of pending requests are not kept. A quarter of the largest number of requests
// takes less than a quarter of 200 MB.
func TestLongMethodNamesOfPendingRequestsAreNotHeld(t *testing.T) {
	const most = 48 << 20
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	var read atomic.Int64
	l := telemetry.Begin(telemetry.LiveOptions{
		Client: &otlp.Client{URL: "http://127.0.0.1:1"}, // nothing listens there
		Line: func(line []byte) []byte {
			read.Add(1)
			return line
		},
	})
	defer l.Close(time.Second)
	before := heap()
	for i := range int64(1 << 14) {
		l.Record(record.Record{Seq: uint64(i + 1), Message: &record.Message{
			Dir: record.Client, Line: fmt.Appendf(nil, `{"id":%d,"method":"_%s"}`+"\n", i, strings.Repeat("m", 8<<10)),
		}})
		if i%256 != 255 {
			continue
		}
		for end := time.Now().Add(10 * time.Second); read.Load() <= i; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d of %d requests were read", read.Load(), i+1)
			}
		}
		if held := heap() - before; held > most {
			t.Fatalf("after %d of %d requests %d MiB are held, want at most %d MiB", i+1, 1<<14, held>>20, most>>20)
		}
	}
}
