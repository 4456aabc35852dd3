package redact

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// sized returns messages of about size bytes as agents send them.
func sized(size int) map[string][]byte {
	fill := func(text string) string { return strings.Repeat(text, size/len(text)) }
	return map[string][]byte{
		"prose":  []byte(chunk(fill("The parser reads a token after the other, and says where it stopped: at line 12.\n"))),
		"code":   []byte(chunk(fill("\tif err := s.next(ctx, \"key\"); err != nil {\n\t\treturn fmt.Errorf(\"reading %q: %w\", name, err)\n\t}\n"))),
		"image":  []byte(request("x", `{"type":"image","data":"`+fill("iVBORw0KGgo/AB+xQm9i")+`"}`)),
		"JSON":   []byte(request("x", `{"a":[`+fill(`{"path":"/srv/a.go","line":12,"ok":true,"kind":"edit"},`)+`{}]}`)),
		"secret": []byte(request("x", `{"a":[`+fill(`{"api_key":"`+secretWord+`","cwd":"/home/alice/x"},`)+`{}]}`)),
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
					dst = r.JSON(dst[:0], line)
				}
			})
		}
	}
}

// What is linear takes a fraction of a second; what looks at all the rest of a
// text at each of its bytes takes longer than the limit.
func TestHostileTextsTakeLinearTime(t *testing.T) {
	r := newTest(t)
	for i := range maxSessions {
		r.learn("aaaaaaaa" + strings.Repeat("a", i%200) + fmt.Sprint(i))
	}
	for _, part := range []string{"a", "/", `\`, "%2F", "token:", "token=", "token:'", `token:\"`, "cookie:", "cookie=", "sk-", "eyJ", "eyJ.", "eyJ-", `{"`, `{"a":`, `{"a{":"`, `[`, "[redacted:",
		"bearer ", "basic ", "basic+", "://", "a://b@", "--", "-----BEGIN PRIVATE KEY", "--token ", "/home/", `\Users\a `, "session-", "AKIA", "ghp_", "session_id=", "=", ":", `\"`, `\u0022`, "x-x_x.", "'", " ", "-p", "-p ", " -p x", "password a", "pa", "-u a:", "login mysql -pa", "api key: ",
		`env:[`, `"env":{"`, `env={a:"b\\"`, `env:\`, "env: Map", "EnvVariable {", `env:[{a `, "headers:((", "env:map[a:b ", "env:{\n ", "env:{'", `env:"\\"`} {
		text := strings.Repeat(part, 128<<10/len(part))
		for name, line := range map[string]string{"text": text, "string": quote(text), "name": `{` + quote(text) + `:1}`} {
			begin := time.Now()
			r.JSON(nil, []byte(line))
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("128 KB of %q as %s takes %v", part, name, took)
			}
		}
	}
}
