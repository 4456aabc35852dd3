package validate

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/dev/growth"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// The time to check a record grows with its length, however many methods are in it.
func TestManyMethods(t *testing.T) {
	growth.Linear(t, "methods", 2000, func(size int) func() {
		var b strings.Builder
		for i := range size {
			fmt.Fprintf(&b, `{"kind":"message","seq":%d,"dir":"agent","len":1,"msg":{"jsonrpc":"2.0","method":"_x/m%d","params":{}}}`+"\n", i+1, i)
		}
		h, err := history.Read(record.NewReader(strings.NewReader(b.String())))
		if err != nil {
			t.Fatal(err)
		}
		return func() { Check(h) }
	})
}
