package record

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

func TestCleanLines(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) + "\n" }
	for line, want := range map[string]bool{
		`{"a":[1,-0.5e+7,true,false,null,"x\u00e9\n"]}` + "\n": true,
		`{"a":1,"a":2}` + "\n":                                 true, // two readers may see two messages; the bytes are clear
		`{"é":"` + strings.Repeat("ü", 5000) + `"}` + "\n":     true,
		"{ \"tab\" :\t1 }\n":                                   true,
		"\"\\ud800\"\n":                                        true,
		"{\"sep\":\"\u2028\x7f\"}\n":                           true,
		"[]\n":                                                 true,
		"1E400\n":                                              true,
		deep(maxDepth):                                         true,
		deep(maxDepth + 1):                                     false,
		"":                                                     false,
		"\n":                                                   false,
		" \n":                                                  false,
		"\r\n":                                                 false,
		"{}":                                                   false, // cut off
		"{}\r\n":                                               false,
		"{\r}\n":                                               false,
		" {}\n":                                                false,
		"{} \n":                                                false,
		"\ufeff{}\n":                                           false,
		"{\"a\":\"\xff\"}\n":                                   false,
		"{\"a\":\"\xed\xa0\x80\"}\n":                           false, // a surrogate
		"{\"a\":\"\t\"}\n":                                     false,
		"{\"a\":\"12345678\x00\"}\n":                           false,
		"{}{}\n":                                               false,
		"{},\n":                                                false,
		"{\"a\"}\n":                                            false,
		"{\"a\":1,}\n":                                         false,
		"[1,]\n":                                               false,
		"{a:1}\n":                                              false,
		"\"\\x\"\n":                                            false,
		"\"\\u12g4\"\n":                                        false,
		"\"\\u12\n":                                            false,
		"\"abc\n":                                              false,
		"01\n":                                                 false,
		"1[]\n":                                                false,
		"[1\r]\n":                                              false,
		"-\"\"\n":                                              false,
		"1.\n":                                                 false,
		"+1\n":                                                 false,
		"-\n":                                                  false,
		"1e\n":                                                 false,
		"nul\n":                                                false,
		"True\n":                                               false,
		"hello\n":                                              false,
		"Content-Length: 5\n":                                  false,
		strings.Repeat("[", 1<<20) + "\n":                      false,
	} {
		if got := isClean([]byte(line)); got != want {
			t.Errorf("isClean(%.80q) = %v", line, got)
		}
	}
}

// FuzzClean: what is clean is what a JSON library takes.
func FuzzClean(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e-3,"x\\\"\u1234",null]}`, "[[],{}]", `"12345678\n1234567"`, "{\"a\":\"\x01\"}", "-0.0E+1", `{"a": true ,"b":false}`, "\xff", `"\ud800"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		v := jsontext.Value(body)
		want := len(body) > 0 && bytes.Equal(body, bytes.Trim(body, " \t\n")) && utf8.Valid(body) &&
			!strings.ContainsAny(string(body), "\r\n") && nesting(body) <= maxDepth &&
			v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if got := isClean(append(body[:len(body):len(body)], '\n')); got != want {
			t.Errorf("isClean(%q) = %v", body, got)
		}
	})
}

// nesting is at most the depth of the values, if it is JSON with no brackets in strings.
func nesting(body []byte) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}

func BenchmarkClean(b *testing.B) {
	for name, line := range map[string]string{
		"250 B":        `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_1234567890","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + strings.Repeat("word ", 16) + `"}}}}`,
		"8 KB":         `{"jsonrpc":"2.0","method":"session/update","params":{"update":{"content":{"text":"` + strings.Repeat("some words ", 740) + `"}}}}`,
		"8 KB escapes": `{"jsonrpc":"2.0","method":"session/update","params":{"update":{"content":{"text":"` + strings.Repeat("some words \\n", 680) + `"}}}}`,
	} {
		b.Run(name, func(b *testing.B) {
			line := []byte(line + "\n")
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if !isClean(line) {
					b.Fatal("not clean")
				}
			}
		})
	}
}
