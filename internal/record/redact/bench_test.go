package redact

import (
	"fmt"
	"strings"
	"testing"
)

// sized returns messages of about size bytes, by their content.
func sized(size int) map[string][]byte {
	fill := func(text string) string { return strings.Repeat(text, size/len(text)) }
	return map[string][]byte{
		"prose":     []byte(chunk(fill("The parser reads a token after the other, and says where it stopped: at line 12.\n"))),
		"code":      []byte(chunk(fill("\tif err := s.next(ctx, \"key\"); err != nil {\n\t\treturn fmt.Errorf(\"reading %q: %w\", name, err)\n\t}\n"))),
		"calls":     []byte(chunk(fill("curl -u a:b https://example.com/v1/items\n"))),
		"long call": []byte(chunk(fill("curl -u a:b "))),
		"image":     []byte(request("x", `{"type":"image","data":"`+fill("iVBORw0KGgo/AB+xQm9i")+`"}`)),
		"JSON":      []byte(request("x", `{"a":[`+fill(`{"path":"/srv/a.go","line":12,"ok":true,"kind":"edit"},`)+`{}]}`)),
		"secret":    []byte(request("x", `{"a":[`+fill(`{"api_key":"`+secretWord+`","cwd":"/home/alice/x"},`)+`{}]}`)),
	}
}

func BenchmarkJSON(b *testing.B) {
	for _, size := range []int{8 << 10, 1 << 20} {
		for name, line := range sized(size) {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				r, err := New(Options{Home: "/home/alice", User: "alice"})
				if err != nil {
					b.Fatal(err)
				}
				r.learn(sessionUUID)
				var dst []byte
				b.SetBytes(int64(len(line)))
				b.ReportAllocs()
				for b.Loop() {
					dst = r.Redact(dst[:0], line)
				}
			})
		}
	}
}
