package redact

import (
	"strings"
	"testing"
)

// Each verdict decides about its own examples.
func TestVerdicts(t *testing.T) {
	decided := 0 // the index of the verdict that decided last
	given := verdicts
	t.Cleanup(func() { verdicts = given })
	verdicts = nil
	for n, v := range given {
		isSecret := v.isSecret
		v.isSecret = func(c *assignment) bool { decided = n; return isSecret(c) }
		verdicts = append(verdicts, v)
	}
	for n, v := range given {
		for example, isHidden := range map[string]bool{v.secretExample: true, v.plainExample: false} {
			if example == "" {
				continue
			}
			decided = -1
			text := strings.ReplaceAll(example, "WORD", "opensesame")
			got := string(newTest(t).Redact(nil, []byte(text)))
			if isHidden != strings.Contains(got, "[redacted:") || isHidden == strings.Contains(got, "opensesame") && strings.Contains(text, "opensesame") {
				t.Errorf("verdict %d: %q becomes %q", n, text, got)
			}
			if decided != n {
				t.Errorf("verdict %d: %d decides about %q", n, decided, text)
			}
		}
	}
}

// The value of a variable begins after "=" or ":". The next word of a sentence is not a value, even
// at the end of the line.
func TestTheNextWordOfASentenceStays(t *testing.T) {
	for _, text := range []string{
		"set FOO_API_KEY first", "FOO_API_KEY word\n", "export FOO_API_KEY first", "> FOO_API_KEY first", "let FOO_API_KEY expire",
		`{"content":{"type":"text","text":"set FOO_API_KEY first"}}`,
	} {
		if got := string(newTest(t).Redact(nil, []byte(text))); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	for _, text := range []string{
		"FOO_API_KEY=first", "FOO_API_KEY: first", `{"FOO_API_KEY":"first"}`, "set FOO_API_KEY=first", "set -x FOO_API_KEY first",
		"setx FOO_API_KEY first", "ENV FOO_API_KEY first", "npm config set FOO_API_KEY first",
	} {
		if got := string(newTest(t).Redact(nil, []byte(text))); strings.Contains(got, "first") {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
