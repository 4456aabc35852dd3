package wire

import (
	"strings"
	"testing"
)

func TestStringEnd(t *testing.T) {
	for _, text := range []string{``, `a`, `\"`, `\\`, `\\\"`, `\\\\`, `a\\b\"c`, strings.Repeat("x", 40), strings.Repeat(`\"`, 40), strings.Repeat("x", 30) + `\\`, `\u0022`} {
		for _, behind := range []string{`"`, `",`, `"` + strings.Repeat(`"\`, 20)} {
			line := `{"` + text + behind
			if got, want := StringEnd([]byte(line), 1), len(`{""`)+len(text); got != want {
				t.Errorf("%s: the string ends at %d, want %d", line, got, want)
			}
		}
		if line := []byte(`{"` + text); StringEnd(line, 1) != -1 {
			t.Errorf("%s: the string ends", line)
		}
	}
}

func TestValueEnd(t *testing.T) {
	if end := ValueEnd([]byte(`"a" `), 0); end != 3 {
		t.Errorf("at the beginning of the line: %d", end)
	}
	for text, want := range map[string]string{
		`1,`: "1", `true}`: "true", `null ]`: "null", `"a,b",`: `"a,b"`, `"a"`: `"a"`, `{"a":[1,{"b":"}"}]},"c":1}`: `{"a":[1,{"b":"}"}]}`, `[],`: "[]", `-1e5]`: "-1e5", "1\n": "1",
		`1`: "", `"a`: "", `{"a":1`: "", `[1,"]`: "", ``: "", `}`: "",
	} {
		line := `[` + text
		switch end := ValueEnd([]byte(line), 1); {
		case end < 0 && want != "", end >= 0 && line[1:end] != want:
			t.Errorf("%s: the value ends at %d, want %q", text, end, want)
		}
	}
}
