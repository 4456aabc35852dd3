package endpoint

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"http://127.0.0.1:4318":                  "http://127.0.0.1:4318/v1/traces",
		"https://c.example/":                     "https://c.example/v1/traces",
		"https://c.example/otlp":                 "https://c.example/otlp/v1/traces",
		"https://c.example/otlp/":                "https://c.example/otlp/v1/traces",
		"https://c.example/api/public/v1/traces": "https://c.example/api/public/v1/traces",
		"http://[::1]:4318":                      "http://[::1]:4318/v1/traces",
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "127.0.0.1:4318", "localhost:4318", "ftp://x", "http://", "http://:4318", "unix:///x",
		"https://me:s3cret@c.example", "https://c.example?key=s3cret", "https://c.example#s3cret", "https://me:s3cret@c.example:x",
		"me:s3cret@collector:4318", "collector:4318?key=s3cret"} {
		if got, err := Parse(text); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s is %s, %v", text, got, err)
		}
	}
}
